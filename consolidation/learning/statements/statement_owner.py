"""Of whom a user's statement is: of the customer for whom the run worked, or of the speaker that it names.

What a customer wishes is no rule of the project. Nothing is guessed: an id is the user's when the dialogue says so ("my
user id is ...", "your account ... is found"), and only when that is one.
"""

import re
from collections.abc import Iterator
from typing import Any

from consolidation.learning.runs.run import Call, Run
from memories.lexicon.chinese_words import HAN
from memories.values import roles

LONGEST = 100
SHORTEST = 3
APART = 80  # characters between "my" and the id
_OWNER_KEY = re.compile(r"(?:user|customer|client|member|patient|guest|passenger|account)_?id", re.IGNORECASE)
_OF_USER = r"\b(?:my|mine|i am|i'm)\b|我的|我是|本人"
_OF_WORD = rf"[^\W{HAN}]"  # Chinese has no spaces between words
_OF_LISTENER = r"\byour\b|您的|你的"
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i'd|i've|me|my|mine|myself)\b|我(?!们)|本人", re.IGNORECASE)


def customer_of(run: Run) -> str:
    """Return the id of the one customer that the run looked up or acted for, and that is the user; '' for none."""
    ids = sorted({_text(value) for call in run.steps for value in _ids(call)} - {""})
    owned = ((roles.USER, _OF_USER), (roles.ASSISTANT, _OF_LISTENER))
    own = [id for id in ids if any(_is_tied(id, run, role, words) for role, words in owned)]
    return own[0] if len(own) == 1 else ""


def is_of_speaker(text: str) -> bool:
    """Return whether a statement tells of the one who says it: "I prefer an aisle seat"."""
    return bool(_FIRST_PERSON.search(text.replace("’", "'")))


def with_owner(text: str, owner: str) -> str:
    """Return the statement with the name of the one whose it is before it, unless it names them: as words of their own,
    since "planning" names no Ann."""
    return f"{owner}: {text}" if owner and not _names(text, owner) else text


def _names(text: str, owner: str) -> bool:
    return re.search(_word(owner), text, re.IGNORECASE) is not None


def _word(name: str) -> str:
    """A regular expression for a name as a word of its own."""
    return rf"(?<!{_OF_WORD}){re.escape(name)}(?!{_OF_WORD})"


def _ids(call: Call) -> Iterator[Any]:
    returned = call.returned if isinstance(call.returned, dict) else {}
    for fields in (call.arguments, returned):
        yield from (value for key, value in fields.items() if _OWNER_KEY.fullmatch(str(key)))


def _text(value: Any) -> str:
    plain = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return plain if plain.isprintable() and SHORTEST <= len(plain) <= LONGEST else ""


def _is_tied(id: str, run: Run, role: str, words: str) -> bool:
    tied = re.compile(rf"(?:{words})[^.?!\n。？！]{{0,{APART}}}?{_word(id)}", re.IGNORECASE)
    return any(tied.search(message.text.replace("’", "'")) for message in run.spoken(role))
