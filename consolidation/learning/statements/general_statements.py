"""Recognise what a user says of how things are in general, where a short reply rejects an answer or a piece of work:
definitions, units, which records count, what belongs to whom ("refunds count in the month of their order").

In English such a clause has a subject without an article, or a verb that defines ("the price column includes VAT"):
"the button is on the left" is of the task at hand. Precise rather than complete, because a person reads each one.
"""

import re
from collections.abc import Callable, Iterator

from consolidation.learning.statements import general_forms as forms
from consolidation.learning.statements.explicit_statements import ExplicitStatement, sentences
from memories.values import text

LONGEST_REPLY = 400  # characters; a longer message is a task or a list of data
LEAST_WORDS, LEAST_CHARACTERS, LONGEST = 4, 6, 280
_REJECTION = re.compile(forms.REJECTION, re.IGNORECASE)
_ENDS = " .!。！,，;；"
_OF_SPEAKER = re.compile(r"\bmy\b|我的", re.IGNORECASE)  # as customers speak, of their phone or order


def general_statements(reply: str) -> list[ExplicitStatement]:
    """The general statements of a reply that rejects something, at most one of a sentence; in order, each once."""
    if len(reply) > LONGEST_REPLY or _OF_SPEAKER.search(reply) or not _REJECTION.search(reply.replace("’", "'")):
        return []
    statements = (statement for sentence in sentences(reply) if (statement := _of_sentence(sentence)))
    return list({statement.text: statement for statement in statements}.values())


def _of_sentence(sentence: str) -> ExplicitStatement | None:
    plain = sentence.replace("’", "'")
    is_chinese = text.detect_lang(plain) == "zh"
    tail, is_general = (forms.TAIL_CHINESE, _is_general_chinese) if is_chinese else (forms.TAIL, _is_general)
    opening, following = (forms.OPENING_CHINESE, forms.NEXT_CHINESE) if is_chinese else (forms.OPENING, forms.NEXT)
    for start in _clause_starts(plain, opening, following):
        if is_general(tail.sub("", plain[start:]).rstrip(_ENDS)):
            begin = _before_list(plain, start, is_general)
            clause = tail.sub("", plain[begin:]).rstrip(_ENDS)
            return ExplicitStatement(sentence[begin : begin + len(clause)], sentence)
    return None


def _before_list(sentence: str, start: int, is_general: Callable[[str], bool]) -> int:
    """Return where a list of subjects begins that a clause ends: "power, water and telephone are finance's"."""
    for subjects in forms.SUBJECTS.finditer(sentence):
        whole_clause = subjects[1].replace(",", "") + sentence[subjects.end() :]
        if subjects.start(1) < start <= subjects.end() and is_general(whole_clause.rstrip(_ENDS)):
            return subjects.start(1)
    return start


def _clause_starts(sentence: str, opening: re.Pattern[str], following: re.Pattern[str]) -> Iterator[int]:
    first = opening.match(sentence)
    yield first.end() if first else 0
    for match in following.finditer(sentence):
        yield match.end()


def _is_general(clause: str) -> bool:
    if len(clause.split()) < LEAST_WORDS or len(clause) > LONGEST:
        return False
    return bool(forms.GENERAL.match(clause)) and not forms.OF_HERE.search(clause)


def _is_general_chinese(clause: str) -> bool:
    if not LEAST_CHARACTERS <= len(clause) <= LONGEST:
        return False
    return bool(forms.GENERAL_CHINESE.search(clause)) and not forms.OF_HERE_CHINESE.search(clause)
