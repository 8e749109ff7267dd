"""The command `consolidate`: do the work of runs of one kind, or of all, in the foreground."""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from consolidation import (
    consolidation_run,
    contrast_run,
    duplicates_run,
    extraction_run,
    lessons_run,
    llm,
    ordering,
    pattern_run,
    reembedding_run,
    set_aside,
)
from consolidation.models import Run
from memories.indexing import reembedding
from memories.values.exceptions import Conflict, NotAllowed, NotFound
from memories.values.trust import everything

COMMAND: Run.Trigger = Run.Trigger.COMMAND
ABOUT = {  # kinds that read one thing -> its option
    extraction_run.KIND: "episode_id",
    contrast_run.KIND: "subject",
    lessons_run.KIND: "scope",
}
QUEUES = {
    extraction_run.KIND: (extraction_run.process_queue, "conversations"),
    contrast_run.KIND: (contrast_run.process_queue, "comparisons of a skill's cases"),
    lessons_run.KIND: (lessons_run.process_queue, "comparisons of a scope's cases"),
}
OVER_EVERYTHING: dict[str, Callable[[datetime, bool], Run | None]] = {  # also when no kind is named
    consolidation_run.KIND: lambda at, _: consolidation_run.consolidate(trigger=COMMAND, wait=True, at=at),
    pattern_run.KIND: lambda at, named: pattern_run.apply_rules(trigger=COMMAND, wait=True, at=at, record_empty=named),
    duplicates_run.KIND: lambda at, named: duplicates_run.find_duplicates(trigger=COMMAND, at=at, record_empty=named),
}
KINDS = (*OVER_EVERYTHING, reembedding_run.KIND, *QUEUES)


class Command(BaseCommand):
    help = (
        "Read new episodes, and what plugins reported, and propose what they teach; with a language model also let "
        "it read queued conversations and compare queued skills and scopes. Waits for a scope that another worker "
        "holds. "
        "Example: manage.py consolidate --kind patterns"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--retry", action="store_true", help="try what was set aside after three attempts again")
        parser.add_argument("--kind", choices=KINDS, help="only this; without it everything but reembed")
        parser.add_argument("--episode-id", type=UUID, help="with --kind extract: have this conversation read, too")
        parser.add_argument("--subject", type=UUID, help="with --kind contrast: have the cases of this skill compared")
        parser.add_argument("--scope", help="with --kind lessons: have the cases of this scope compared")

    def handle(self, *args: Any, **options: Any) -> None:
        kind = options["kind"]
        for name in ABOUT.values():
            if options[name] is not None and ABOUT.get(kind) != name:
                raise CommandError(f"--{name.replace('_', '-')} is not taken by this kind")
        if options["retry"]:
            self.stdout.write(f"{_retry(kind)} are tried again")
        runs = list(self._work(kind, options))
        if kind and None in runs:
            self.stdout.write("nothing was done: another worker is at it")
        if [run for run in runs if run and not self._tell(run)]:
            sys.exit(1)

    def _work(self, kind: str | None, options: dict[str, Any]) -> Iterator[Run | None]:
        """The runs of what was asked for, as they end. None: there was nothing to do."""
        for name, work in OVER_EVERYTHING.items():
            if kind in (None, name):
                yield work(timezone.now(), kind == name)
        if kind == reembedding_run.KIND:
            yield reembedding_run.reembed(trigger=COMMAND, at=timezone.now())
        for name in QUEUES:
            if kind == name or (kind is None and llm.configured()):
                yield from self._ask_model(name, options[ABOUT[name]])

    def _ask_model(self, kind: str, about: UUID | str | None) -> list[Run]:
        """Let the language model work on what is queued; the runs that did so."""
        before = timezone.now()
        ordered = [_ordered(kind, about).pk] if about is not None else []
        process, things = QUEUES[kind]
        self.stdout.write(f"{process()} {things} were read or given back")
        touched = Run.objects.filter(kind=kind, started_at__gte=before).exclude(status=Run.Status.QUEUED)
        for paused in touched.filter(status=Run.Status.PAUSED)[:1]:
            self.stdout.write(f"paused until {paused.paused_until}: {paused.error}")
        for skipped in touched.filter(pk__in=ordered, status=Run.Status.SKIPPED):
            self.stdout.write(f"skipped: {skipped.error}")
        return list(touched.exclude(status=Run.Status.PAUSED))

    def _tell(self, run: Run) -> bool:
        """Whether it went well."""
        for name, number in sorted(run.counters.items()):
            self.stdout.write(f"{name:24}{number:>8}")
        ill = run.status in (Run.Status.FAILED, Run.Status.RUNNING)  # one that reembeds goes on once the endpoint works
        if ill:
            self.stderr.write(run.error)
        return not ill


def _ordered(kind: str, about: UUID | str) -> Run:
    what: dict[str, Any] = {"scope": about} if isinstance(about, str) else {"about": about}
    try:
        return ordering.start(kind, everything(), trigger=COMMAND, at=timezone.now(), **what)
    except NotFound:
        raise CommandError(f"there is no {'skill' if kind == contrast_run.KIND else 'episode'} {about}") from None
    except (Conflict, NotAllowed) as refusal:
        raise CommandError(str(refusal)) from None


def _retry(kind: str | None) -> int:
    """Put what was set aside back into the queues of this kind, or of all."""
    if kind == reembedding_run.KIND:
        return reembedding.retry_set_aside()
    return sum(set_aside.retry(name, everything()) for name in KINDS if kind in (None, name))
