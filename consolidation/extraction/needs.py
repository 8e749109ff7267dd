"""Whether an experienced agent would need what a model read in a conversation. What nobody needs is kept and found like
the rest, and no person is asked about it (`consolidation.models.Redundancy`).

What a tool's record shows needs no memory, and talk in which nobody works teaches no skill; the model is asked about
the rest, with a reason. In doubt a person is asked.
"""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from pydantic import BaseModel

from consolidation import llm
from consolidation.extraction.steps import Work
from consolidation.extraction.transcripts import Passage, Transcript, comparable
from consolidation.learning.runs.errors import looks_failed
from consolidation.learning.runs.values import parsed
from consolidation.learning.statements.correction_words import says_how
from consolidation.learning.statements.work_words import says_it_worked
from consolidation.models import Redundancy
from consolidation.prompts import prompt
from memories.models import Memory
from memories.scanning import credentials, prompt_injection
from memories.values.choices import Outcome, Status

NAME = "need"
LONGEST_REASON = 300
WHAT = {"en": "the notes", "zh": "笔记"}


class Note(BaseModel):
    """What the model says of one note."""

    number: int
    reason: str = ""
    needed: bool = True


class Notes(BaseModel):
    notes: list[Note] = []


class Needless(NamedTuple):
    """Why nobody is asked about something."""

    why: Redundancy.Why
    reason: str = ""


OF_A_RECORD = Needless(Redundancy.Why.SHOWN)


def is_of_a_record(said: str, passage: Passage, transcript: Transcript) -> bool:
    """Whether a field of a record proves it, which a tool shows the next agent too, and no user spoke of it."""
    if not passage.tool or not _is_record(passage.text):
        return False
    words = comparable(said)
    return not any(one.speaker == "user" and words in one.comparable for one in transcript.passages)


def is_taught(passages: Sequence[Passage], outcome: str | None) -> bool:
    """Whether the messages of a task show more than talk: a tool answered, or the user said how it is to be done. Of a
    conversation that failed only an error or the user's words teach anything.
    """
    said = [one.text for one in passages if one.speaker == "user"]
    if any(says_how(text) or says_it_worked(text) is False for text in said):
        return True
    answers = [one.text for one in passages if one.tool and one.proves]
    if outcome == Outcome.FAILURE:
        return any(looks_failed(parsed(text)) for text in answers)
    return bool(answers)


def _is_record(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def asked(notes: Sequence[str], work: Work) -> list[Needless | None]:
    """Ask the model about each of these; None: it is needed, or there is no answer that says otherwise with a reason.

    NotNow: the model cannot be asked.
    """
    if not notes:
        return []
    language = work.transcript.language
    lines = ("\n  ".join(note.splitlines()) for note in notes)
    shown = "\n".join(f"[{number}] {line}" for number, line in enumerate(lines, start=1))
    text = llm.fenced(shown, what=WHAT[language], language=language)
    try:
        answer = work.ask(Notes, system=prompt(NAME, language), text=text, name=NAME, purpose=NAME)
    except llm.NotNow:
        raise
    except llm.ModelError:
        return [None] * len(notes)
    reasons = {one.number: " ".join(one.reason.split()) for one in answer.notes if not one.needed}
    repeated = [reason for reason, times in Counter(reasons.values()).items() if times > 1]
    said = [reasons.get(number, "") for number in range(1, len(notes) + 1)]
    return [None if reason in repeated else _needless(reason, but=prompt(NAME, language)) for reason in said]


def _needless(reason: str, *, but: str) -> Needless | None:
    """A reason that also stands beside another note, or in the instructions (`but`), is none: weak models copy it."""
    if not reason or reason in but or prompt_injection.is_in(reason):
        return None
    return Needless(Redundancy.Why.MODEL, credentials.masked(reason)[:LONGEST_REASON])


def keep(memory: Memory, needless: Needless | None, *, at: datetime) -> None:
    """Have a person asked about a candidate, or not. Within the transaction that writes it."""
    if memory.status != Status.CANDIDATE:
        return
    if needless is None:
        Redundancy.objects.filter(pk=memory.pk).delete()
    else:
        facts = {"why": needless.why, "reason": needless.reason, "at": at}
        Redundancy.objects.update_or_create(memory=memory, defaults=facts)
