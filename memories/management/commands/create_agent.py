"""Creates an agent and shows its token once."""

import json
import re
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import IntegrityError

from memories.models import Agent
from memories.models.agent import DEFAULT_PERMISSIONS, MOST_REQUESTS
from memories.values.choices import ActorKind, Permission, Sensitivity
from memories.values.field_types import SCOPE, SCOPE_IN_WORDS
from memories.values.trust import Actor

LONGEST_NAME, LONGEST_SOURCE = 128, 512


class Command(BaseCommand):
    help = (
        "Create an agent; its token is shown this once. Example: "
        "manage.py create_agent airline-agent --scope project:airline --permission ingest --permission read"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--clearance", choices=[label for _, label in Sensitivity.choices], default="medium")
        parser.add_argument("--scope", action="append", default=[], help="may be repeated; none = every scope")
        parser.add_argument("--source", action="append", default=[], help="may be repeated; none = any source")
        parser.add_argument("--permission", action="append", choices=Permission.values, help="may be repeated")
        parser.add_argument("--requests-per-minute", type=int, help="default RATE_LIMIT_PER_MINUTE")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        self._check(options)
        try:
            agent, token = Agent.objects.issue(
                options["name"],
                clearance=Sensitivity.named(options["clearance"]),
                scopes=options["scope"],
                sources=options["source"],
                permissions=options["permission"] or DEFAULT_PERMISSIONS,
                requests_per_minute=options["requests_per_minute"],
                by=Actor(ActorKind.SYSTEM, "create_agent"),
            )
        except IntegrityError:
            raise CommandError(f"an agent named {options['name']!r} exists already") from None
        self._show(agent, token, as_json=options["json"])

    @staticmethod
    def _check(options: dict[str, Any]) -> None:
        if not 0 <= (options["requests_per_minute"] or 0) <= MOST_REQUESTS:
            raise CommandError(f"--requests-per-minute must be 0 (no limit) or more, at most {MOST_REQUESTS}")
        if not 0 < len(options["name"].strip()) <= LONGEST_NAME:
            raise CommandError(f"the name must have 1 to {LONGEST_NAME} characters")
        for scope in options["scope"]:
            if not scope or not re.fullmatch(SCOPE, scope):
                raise CommandError(f"--scope {scope!r}: {SCOPE_IN_WORDS}")
        for source in options["source"]:
            if not 0 < len(source.strip()) <= LONGEST_SOURCE:
                raise CommandError(f"--source must have 1 to {LONGEST_SOURCE} characters")

    def _show(self, agent: Agent, token: str, *, as_json: bool) -> None:
        facts = {
            "name": agent.name,
            "token": token,
            "clearance": Sensitivity(agent.clearance).label,
            "scopes": agent.scopes,
            "permissions": agent.permissions,
        }
        if as_json:
            self.stdout.write(json.dumps(facts))
            return
        for name, value in facts.items():
            self.stdout.write(f"{name:12} {', '.join(value) or 'all' if isinstance(value, list) else value}")
