"""Whether a statement that a model read in a conversation is grounded there: said of this subject, by who can know it.

A quote proves that words stand in the conversation, not that they say so. Three questions are asked of words alone; a
statement that passes is for a person to review, one that fails speaks of somebody or something else.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

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
_LETTER = r"[^\W\u3400-\u9fff]"  # Chinese around a name or a number is no part of it
_NAME = re.compile(rf"(?<!{_LETTER})(?<!['’])(?:[A-Z](?:{_LETTER}|['’-])*|{_LETTER}*\d{_LETTER}*)")
_HAN = re.compile(r"[\u3400-\u9fff]{2,}")
_HAN_PARTICLES = "的之里中上下内外和与及、"  # between the words of a subject
_COMPANY = re.compile(  # the end of a company's name, with the last sign of what it is called
    rf"(?![{_HAN_PARTICLES}])[\u3400-\u9fff](?:物流|贸易|商贸|科技|集团|银行|食品|电子|软件|网络|航空|保险|制药|地产|酒店|医院|学校|"
    r"大学|餐厅|面包店|工厂)"
)
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
_QUESTION = re.compile(r"[^.!?。！？]*[?？]")
_LINE_OF = re.compile(rf"^\s*(?P<name>{_PERSON})\s?[:：]")


def fault(subject: str, predicate: str, object: str, quote: str, passage: Passage, transcript: Transcript) -> str:
    """Return why the statement is not grounded in the passage that holds its quote, or "". Reasons: SUBJECT (its words
    are nowhere in the conversation), OBJECT (none of its words stands in or beside the quote, or a name of it
    nowhere), SPEAKER (somebody else said it of themselves), those of `predicate_fault`."""
    around = _around(passage.comparable, comparable(quote))
    if subject.casefold() in _PRONOUNS:
        return SUBJECT
    if subject.casefold() not in THE_USER and not is_known(subject, transcript):
        return SUBJECT
    words = f"{predicate} {object}" if object.casefold() in _TRUE else object
    if not (_shares(words, around) or _is_speaker(object, subject, quote, passage, transcript)):
        return OBJECT
    if not all(_is_named(name, transcript) for name in _NAME.findall(object) if name.casefold() not in STOP):
        return OBJECT
    if _of_another(subject, quote, passage, transcript):
        return SPEAKER
    return predicate_fault(subject, predicate, object, quote, around)


def subject_of(subject: str, quote: str, passage: Passage, transcript: Transcript) -> str:
    """The subject; "I" is the person whose name stands before the line of the quote, else the user who wrote it."""
    if subject.casefold() not in OF_SELF:
        return subject
    if name := _named_in(_line_of(quote, passage), transcript):
        return name
    user = "用户" if _HAN.search(quote) else "the user"
    return user if passage.speaker == "user" else subject


def is_question(quote: str, passage: Passage) -> bool:
    """Whether the user asks in the sentence with which the quote ends: that alone tells nothing of what is known."""
    words, text = comparable(quote), passage.comparable
    ends = _QUESTION.match(text[text.find(words) :], max(len(words) - 1, 0))
    return passage.speaker == "user" and ends is not None


def _shares(words: str, around: str) -> bool:
    """Whether the words around a quote hold one of these, or them as they are written: "14:00" is a time to claims."""
    if comparable(words) in around or _words(words) & _words(around):
        return True
    return any(run in around for run in _HAN.findall(words))


def _is_speaker(object: str, subject: str, quote: str, passage: Passage, transcript: Transcript) -> bool:
    """Whether the object is the user who says "my": "My assistant Tom ..." of "Tom is the assistant of Dana"."""
    introductions = _sentences(transcript, _NAMED), _sentences(transcript, _INTRODUCED)
    speaks = passage.speaker == "user" and _POSSESSIVE.search(quote) and _words(subject) & _words(quote)
    return bool(speaks) and bool(_words(object)) and _words(object) <= _all_words(chain(*introductions))


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


def is_known(subject: str, transcript: Transcript) -> bool:
    """Whether the conversation holds all names of a subject and at least half of its other words: "the staging
    environment" where they said "staging". A Chinese one consists of words of the conversation: "蓝石的对账单"."""
    known_words, text = _known(transcript)
    subject_words = _words(_HAN.sub(" ", subject)) - _ROLES
    has_all_names = all(
        _is_named(name, transcript) for name in _NAME.findall(subject) if name.casefold() not in _ROLES | STOP
    )
    return (
        has_all_names
        and len(subject_words - known_words) * 2 <= len(subject_words)
        and all(_consists_of(run, text) for run in _HAN.findall(subject))
    )


