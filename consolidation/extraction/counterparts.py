"""The counterpart of a fact: the same said of somebody else, or the other way round. Both are shown with the words that
prove the fact; a model that affirms the counterpart as well does not tell what the words say, and so proves nothing.

Weak models affirm most of what they are shown: of 22 facts that one had read it affirmed 14, and 15 of their
counterparts (docs/learning.md).
"""

from collections.abc import Iterable
from typing import NamedTuple

from consolidation.extraction.transcripts import SPACES, comparable

DENIED, UNDECIDED = "denied_when_asked", "not_told_apart"
LONGEST_WORDS = 300  # characters of a message that are shown around a quote


class Claim(NamedTuple):
    subject: str
    predicate: str
    object: str


def counterpart(claim: Claim, words: str, subjects: Iterable[str]) -> Claim:
    """The claim with the first of these other subjects that the words do not name; without one, turned round."""
    named = comparable(f"{claim.subject} {words}")
    other = next(
        (subject for subject in subjects if comparable(subject) not in named and comparable(subject) != ""), ""
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
