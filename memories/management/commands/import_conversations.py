"""Imports recorded conversations, one JSON object a line, as closed episodes."""

import sys
from argparse import ArgumentParser, BooleanOptionalAction
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from memories.intake.reports import conversation
from memories.transfer import conversation_lines
from memories.transfer.conversation_lines import Line, Refusal
from memories.transfer.json_files import bounded_lines
from memories.values.choices import ActorKind
from memories.values.exceptions import Invalid
from memories.values.trust import Actor, everything


class Command(BaseCommand):
    help = (
        "Import conversations from JSON lines {messages, id, outcome, ...}. A line imported before is skipped; "
        "with another outcome it replaces the outcome. Example: "
        "manage.py import_conversations runs.jsonl --scope project:airline --source airline-agent"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--scope", help="of lines that name none (default: unscoped)")
        parser.add_argument("--source", help="of lines that name none (default: import)")
        parser.add_argument("--extract", action=BooleanOptionalAction, help="run the skill pipeline on them, or not")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        defaults = {name: options[name] for name in ("scope", "source", "extract") if options[name] is not None}
        self._check(defaults)
        try:
            with path.open("rb") as file:
                counts = self._lines(file, defaults, size=path.stat().st_size)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from None
        done = ", ".join(f"{counts[what]} {what}" for what in ("imported", "updated", "skipped", "failed"))
        self.stdout.write(done)
        if counts["failed"]:
            sys.exit(1)

    @staticmethod
    def _check(defaults: dict[str, Any]) -> None:
        """Said once, and not once a line."""
        try:
            conversation.parse({**defaults, "messages": [{"role": "user"}]})
        except Invalid as invalid:
            raise CommandError(f"--{invalid}") from None

    def _lines(self, file: BinaryIO, defaults: dict[str, Any], *, size: int) -> Counter[str]:
        counts: Counter[str] = Counter()
        hidden = not self.stderr.isatty()
        with tqdm(total=size, unit="B", unit_scale=True, disable=hidden, file=sys.stderr) as bar:
            for lines in conversation_lines.batches(bounded_lines(file, conversation_lines.LONGEST_LINE)):
                counts.update(
                    self._import(
                        [(number, conversation_lines.read(line, defaults)) for number, line in lines if line.strip()]
                    )
                )
                bar.update(sum(len(line) for _, line in lines))
        return counts

    def _import(self, lines: Sequence[Line]) -> Iterator[str]:
        trust = everything(Actor(ActorKind.SYSTEM, "import"))
        for number, answer in conversation_lines.store(lines, trust=trust, at=timezone.now()):
            if isinstance(answer, Exception):
                self._say(number, answer)
                yield "failed"
            else:
                yield "imported" if answer.created else "updated" if answer.changed else "skipped"

    def _say(self, number: int, refusal: Refusal) -> None:
        wrong = refusal.errors if isinstance(refusal, Invalid) else [f"id: {refusal}"]
        for fault in wrong:
            self.stderr.write(f"line {number}: {fault}")
