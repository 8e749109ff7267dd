"""The question about a whole transcript: its facts, and in the same answer its tasks and how it ended. The facts come
first, in the instructions and in the answer: behind the tasks weak models leave them out.

One model is asked for all three at once, since the transcript is the most expensive part of each question. An answer
without facts or without an end, or with some that cannot be read, is good for the rest: those are asked for alone.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple

from django.conf import settings
from pydantic import BaseModel, BeforeValidator, ValidationError, model_validator

from consolidation.extraction.steps import CHUNKS, parts_in_order
from consolidation.extraction.task_answers import ChunkedTask, Chunks
from consolidation.extraction.transcripts import Transcript
from consolidation.llm import part_tokens
from consolidation.llm.tokens import estimate
from consolidation.models import Run
from consolidation.prompts import prompt

TASKS = "task_chunking"
MOST_INSTRUCTIONS = 3  # a third of the context
MOST_WITH_KNOWN = 2  # a half, with what is known


def _words(value: Any) -> Any:
    """Text of a field; numbers and truth values, which models write bare, become their text."""
    if isinstance(value, bool | int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return "" if value is None else value


Words = Annotated[str, BeforeValidator(_words)]


class Fact(BaseModel):
    """One statement that the model read; not kept yet."""

    subject: Words
    predicate: Words
    object: Words
    quote: Words
    only_one: bool = False


def _listed(value: Any) -> Any:
    """A list where a model answers null, or a single value without its brackets."""
    return [] if value is None else value if isinstance(value, list) else [value]


LISTED = BeforeValidator(_listed)


class Facts(BaseModel):
    facts: Annotated[list[Fact], LISTED]


class Judgement(BaseModel):
    """What the model says of the end of a run. `quote`: words of the run that show it."""

    reason: str
    outcome: Literal["success", "failure", "unknown"]
    quote: str


class _FactsFirst(BaseModel):
    """A field of a base class stands before those of the class, also in the schema that an endpoint writes by."""

    facts: list[Fact] | None


class TasksAndFacts(Chunks, _FactsFirst):
    """Tasks, and the facts that stand beside them, None where they cannot be read. All are required in the schema:
    weak models leave out what they may."""

    tasks: list[ChunkedTask]

    @model_validator(mode="before")
    @classmethod
    def _with_facts(cls, value: Any) -> Any:
        fields = value if isinstance(value, dict) else {"tasks": value}
        return {**fields, "facts": fields["facts"] if _readable(Facts, fields) else None}


class WholeReading(TasksAndFacts):
    """Tasks and facts, and how the run ended."""

    end: Judgement | None

    @model_validator(mode="before")
    @classmethod
    def _with_end(cls, value: Any) -> Any:
        fields = value if isinstance(value, dict) else {"tasks": value}
        return {**fields, "end": fields.get("end") if _readable(Judgement, fields.get("end")) else None}


def _readable(shape: type[BaseModel], value: Any) -> bool:
    try:
        shape.model_validate(value)
    except ValidationError:
        return False
    return True


class ReadingQuestion(NamedTuple):
    """Shape of the answer, instructions, and the parts of the transcript, each of which is asked by itself."""

    shape: type[BaseModel]
    system: str
    parts: list[str]


def question(transcript: Transcript, *, with_end: bool, known: str = "") -> ReadingQuestion:
    """What is asked about a transcript; how it ended, only where it is asked whole. For tasks alone is asked another
    model for skills (SKILLS_LLM), and one whose context the instructions would fill by more than a third. `known`:
    what `recall.known_facts` tells of its scope."""
    names = ["facts", "and_tasks", TASKS, *(("and_outcome", "outcome") if with_end else ()), "and_together"]
    if settings.SKILLS_LLM or estimate(_prompts(names, transcript)) * MOST_INSTRUCTIONS > settings.LLM_CONTEXT_TOKENS:
        alone = _prompts([TASKS], transcript)
        return ReadingQuestion(Chunks, alone, transcript.parts(part_tokens(alone)))
    whole_question = _for_facts(WholeReading if with_end else TasksAndFacts, names, transcript, known)
    return (
        question(transcript, with_end=False, known=known)
        if with_end and len(whole_question.parts) > 1
        else whole_question
    )


def facts_alone(transcript: Transcript, *, known: str = "") -> ReadingQuestion:
    """What is asked for the facts of a transcript where its tasks are asked for without them."""
    return _for_facts(Facts, ["facts"], transcript, known)


def _for_facts(shape: type[BaseModel], names: list[str], transcript: Transcript, known: str) -> ReadingQuestion:
    """The question with what is known above each part, where the context has room for it and no part is added. How that
    is used stands last: servers keep what questions begin with, and read it once."""
    system, with_known = (_prompts(chosen, transcript) for chosen in (names, [*names, "and_known"]))
    parts, parts_with_known = (transcript.parts(part_tokens(text)) for text in (system, f"{with_known}\n{known}"))
    too_large = estimate(with_known, known) * MOST_WITH_KNOWN > settings.LLM_CONTEXT_TOKENS
    if not known or too_large or len(parts_with_known) > len(parts):
        return ReadingQuestion(shape, system, parts)
    return ReadingQuestion(shape, with_known, [f"{known}\n{part}" for part in parts_with_known])


def _prompts(names: Sequence[str], transcript: Transcript) -> str:
    return "\n\n".join(prompt(name, transcript.language) for name in names)


def facts_beside_tasks(run: Run) -> list[Facts] | None:
    """The facts of each part of the transcript; None where those of a part are missing, or it was not read so."""
    answers = _answers(run)
    missing = not answers or any(answer.get("facts") is None for answer in answers)
    return None if missing else [Facts.model_validate(answer) for answer in answers]


def end_beside_tasks(run: Run) -> Judgement | None:
    """How the run ended, of a transcript that was asked whole; None where it was not, or its answer has no end."""
    ends = [answer.get("end") for answer in _answers(run)]
    try:
        return Judgement.model_validate(ends[0]) if len(ends) == 1 and ends[0] else None
    except ValidationError:
        return None


def _answers(run: Run) -> list[dict[str, Any]]:
    answers = run.steps.filter(name=CHUNKS).values_list("answer", flat=True).first() or {}
    return [answer for _, answer in parts_in_order(answers)]
