"""Creates a person who can sign in."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import IntegrityError, transaction
from django.utils import timezone

from memories import accounts
from memories.people import GROUPS
from memories.values.choices import ActorKind
from memories.values.trust import Actor

LONGEST_NAME = 150


class Command(BaseCommand):
    help = "Create a person who can sign in; the password is shown this once. Example: manage.py create_reviewer anna"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--group", choices=list(GROUPS), default="reviewer")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 < len(options["name"].strip()) <= LONGEST_NAME:
            raise CommandError(f"the name must have 1 to {LONGEST_NAME} characters")
        try:
            with transaction.atomic():
                person, password = accounts.create_person(options["name"], group_name=options["group"])
                by = Actor(ActorKind.SYSTEM, "create_reviewer")
                accounts.record_creation(person, by=by, at=timezone.now())
        except IntegrityError:
            raise CommandError(f"a person named {options['name']!r} exists already") from None
        self.stdout.write(f"name         {person.username}\ngroup        {options['group']}\npassword     {password}")
