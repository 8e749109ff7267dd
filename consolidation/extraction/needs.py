"""Whether an experienced agent would need what a model read in a conversation. What nobody needs is kept and found like
the rest, and no person is asked about it (`consolidation.models.Redundancy`).

What a tool's record shows needs no memory, and talk in which nobody works teaches no skill; the model is asked about
the rest, with a reason. In doubt a person is asked. The same question asks of a fact whether its words say it.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from pydantic import BaseModel

from consolidation import llm
from consolidation.extraction.steps import Needless, Opinion, Question, Work
from consolidation.extraction.transcripts import SPACES, Passage, Transcript, comparable
from consolidation.learning.runs.errors import looks_failed
from consolidation.learning.runs.values import parse_json
from consolidation.learning.statements.outcome_statements import instructs, says_it_worked
from consolidation.models import Redundancy
from consolidation.prompts import prompt
from memories.models import Memory
from memories.scanning import credentials, prompt_injection
from memories.values.choices import Outcome, Status

NAME = "need"
LONGEST_REASON = 300
WHAT = {"en": "the notes", "zh": "笔记"}


class NoteAnswer(BaseModel):
    """What the model says of one note, in the order in which it is to think."""

    number: int
    said: bool | None = None
    reason: str = ""
    needed: bool = True


class Answer(BaseModel):
    notes: list[NoteAnswer]


OF_A_RECORD = Opinion(Needless(Redundancy.Why.SHOWN))


def is_of_a_record(value: str, passage: Passage, transcript: Transcript) -> bool:
    """Whether a field of a record proves it, which a tool shows the next agent too, and no user spoke of it."""
    if not passage.tool or not _is_record(passage.text):
        return False
    words = comparable(value)
    return not any(earlier.speaker == "user" and words in earlier.comparable for earlier in transcript.passages)


def is_taught(passages: Sequence[Passage], outcome: str | None) -> bool:
    """Whether the messages of a task show more than talk: a tool answered, or the user said how it is to be done. Of a
    conversation that failed only an error or the user's words teach anything.
    """
    user_texts = [passage.text for passage in passages if passage.speaker == "user"]
    if any(instructs(text) or says_it_worked(text) is False for text in user_texts):
        return True
    answers = [passage.text for passage in passages if passage.tool and passage.proves]
    if outcome == Outcome.FAILURE:
        return any(looks_failed(parse_json(text)) for text in answers)
    return bool(answers)


def _is_record(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def ask_about(questions: Sequence[Question], work: Work) -> list[Opinion]:
    """Ask the model about all of these at once; an empty opinion: there is no answer that says otherwise with a reason.
    The answer is kept for these very notes.

    NotNow: the model cannot be asked.
    """
    if not questions:
        return []
    language, most = work.transcript.language, len(questions)
    doubles = [Question(question.counterpart, question.words) for question in questions if question.counterpart]
    lines = enumerate(map(_line, (*questions, *doubles)), start=1)
    text = llm.fenced("\n".join(f"[{n}] {line}" for n, line in lines), what=WHAT[language], language=language)
    name = f"{NAME} {sha256(text.encode()).hexdigest()[:8]}"
    try:
        answer = work.ask(Answer, system=prompt(NAME, language), text=text, name=name, purpose=NAME)
    except llm.NotNow:
        raise
    except llm.ModelError:
        return [Opinion()] * most
    answers_by_number = {note.number: note.said for note in answer.notes}
    faults = [fault(answers_by_number.get(n), answers_by_number.get(most + n)) for n in range(1, most + 1)]
    return list(map(Opinion, _all_needless(answer, most, but=prompt(NAME, language)), faults))


def _line(question: Question) -> str:
    words = [f"words: {json.dumps(question.words, ensure_ascii=False)}"] if question.words else []
    return "\n  ".join([*question.note.splitlines(), *words])


def _all_needless(answer: Answer, most: int, *, but: str) -> list[Needless | None]:
    needless = [note for note in answer.notes if not note.needed and note.number <= most]
    reasons = {need.number: " ".join(need.reason.split()) for need in needless}
    copied_reasons = [reason for reason, times in Counter(reasons.values()).items() if times > 1]
    reasons_in_order = [reasons.get(number, "") for number in range(1, most + 1)]
    return [None if reason in copied_reasons else _needless(reason, but=but) for reason in reasons_in_order]


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


DENIED, UNDECIDED = "denied_when_asked", "not_told_apart"
LONGEST_WORDS = 300  # characters of a message that are shown around a quote


class Claim(NamedTuple):
    subject: str
    predicate: str
    object: str


def counterpart(claim: Claim, words: str, subjects: Iterable[str]) -> Claim:
    """The claim with the first of these other subjects that the words do not name; without one, turned round."""
    names_said = comparable(f"{claim.subject} {words}")
    other = next(
        (subject for subject in subjects if comparable(subject) not in names_said and comparable(subject) != ""), ""
    )
    return claim._replace(subject=other) if other else Claim(claim.object, claim.predicate, claim.subject)


def words_around(text: str, quote: str) -> str:
    """The message of a quote, with its speaker's name where it begins with one; of a long one the part around it."""
    if len(text) <= LONGEST_WORDS:
        return text
    text = SPACES.sub(" ", text)  # as they are compared
    at, size = max(comparable(text).find(comparable(quote)), 0), max(LONGEST_WORDS, len(quote))
    start = max(0, min(at - (size - len(quote)) // 2, len(text) - size))
    return f"{'… ' if start else ''}{text[start : start + size]}"


def fault(is_said: bool | None, is_counterpart_said: bool | None) -> str:
    """What the model's answers about a fact and its counterpart say against it, or "". None: it gave no answer."""
    if is_said is False:
        return DENIED
    return UNDECIDED if is_said and is_counterpart_said else ""
