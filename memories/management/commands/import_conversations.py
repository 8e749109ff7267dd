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

from memories.intake import episodes
from memories.intake.reports import conversation
from memories.intake.reports.conversation import Draft
from memories.values import strict_json
from memories.values.choices import ActorKind
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed
from memories.values.trust import Actor, everything

LONGEST_LINE = 21 * 1024 * 1024
LINES_AT_ONCE, BYTES_AT_ONCE = 50, 4 * 1024 * 1024  # of one transaction
Refusal = Invalid | Conflict | NotAllowed


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
            for lines in _together(_bounded(file)):
                counts.update(self._import([(number, _read(line, defaults)) for number, line in lines if line.strip()]))
                bar.update(sum(len(line) for _, line in lines))
        return counts

    def _import(self, lines: Sequence[tuple[int, Draft | Refusal]]) -> Iterator[str]:
        """Stores some lines in one transaction; what is wrong with one is said, and the others are stored."""
        trust = everything(Actor(ActorKind.SYSTEM, "import"))
        drafts = [line for _, line in lines if isinstance(line, Draft)]
        stored = iter(episodes.conversations(drafts, trust=trust, at=timezone.now()))
        for number, line in lines:
            answer = next(stored) if isinstance(line, Draft) else line
            if isinstance(answer, Exception):
                self._say(number, answer)
                yield "failed"
            else:
                yield "imported" if answer.created else "updated" if answer.changed else "skipped"

    def _say(self, number: int, refusal: Refusal) -> None:
        wrong = refusal.errors if isinstance(refusal, Invalid) else [f"id: {refusal}"]
        for said in wrong:
            self.stderr.write(f"line {number}: {said}")


def _read(line: bytes, defaults: dict[str, Any]) -> Draft | Refusal:
    try:
        if len(line) > LONGEST_LINE:
            raise Invalid(FieldError("", "too_large", "the line is larger than 21 MiB"))
        raw = strict_json.loads(line)
        draft = conversation.parse(_completed(raw, defaults) if isinstance(raw, dict) else raw)
    except Invalid as invalid:
        return invalid
    if draft.fields.id is None:  # a line without an id is known by what it says
        draft.fields.id = f"sha256:{draft.sha256.hex()}"
    return draft


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


def _together(lines: Iterator[bytes]) -> Iterator[list[tuple[int, bytes]]]:
    """Numbered lines, as many as one transaction stores."""
    group: list[tuple[int, bytes]] = []
    size = 0
    for number, line in enumerate(lines, start=1):
        group.append((number, line))
        size += len(line)
        if len(group) == LINES_AT_ONCE or size > BYTES_AT_ONCE:
            yield group
            group, size = [], 0
    yield group
