"""Recognise plain statements by which users tell of themselves (what they prefer, do, where they live and work, dates),
and of whom a statement is: of the customer for whom the run worked, or of the speaker that it names.

Precise rather than complete: a sentence counts only when it opens with the first person and one of the forms, says
nothing hypothetical, past or wished, and can be understood alone. What a customer wishes is no rule of the project; an
id is the user's only when the dialogue says so ("my user id is ...", "your account ... is found") of one alone.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.learning.statements.explicit_statements import (
    LONGEST_MESSAGE,
    ExplicitStatement,
    is_question_or_report,
    sentences,
)
from consolidation.learning.statements.personal_forms import (
    CHINESE,
    DEICTIC,
    ENGLISH,
    NOT_PLAIN,
    NOT_PLAIN_CHINESE,
    TRIGGERS,
)
from memories.lexicon.chinese_words import HAN
from memories.values import roles, text

LONGEST, LONGEST_SENTENCE = 160, 280  # characters: what is longer tells a story
LEAST_WORDS, LEAST_CHARACTERS = 3, 4
_TRIGGER = re.compile("|".join(TRIGGERS), re.IGNORECASE)
_OPENING = re.compile(
    r"\W*(?:(?:unfortunately|luckily|sadly|fortunately|hi|hello|hey|ok|okay|thanks|thank you|great|perfect|also|and"
    r"|but|so|oh|yes|yeah|yep|yup|no|nope|sure"
    r"|actually|btw|by the way|well|wow|honestly|personally|haha|lol|for me|me too|same|besides"
    r"|另外|还有|对了|好的?|谢谢|嗯|哦|其实|对我来说)(?![\w'])(?:\s+(?!I\b|I'm\b|My\b)[A-Z]\w+(?=[,!.]))?[\s,:，：！!.—–-]*)*",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\s*(?:[,;—–]|\s-)\s*(?:(?:and|but|so|also|plus)\s+)?(?=(?:i|i'm|i've|my|we)\s)|\s+(?=i'm (?:\w+ly )?allergic to)",
    re.IGNORECASE,
)
_NEXT_CHINESE = re.compile(r"[，,；;](?:而且|并且|也|但是?|所以)?(?=我)")
# Where a reason or a next thought begins, which is not kept.
_TAIL = re.compile(
    r"\s*(?:[,;—–\x80-\x9f]|\s-)\s*(?:(?:so|and|but|because|'?cause|since|which|that's|it's|it|as)\b.*|(?:i|we|there"
    r"|what|how|thanks)\b.*)$"
    r"|\s+(?:because|'cause|cause|since|so that|which is why)\s.*$",
    re.IGNORECASE,
)
_TAIL_CHINESE = re.compile(r"[，,；;](?!但|不过|除非|尤其|特别是).*$")


def personal_statements(message: str) -> list[ExplicitStatement]:
    """What a user's message plainly tells of the user, in order, each once."""
    if len(message) > LONGEST_MESSAGE or not _TRIGGER.search(message):
        return []
    statements = (statement for sentence in sentences(message) for statement in _statements(sentence))
    return list({statement.text: statement for statement in statements}.values())


def _statements(sentence: str) -> Iterator[ExplicitStatement]:
    plain = sentence.replace("’", "'")
    if len(plain) > LONGEST_SENTENCE or is_question_or_report(plain):
        return
    is_chinese = text.detect_lang(plain) == "zh"
    for start, end in _clauses(plain, _NEXT_CHINESE if is_chinese else _NEXT):
        clause = (_TAIL_CHINESE if is_chinese else _TAIL).sub("", plain[start:end]).strip()
        if _is_plain_chinese(clause, plain) if is_chinese else _is_plain(clause):
            yield ExplicitStatement(sentence[start : start + len(clause)].rstrip(",;，； "), sentence)


def _clauses(sentence: str, following: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """(start, end) of each clause: the first after opening words, further ones at "and I" or "but I" after a comma."""
    first = _OPENING.match(sentence)
    starts = [first.end() if first else 0, *(match.end() for match in following.finditer(sentence))]
    yield from pairwise([*starts, len(sentence)])


def _is_plain(clause: str) -> bool:
    words = clause.rstrip(".! ")
    if len(words) > LONGEST or len(words.split()) < LEAST_WORDS or NOT_PLAIN.search(words) or DEICTIC.search(words):
        return False
    return any(form.match(words) for form in ENGLISH)


def _is_plain_chinese(clause: str, sentence: str) -> bool:
    words = clause.rstrip("。！!. ")
    if len(words) < LEAST_CHARACTERS or NOT_PLAIN_CHINESE.search(sentence):
        return False
    return any(form.fullmatch(words) for form in CHINESE)


LONGEST_NAME = 100
SHORTEST = 3
APART = 80  # characters between "my" and the id
_OWNERS = r"(?:user|customer|client|member|patient|guest|passenger|account|usuario|cliente|paciente)"
_OWNER_KEY = re.compile(rf"{_OWNERS}_?id|id_?{_OWNERS}", re.IGNORECASE)  # English puts the id last, Spanish first
_OF_USER = r"\b(?:my|mine|i am|i'm)\b|我的|我是|本人"
_OF_WORD = rf"[^\W{HAN}]"  # Chinese has no spaces between words
_OF_LISTENER = r"\byour\b|您的|你的"
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i'd|i've|me|my|mine|myself)\b|我(?!们)|本人", re.IGNORECASE)


def customer_of(run: Run) -> str:
    """Return the id of the one customer that the dialogue identifies as the user, of those in the run's calls; '' for
    none or several."""
    ids = sorted(_customer_ids(run))
    owner_forms = ((roles.USER, _OF_USER), (roles.ASSISTANT, _OF_LISTENER))
    user_ids = [id for id in ids if any(_is_tied(id, run, role, words) for role, words in owner_forms)]
    return user_ids[0] if len(user_ids) == 1 else ""


def names_a_customer(run: Run) -> bool:
    """Return whether the run looked up some customer, or acted for one, whoever its user is."""
    return bool(_customer_ids(run))


def is_of_speaker(text: str) -> bool:
    """Return whether a statement tells of the one who says it: "I prefer an aisle seat"."""
    return bool(_FIRST_PERSON.search(text.replace("’", "'")))


def with_owner(text: str, owner: str) -> str:
    """Return the statement with its owner's name before it, unless it contains the name as whole words."""
    return f"{owner}: {text}" if owner and not re.search(_word(owner), text, re.IGNORECASE) else text


def _word(name: str) -> str:
    """A regular expression for a name as a word of its own."""
    return rf"(?<!{_OF_WORD}){re.escape(name)}(?!{_OF_WORD})"


def _customer_ids(run: Run) -> set[str]:
    """Return the ids of customers that the run looked up or acted for."""
    return {_text(value) for call in run.steps for value in _ids(call)} - {""}


def _ids(call: Call) -> Iterator[Any]:
    result = call.parsed_result if isinstance(call.parsed_result, dict) else {}
    for fields in (call.arguments, result):
        yield from (value for key, value in fields.items() if _OWNER_KEY.fullmatch(str(key)))


def _text(value: Any) -> str:
    plain = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return plain if plain.isprintable() and SHORTEST <= len(plain) <= LONGEST_NAME else ""


def _is_tied(id: str, run: Run, role: str, words: str) -> bool:
    pattern = re.compile(rf"(?:{words})[^.?!\n。？！]{{0,{APART}}}?{_word(id)}", re.IGNORECASE)
    return any(pattern.search(message.text.replace("’", "'")) for message in run.messages_of(role))
