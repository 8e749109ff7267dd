"""Whether a statement that a model read in a conversation is grounded there: said of this subject, by who can know it.

A quote proves that words stand in the conversation, not that they say so. Three questions are asked of words alone; a
statement that passes is for a person to review, one that fails speaks of somebody or something else.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from consolidation.extraction.predicate_grounding import predicate_fault
from consolidation.extraction.transcripts import Passage, Transcript, comparable
from memories.claims import claim_of
from memories.lexicon.english_words import STOP
from memories.values.text import SENTENCE_ENDS, sentences

SUBJECT, OBJECT, SPEAKER = "subject_not_named", "object_not_said", "said_by_another"
AROUND = 300  # characters: the longest sentence that is read before a quote, and after it
THE_USER = {"user", "the user", "customer", "the customer", "client", "the client", "用户", "该用户", "客户"}
OF_SELF = {"i", "me", "my", "myself", "我", "本人"}
_PRONOUNS = OF_SELF | {"we", "you", "he", "she", "it", "they", "us", "him", "her", "them", "this", "that", "someone"}
_PRONOUNS |= {"我们", "你", "您", "你们", "他", "她", "它", "他们", "她们", "大家", "有人"}
_ROLES = frozenset(["user", "customer", "client", "person", "speaker", "team"])
_NAME = re.compile(r"(?<![\w'’])(?:[A-Z][\w'’-]*|\w*\d\w*)")
_HAN = re.compile(r"[\u3400-\u9fff]{2,}")
_FIRST_PERSON = re.compile(r"\b(?:i|i['’](?:m|d|ve|ll))\b|我(?!们|的)|本人", re.IGNORECASE)
_POSSESSIVE = re.compile(r"\b(?:my|mine|me|myself)\b|我的", re.IGNORECASE)
_TRUE = {"true", "yes", "是"}  # the predicate says it all: "is vegetarian"
_LATIN = r"[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2}"
_PERSON = rf"(?:{_LATIN}|[\u3400-\u9fff]{{2,4}})"
_NAMED = re.compile(  # how a user tells their name, and nothing else
    rf"\b[Mm]y name(?: is|['’]s) {_LATIN}|(?:^|,\s){_LATIN} here\b|(?:我叫|我的名字是)[\u3400-\u9fff]{{2,4}}"
)
_INTRODUCED = re.compile(rf"(?:\bI am|\bI['’]m|\b[Tt]his is|我是)\s?{_PERSON}")  # "I'm Canadian" tells no name
_GREETED = re.compile(
    rf"\b(?:[Hh]i|[Hh]ey|[Hh]ello|[Dd]ear),? (?:(?:Mr|Mrs|Ms|Dr)\.? )?(?!Sir\b|Madam\b|Customer\b|Team\b|There\b)"
    rf"(?P<name>{_LATIN})(?=[,.!?:\n]|$)"
)
_ADDRESSED = re.compile(
    r"(?:\b(?:[Hh]i|[Hh]ey|[Hh]ello|[Dd]ear|[Tt]hanks|[Tt]hank you|[Bb]ye|[Ww]ow|[Cc]ongrats|[Ss]orry|[Ss]ure|[Yy]eah)"
    r",? |(?<=[a-z]), (?=[A-Z][\w'’-]+[.!?]))(?P<name>[A-Z][\w'’-]+)"
)
_LINE_OF = re.compile(rf"^\s*(?P<name>{_PERSON})\s?[:：]")


def fault(subject: str, predicate: str, object: str, quote: str, passage: Passage, transcript: Transcript) -> str:
    """Return why the statement is not grounded in the passage that holds its quote, or "". Reasons: SUBJECT (its words
    are nowhere in the conversation), OBJECT (none of its words stands in or beside the quote, or a name of it
    nowhere), SPEAKER (somebody else said it of themselves), those of `predicate_fault`."""
    around = _around(passage.comparable, comparable(quote))
    if subject.casefold() in _PRONOUNS:
        return SUBJECT
    if subject.casefold() not in THE_USER and not _is_named(subject, transcript, but=_ROLES):
        return SUBJECT
    words = f"{predicate} {object}" if object.casefold() in _TRUE else object
    if not (_words(words) & _words(around) or any(run in around for run in _HAN.findall(words))):
        return OBJECT
    if not all(_is_named(name, transcript) for name in _NAME.findall(object) if name.casefold() not in STOP):
        return OBJECT
    if _of_another(subject, quote, passage, transcript):
        return SPEAKER
    return predicate_fault(subject, predicate, object, quote, around)


def subject_of(subject: str, quote: str, passage: Passage) -> str:
    """The subject; "I" is the person whose name stands before the line of the quote, else the user who wrote it."""
    if subject.casefold() not in OF_SELF:
        return subject
    if written := _LINE_OF.match(_line_of(quote, passage)):
        return written["name"]
    user = "用户" if _HAN.search(quote) else "the user"
    return user if passage.speaker == "user" else subject


def _line_of(quote: str, passage: Passage) -> str:
    return next((line for line in passage.text.splitlines() if comparable(quote) in comparable(line)), "")


def _around(text: str, quote: str) -> str:
    """The sentence that holds the quote, with the one before and the one after it."""
    at = text.find(quote)
    before, after = text[max(0, at - AROUND) : at], text[at + len(quote) : at + len(quote) + AROUND]
    starts = [end.end() for end in SENTENCE_ENDS.finditer(before)]
    ends = [end.start() for end in SENTENCE_ENDS.finditer(after)]
    start = starts[-2] if len(starts) > 1 else 0
    return before[start:] + quote + (after[: ends[1]] if len(ends) > 1 else after)


def _is_named(name: str, transcript: Transcript, but: frozenset[str] = frozenset()) -> bool:
    """Whether the conversation holds all words of a name; words of `but` are no part of it."""
    known, text = _known(transcript)
    return all(run in text for run in _HAN.findall(name)) and _words(_HAN.sub(" ", name)) - but <= known


@lru_cache(8)
def _known(transcript: Transcript) -> tuple[frozenset[str], str]:
    text = "\n".join(passage.comparable for passage in transcript.passages)
    return frozenset().union(*(_words(passage.comparable) for passage in transcript.passages)), text


def _words(text: str) -> frozenset[str]:
    return claim_of(text).tokens if text.strip() else frozenset()


def _of_another(subject: str, quote: str, passage: Passage, transcript: Transcript) -> bool:
    """Whether the quote speaks of its speaker in the first person, and the subject is somebody else; or stands in the
    named line of one who speaks of nobody else, and the subject has lines of their own."""
    wanted = _words(subject)
    if passage.speaker != "user" or wanted & _words(quote) or subject.casefold() in THE_USER:
        return False
    line = _line_of(quote, passage)
    if _LINE_OF.match(line) and not wanted & _words(line) and wanted & _speakers_of_lines(transcript):
        return True
    if not (_FIRST_PERSON.search(quote) or _POSSESSIVE.search(quote)):
        return False
    if written := _LINE_OF.match(line):
        return not wanted & _words(written["name"])
    addressed = _all_words(_addressed(transcript, "user", _ADDRESSED))
    named = _all_words([*_sentences(transcript, _NAMED), *_addressed(transcript, "agent", _GREETED)]) - addressed
    if named and _FIRST_PERSON.search(quote):
        return not wanted & (named | _all_words(_sentences(transcript, _INTRODUCED)))
    return bool(wanted & addressed)


@lru_cache(8)
def _speakers_of_lines(transcript: Transcript) -> frozenset[str]:
    """The words of the names that stand before lines."""
    return frozenset().union(*map(_words, speakers(transcript)))


def speakers(transcript: Transcript) -> list[str]:
    """The names that stand before lines, in their order."""
    lines = (line for passage in transcript.passages for line in passage.text.splitlines())
    return list(dict.fromkeys(match["name"] for line in lines if (match := _LINE_OF.match(line))))


def _all_words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _words(text)}


def _sentences(transcript: Transcript, pattern: re.Pattern[str]) -> Iterator[str]:
    """The sentences in which the user says who they are."""
    for passage in transcript.passages:
        if passage.speaker == "user":
            yield from (sentence for sentence in sentences(passage.text) if pattern.search(sentence))


def _addressed(transcript: Transcript, by: str, pattern: re.Pattern[str]) -> Iterator[str]:
    for passage in transcript.passages:
        if passage.speaker == by:
            yield from (match["name"] for match in pattern.finditer(passage.text))
