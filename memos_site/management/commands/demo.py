from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from memories.values.exceptions import Conflict
from memos_site import demo


class Command(BaseCommand):
    help = "A believable small team for a look around. Example: manage.py demo load"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("verb", choices=["load", "remove"])
        parser.add_argument("--beside-others", action="store_true", help="although the store holds data of its own")

    def handle(self, *args: Any, verb: str, beside_others: bool, **options: Any) -> None:
        try:
            if verb == "remove":
                self.stdout.write(f"{demo.remove()} memories of the demo team removed")
            elif demo.load(at=timezone.now(), beside_others=beside_others):
                self.stdout.write("the demo team is loaded: its scopes begin with demo:")
            else:
                self.stdout.write("the demo team was there already")
        except Conflict as refusal:
            raise CommandError(str(refusal)) from None
