"""A test that commits leaves nothing to the next one."""

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType

from memories.models import AuditEntry
from tests.deciding import make_applied, propose
from tests.emptying import delete_what_was_committed
from tests.make import make_person

pytestmark = pytest.mark.django_db(transaction=True)


def test_all_rows_are_gone_but_those_that_each_test_finds() -> None:
    permissions = Permission.objects.count()
    make_person()
    propose(make_applied())
    assert AuditEntry.objects.exists()
    delete_what_was_committed(None)
    filled = {model for model in apps.get_models(include_auto_created=True) if model._base_manager.exists()}
    assert filled == {Permission, ContentType, Group, Group.permissions.through}
    assert Permission.objects.count() == permissions > 100
