"""A step of reading a conversation: what it asks the model, and what it writes, at once or as notes about which the
model is asked first, together with those of the steps beside it.

A step is a function of `Work`. Each answer that it asks for is kept in the row of the step before anything is written,
so that neither a crash nor a retry pays for it twice. It writes in transactions of its own, outside of which it asks.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from django.db import transaction
from pydantic import BaseModel, ValidationError

from consolidation.extraction.transcripts import Transcript, halved
from consolidation.llm import LanguageModel, TooLong, fenced
from consolidation.llm.workers import ALONE, Workers
from consolidation.models import Redundancy, Run, RunStep
from memories.models import Episode, Memory
from memories.scanning import credentials, prompt_injection

T = TypeVar("T")
Shape = TypeVar("Shape", bound=BaseModel)
CHUNKS = "chunks"  # the step that divides a conversation into tasks
LONGEST_LEFT_OUT = 150  # characters
MOST_PARTS, MOST_HALVINGS = 8, 3  # of a transcript, of a part


class Needless(NamedTuple):
    """Why nobody is asked about something."""

    why: Redundancy.Why
    reason: str = ""


class Question(NamedTuple):
    """A note as the model sees it; a fact with the words that prove it and its counterpart, a skill without."""

    note: str
    words: str = ""
    counterpart: str = ""


class Opinion(NamedTuple):
    """What the model says of a note. `fault`: the counter of what it says against it; see `needs.counterpart`."""

    needless: Needless | None = None
    fault: str = ""


class Notes(NamedTuple):
    """`write`: with an opinion for each of the questions, in their order, writes the notes and answers the counters.
    It is called after the steps beside it were asked, one step after the other in their order."""

    questions: Sequence[Question]
    write: Callable[[Sequence[Opinion]], Counter[str]]


Done = Counter[str] | Notes


def parts_in_order(answers: dict[str, Any]) -> list[tuple[str, Any]]:
    """Answers about parts of a transcript, in its order."""
    parts = [(name, answer) for name, answer in answers.items() if name.startswith("part ")]
    return sorted(parts, key=lambda part: [int(number) for number in part[0].rpartition(" ")[2].split(".")])


def never() -> bool:
    return False


class OutOfTime(Exception):
    """The time of this job is over; another one goes on with the answers that are kept."""


class StepSkipped(Exception):
    """The step has nothing to do; the message says why."""


@dataclass(frozen=True)
class Work:
    """What a step works with. `at`: the run's time, which it uses as now in everything it writes. `left_out`: sentences
    about what the model said and the step did not keep."""

    run: Run
    step: RunStep
    episode: Episode
    transcript: Transcript
    model: LanguageModel
    at: datetime
    should_stop: Callable[[], bool] = never
    workers: Workers = ALONE
    keeping: Lock = field(default_factory=Lock)
    left_out: list[str] = field(default_factory=list)

    def leave_out(self, words: str, counter: str) -> str:
        """Tell on the page of the run what the model said that is not kept, and why; answers the counter. Of orders to
        a model no word is shown."""
        safe_words = (
            "" if prompt_injection.is_in(words) else credentials.masked(" ".join(words.replace(";", ",").split()))
        )
        self.left_out.append(f"left out “{safe_words[:LONGEST_LEFT_OUT]}”: {counter.replace('_', ' ')}")
        return counter

    def together(self, jobs: Sequence[Callable[[], T]]) -> list[T]:
        """What these ask, side by side where there are threads for it, in their order. See `Workers.together`."""
        return self.workers.together(jobs)

    def ask(self, shape: type[Shape], *, system: str, text: str, name: str = "answer", purpose: str = "") -> Shape:
        """The model's answer of this name for this step: the one that is kept, else a new one, which is then kept.

        `name` tells several answers of one step apart; `purpose`: as the ledger calls it, the step's name by default.
        See LanguageModel.ask. OutOfTime: leave it to another job.
        """
        stored_answer = self._kept(shape, name)
        if stored_answer is not None:
            return stored_answer
        if self.should_stop():
            raise OutOfTime
        level = Memory.objects.values_list("sensitivity", flat=True).get(pk=self.episode.pk)  # raised meanwhile, maybe
        answer = self.model.ask(
            shape, purpose=purpose or self.step.name, system=system, text=text, sensitivity=level, run=self.run
        )
        with self.keeping, transaction.atomic(durable=True):
            self.step.answer = {**(self.step.answer or {}), name: answer.model_dump(mode="json")}
            self.step.save(update_fields=["answer"])
        return answer

    def ask_parts(self, shape: type[Shape], parts: Sequence[str], *, system: str, what: str, purpose: str = "") -> None:
        """Ask about the first MOST_PARTS of the transcript, side by side; the answers are kept as "part 1", "part 2"...

        A part that the model's context does not hold is asked in halves: "part 2.1" and "part 2.2".
        """

        def ask(number: str, part: str) -> None:
            fence = fenced(part, what=what, language=self.transcript.language)
            try:
                self.ask(shape, system=system, name=f"part {number}", text=fence, purpose=purpose)
            except TooLong:
                halves = halved(part)
                if len(number.split(".")) > MOST_HALVINGS or len(halves) < 2:
                    raise
                for half, text in enumerate(halves, start=1):
                    ask(f"{number}.{half}", text)

        self.together([partial(ask, str(number), part) for number, part in enumerate(parts[:MOST_PARTS], start=1)])

    def answers_of_parts(self, shape: type[Shape]) -> list[Shape]:
        """What `ask_parts` has kept, in the order of the transcript."""
        return [shape.model_validate(answer) for _, answer in parts_in_order(self.step.answer or {})]

    def _kept(self, shape: type[Shape], name: str) -> Shape | None:
        value = (self.step.answer or {}).get(name)
        try:
            return None if value is None else shape.model_validate(value)
        except ValidationError:  # of an earlier version of the program
            return None


@dataclass(frozen=True)
class Step:
    """A step by name. `perform` answers counters for the run, or notes that are asked about and written after the steps
    beside it were performed. StepSkipped or any other exception ends this step alone.

    `after`: steps that must have ended before, if only in failing for good; `for_skills`: asks the model of SKILLS_LLM;
    `expand`: the steps that follow from its answers.
    """

    name: str
    perform: Callable[[Work], Done]
    after: tuple[str, ...] = ()
    for_skills: bool = False
    expand: Callable[[Run, Transcript], Iterable["Step"]] | None = None
