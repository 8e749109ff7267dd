"""Imports recorded conversations, one JSON object a line, as closed episodes."""

import sys
from argparse import ArgumentParser, BooleanOptionalAction
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from memories import conversation, ingestion, strict_json
from memories.choices import ActorKind
from memories.exceptions import Conflict, FieldError, Invalid, NotAllowed
from memories.trust import Actor, everything

LONGEST_LINE = 21 * 1024 * 1024


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
            for number, line in enumerate(_bounded(file), start=1):
                if line.strip():
                    counts[self._line(line, number, defaults)] += 1
                bar.update(len(line))
        return counts

    def _line(self, line: bytes, number: int, defaults: dict[str, Any]) -> str:
        """Imports one line in its own transaction; what is wrong with it is said, and the next goes on."""
        try:
            return self._import(line, defaults)
        except Invalid as invalid:
            for error in invalid.errors:
                self.stderr.write(f"line {number}: {error}")
        except (Conflict, NotAllowed) as refused:
            self.stderr.write(f"line {number}: id: {refused}")
        return "failed"

    @staticmethod
    def _import(line: bytes, defaults: dict[str, Any]) -> str:
        if len(line) > LONGEST_LINE:
            raise Invalid(FieldError("", "too_large", "the line is larger than 21 MiB"))
        raw = strict_json.loads(line)
        draft = conversation.parse(_completed(raw, defaults) if isinstance(raw, dict) else raw)
        if draft.given.id is None:  # a line without an id is known by what it says
            draft.given.id = f"sha256:{draft.sha256.hex()}"
        trust = everything(Actor(ActorKind.SYSTEM, "import"))
        stored = ingestion.conversation(draft, trust=trust, at=timezone.now())
        return "imported" if stored.created else "updated" if stored.changed else "skipped"


def _completed(raw: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """A line's own words stand; what it leaves out, or null, is taken from the command."""
    named = {"source" if name == "source_plugin" else name for name, value in raw.items() if value is not None}
    return raw | {name: value for name, value in defaults.items() if name not in named}


def _bounded(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file; of one longer than LONGEST_LINE only so much that it is seen to be longer."""
    while line := file.readline(LONGEST_LINE + 1):
        yield line
        while len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            line = file.readline(LONGEST_LINE + 1)
            if not line:
                return
