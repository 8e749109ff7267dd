"""What the tests of the admin share: who enters it, and where its pages are."""

from typing import Any

from django.contrib.auth.models import Permission, User
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from tests.make import make_person
from tests.pages import begin_session


def staff(*, name: str = "olga", holding: str = "") -> Client:
    """Staff of clearance medium who may see and change every model, but reads only with `use_read`."""
    person = make_person(name, group="reviewer")
    person.is_staff = True
    person.save()
    models = Permission.objects.exclude(codename__startswith="see_").exclude(codename__startswith="use_")
    person.user_permissions.set(models.filter(codename__startswith=holding))
    return entering(person)


def entering(person: User) -> Client:
    client = Client()
    begin_session(client, person)
    return client


def administrator() -> Client:
    return entering(make_person("root", group="administrator"))


def page(model: type[Model], name: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{name}", args=args)