def share_of_words(text: str, transcript: Transcript) -> float:
    """The share of the words of a text that the conversation holds."""
    words = _words(text)
    return len(words & _known(transcript)[0]) / max(len(words), 1)


def _consists_of(run: str, text: str) -> bool:
    """Whether a run of Chinese characters is made of pieces of the text, two characters or more, and of particles; what
    a company is called stands there together."""
    if not all(match[0] in text for match in _COMPANY.finditer(run)):
        return False
    reachable = {0}
    for start in range(len(run)):
        if start in reachable:
            reachable |= {end for end in range(start + 2, len(run) + 1) if run[start:end] in text}
            reachable |= {start + 1} if run[start] in _HAN_PARTICLES else set()
    return len(run) in reachable


def _is_named(name: str, transcript: Transcript) -> bool:
    """Whether the conversation holds all words of a name, or the name as it is written: "14" of a time, "March"."""
    known_words, text = _known(transcript)
    if re.search(rf"(?<!\w){re.escape(comparable(name))}(?!\w)", text):
        return True
    return all(run in text for run in _HAN.findall(name)) and _words(_HAN.sub(" ", name)) <= known_words


@lru_cache(8)
def _known(transcript: Transcript) -> tuple[frozenset[str], str]:
    text = "\n".join(passage.comparable for passage in transcript.passages)
    return frozenset().union(*(_words(passage.comparable) for passage in transcript.passages)), text


def _words(text: str) -> frozenset[str]:
    return claim_of(text).tokens if text.strip() else frozenset()


def _of_another(subject: str, quote: str, passage: Passage, transcript: Transcript) -> bool:
    """Whether the quote speaks of its speaker in the first person, and the subject is somebody else; or stands in the
    named line of one who speaks of nobody else, and the subject has lines of their own."""
    subject_words = _words(subject)
    if passage.speaker != "user" or subject_words & _words(quote) or subject.casefold() in THE_USER:
        return False
    line = _line_of(quote, passage)
    line_speaker = _named_in(line, transcript)
    if line_speaker and not subject_words & _words(line) and subject_words & _all_words(speakers(transcript)):
        return True
    if not (_FIRST_PERSON.search(quote) or _POSSESSIVE.search(quote)):
        return False
    if line_speaker:
        return not subject_words & _words(line_speaker)
    addressed_names = _all_words(_addressed(transcript, "user", _ADDRESSED))
    own_names = (
        _all_words([*_sentences(transcript, _NAMED), *_addressed(transcript, "agent", _GREETED)]) - addressed_names
    )
    if own_names and _FIRST_PERSON.search(quote):
        return not subject_words & (own_names | _all_words(_sentences(transcript, _INTRODUCED)))
    return bool(subject_words & addressed_names)


def _named_in(line: str, transcript: Transcript) -> str:
    """The speaker whose name stands before a line, or ""."""
    match = _LINE_OF.match(line)
    return match["name"] if match and match["name"] in speakers(transcript) else ""


@lru_cache(8)
def speakers(transcript: Transcript) -> tuple[str, ...]:
    """The names that stand before lines of people's: before most messages of the user, or of the agent, or most lines
    of one message. "Note: ..." now and then names nobody."""
    all_names: list[str] = []
    for role in ("user", "agent"):
        texts = (passage.text.splitlines() for passage in transcript.passages if passage.speaker == role)
        messages = [[line for line in lines if line.strip()] for lines in texts]
        is_chat = 2 * sum(bool(_names_before(lines[:1])) for lines in messages) > len(messages)
        of_chats = (
            names for lines in messages if 2 * len(names := _names_before(lines)) > max(2, len(lines)) or is_chat
        )
        all_names += [name for names in of_chats for name in names]
    return tuple(dict.fromkeys(all_names))


def _names_before(lines: Iterable[str]) -> list[str]:
    return [match["name"] for line in lines if (match := _LINE_OF.match(line))]


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
