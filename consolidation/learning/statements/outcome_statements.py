"""What a user says of work that was just done: that it worked, or that it did not.

Precise rather than broad: only plain sentences about the work itself count, no question, no condition, no wish. "That
works for me" agrees to a plan, "the checkout does not work" may be a new task; neither says how the last run ended.
"""

import re

from consolidation.learning.statements.answer_forms import ACCEPTED, ACCEPTED_CHINESE, REFUSED, REFUSED_CHINESE
from consolidation.learning.statements.outcome_forms import (
    ASKED,
    BUT,
    FAILED,
    FAILED_CHINESE,
    FAILED_GERMAN_SPANISH,
    OPEN,
    OPEN_CHINESE,
    OPEN_GERMAN_SPANISH,
    QUALIFIED,
    WORKED,
    WORKED_CHINESE,
    WORKED_GERMAN_SPANISH,
)
from consolidation.learning.statements.service_forms import ILL, ILL_CHINESE, WELL, WELL_CHINESE

LONGEST = 600  # characters that are read of a message
MOST_SENTENCES = 4
SENTENCE = re.compile(r"(?:[^.!?\n。！？；]|\.(?=\w))+[.!?。！？；]*")  # a version or a file's name is in one
_APPROVAL = (WORKED, WORKED_CHINESE, WORKED_GERMAN_SPANISH, ACCEPTED_CHINESE, WELL_CHINESE)
_REJECTION = (FAILED, FAILED_CHINESE, FAILED_GERMAN_SPANISH, REFUSED, REFUSED_CHINESE, ILL, ILL_CHINESE)
_APOSTROPHE = re.compile(r"\b(did|does|do|is|are|was|wo|ca|has|have)nt\b", re.IGNORECASE)
_FENCE = re.compile(r"```.*?(?:```|\Z)|`[^`]*`|^>.*$|<[^>]{0,200}>", re.DOTALL | re.MULTILINE)


def says_it_worked(text: str) -> bool | None:
    """Whether a user's message says that what was done worked; None: it says neither, or both, or not wholly."""
    answers = {answer for sentence in _sentences(text) if (answer := _told(sentence)) is not None}
    whole = _FENCE.sub(" ", text)[:LONGEST]
    if answers == {True}:
        return None if BUT.search(whole) else True
    return False if answers == {False} else None


def _sentences(text: str) -> list[str]:
    plain = _APOSTROPHE.sub(r"\1n't", _FENCE.sub(" ", text)[:LONGEST].replace("’", "'"))
    return [part.strip() for part in SENTENCE.findall(plain) if part.strip()][:MOST_SENTENCES]


def _told(sentence: str) -> bool | None:
    """Of one sentence. A failure may have its condition ("it still fails when ..."), a success may not."""
    if OPEN_GERMAN_SPANISH.search(sentence):
        return None
    if sentence.rstrip().endswith(("?", "？")) or ASKED.search(sentence) or OPEN_CHINESE.search(sentence):
        return None
    if any(words.search(sentence) for words in _REJECTION):
        return False
    if (ACCEPTED.search(sentence) or WELL.search(sentence)) and not QUALIFIED.search(sentence):
        return True
    if OPEN.search(sentence):
        return None
    return True if any(words.search(sentence) for words in _APPROVAL) else None
