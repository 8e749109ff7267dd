"""Conversations that a scripted model reads, step by step."""

from collections import Counter
from datetime import timedelta
from typing import Any

from pydantic import BaseModel

from consolidation import extraction_run
from consolidation.extraction import queue
from consolidation.extraction.steps import Step, Work
from consolidation.models import Run
from memories.models import Episode
from tests import make
from tests.make import AT, user

LONG = "Nordlys Bakery pays its invoices by bank transfer. " * 10
TALK = [
    user("Hello, I call about an invoice."),
    {"role": "assistant", "content": "Which one?"},
    user(LONG),
    user("Thanks!"),
]
NONE: dict[str, Any] = {"facts": []}


class Word(BaseModel):
    word: str


def talk(**fields: Any) -> Episode:
    stored = make.make_run(messages=fields.pop("messages", TALK), **fields)
    return Episode.objects.select_related("memory").get(pk=stored.pk)


def queued(episode: Episode) -> Run:
    return queue.request(episode, trigger=Run.Trigger.API, at=AT)


def process(steps: Any = extraction_run.STEPS[:1], *, minutes: float = 0) -> None:
    extraction_run.process_queue(now=lambda: AT + timedelta(minutes=minutes), steps=steps)


def state(run: Run) -> tuple[str, str]:
    run.refresh_from_db()
    return run.status, run.error


def steps_of(run: Run) -> list[tuple[str, str, int]]:
    return list(run.steps.values_list("name", "status", "attempts"))


def saying(*names: str, fails: Counter[str] | None = None) -> list[Step]:
    """Steps that ask for a word each; a step fails after its answer as often as `fails` says."""

    def perform(work: Work) -> Counter[str]:
        work.ask(Word, system="Say a word.", text="Now.")
        if fails and fails[work.step.name]:
            fails[work.step.name] -= 1
            raise ValueError("of no use to anybody")
        return Counter({work.step.name: 1})

    return [Step(name, perform) for name in names]
