"""Writes what is known of a repository as AGENTS.md."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from consolidation.places import knowledge_of, names_of
from consolidation.places.agents_md import agents_md
from memories.values.choices import Sensitivity
from memories.values.trust import everything


class Command(BaseCommand):
    help = (
        "Write what recorded runs showed of commands in a repository, as AGENTS.md. "
        "Example: manage.py agents_md acme/shop --scope project:shop > AGENTS.md"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("place", help="the repository's address, its owner/name, or the name of a folder")
        parser.add_argument("--scope", help="only what is read in this scope")
        parser.add_argument("--clearance", choices=Sensitivity.labels, default="medium", help="nothing above it")

    def handle(self, *args: Any, **options: Any) -> None:
        scopes = [] if options["scope"] is None else [options["scope"]]
        trust = everything().narrowed(max_sensitivity=Sensitivity.named(options["clearance"]), scopes=scopes)
        known = knowledge_of(names_of(options["place"], trust), trust, at=timezone.now())
        if known.is_empty:
            raise CommandError(f"nothing is known of {options['place']}")
        self.stdout.write(agents_md(known), ending="")
