"""Sheets, files and buttons that are named after a person whom the run is about: `write sheet Anna of hours.xlsx` ->
`write sheet {name} of hours.xlsx`.

The sheets of all persons thereby count as one, and no name comes into a skill's title. Names are taken from fields of
records and forms, and from the request: "for Anna", "Anna's", "Frau Holm".
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from consolidation.learning.runs import operations, terms, values
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.privacy import TITLE, personal
from memories.lexicon.english_verbs import OF_TOOLS
from memories.lexicon.english_words import STOP_OF_REQUESTS
from memories.lexicon.tool_words import PLAIN

MOST_WORDS = 4  # of a name
_NAME_FIELD = re.compile(
    r"(?:^|[_ ])(?:name|who|wer|person|staff|kund(?:e|in)|mitarbeiter(?:in)?|姓名|员工|客户)$", re.I
)
_CAPITAL = r"[A-ZÀ-Ý][^\W\d_]+(?:[ -][A-ZÀ-Ý][^\W\d_]+)?"
_REQUESTED_NAME = re.compile(rf"(?<!\w)(?:for|für|pour|para) ({_CAPITAL})|({_CAPITAL})['’]s\b|{TITLE}\.? ({_CAPITAL})")
_WORD = re.compile(r"(?<!\{)[^\W\d_]+(?!\})")
_SLOTS = re.compile(rf"{re.escape(operations.NAME)}(?:[ _.,-]*{re.escape(operations.NAME)})+")
_NOBODY = PLAIN | OF_TOOLS | STOP_OF_REQUESTS
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def without_people(calls: tuple[Call, ...], user_text: str) -> tuple[Call, ...]:
    """Return the calls with `{name}` in the names of sheets and buttons for the words that name people of the run.

    `user_text`: the user's messages.
    """
    if not any(call.sheet or call.button for call in calls):
        return calls
    people = _people(calls, user_text)
    return tuple(with_name_slots(call, people) if call.sheet or call.button else call for call in calls)


def with_name_slots(call: Call, people: Collection[str]) -> Call:
    """Return the call of a sheet or button with `{name}` for these words, given in lower case."""
    verb = re.match(rf"(?:{operations.WRITE_SHEET}|{operations.READ_SHEET}) ", call.sheet)
    begin = verb[0] if verb else ""
    sheet = begin + _with_slots(call.sheet[len(begin) :], people)
    return replace(call, sheet=sheet, button=_with_slots(call.button, people))


def _with_slots(name: str, people: Collection[str]) -> str:
    text = _WORD.sub(lambda word: operations.NAME if word[0].lower() in people else word[0], name)
    return _SLOTS.sub(operations.NAME, text)


def _people(calls: Iterable[Call], user_text: str) -> frozenset[str]:
    """Return the words of people's names, each as it may be spelled in the name of a file."""
    requested_names = [next(filter(None, match.groups())) for match in _REQUESTED_NAME.finditer(user_text)]
    words = {word.lower() for name in [*_names_in_records(calls), *requested_names] for word in _WORD.findall(name)}
    words -= _NOBODY | terms.capitals(user_text)[1]
    return frozenset(spelling for word in words if len(word) > 1 for spelling in _spellings(word))


def _names_in_records(calls: Iterable[Call]) -> Iterator[str]:
    for call in calls:
        for path, leaf in [*values.leaves(call.arguments), *values.leaves(call.parsed_result)]:
            is_name = any(personal(key) or ((call.sheet or call.button) and _NAME_FIELD.search(key)) for key in path)
            if is_name and isinstance(leaf, str) and len(leaf.split()) <= MOST_WORDS:
                yield leaf


def _spellings(word: str) -> set[str]:
    return {word, word.translate(_UMLAUTS), unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode()}
