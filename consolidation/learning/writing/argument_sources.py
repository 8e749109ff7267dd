"""Where the values of a skill's arguments come from: the user's words, or a field of an earlier result."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.effects.toolnames import words
from consolidation.learning.facts.shown_records import key_of, keyed_values
from consolidation.learning.runs import values
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.operations import singular
from consolidation.learning.runs.run import Message, Run
from consolidation.learning.runs.values import DEEPEST, Path, joined_path, leaves
from memories.lexicon.chinese_words import HAN, KANA
from memories.lexicon.english_words import STOP_OF_REQUESTS

LONGEST_SPEECH = 30_000
LONGEST_KEY = 200
MOST_TEXTS = 40
LEAST_ID = 4
MOST_WORDS = 3  # of a state: what is longer is a text
PROSE = 5  # least words of what an agent writes itself; two Chinese characters are one
_CODE = re.compile(r"(?<![A-Z\d'-])[A-Z]{2}(?![A-Z\d'-])")
_HAN = re.compile(f"[{HAN}]")
_W = rf"[^\W{HAN}{KANA}]"  # Chinese and Japanese have no spaces: an id may stand between their characters
_NAME = rf"[^\W\d_{HAN}{KANA}]{{2,}}"
_COUNT = re.compile(rf"(?:({_NAME})(?: ?[:=])? )?(?<![\w.,:/+-])(\d{{1,2}})(?![\w.,:/]\d|\w)(?:[ -]({_NAME}))?")
_TOKEN = re.compile(rf"(?:{_W}|@)(?:{_W}|[@.+#/:-])*")


@dataclass(frozen=True)
class Origin:
    """Where a value came from.

    `opening` and `answer`: the user's first and later messages; `result`: `path` in what `tool` returned; `own`: the
    agent's words; `names`: those words contain the value of argument `path` of an earlier call.
    """

    kind: Literal["opening", "answer", "result", "own", "names"]
    tool: str = ""
    path: Path = ()


Sources = dict[tuple[str, str], Counter[Origin]]


def arguments(scope: Scope, runs: Sequence[Run]) -> Sources:
    """Count origins by (tool, argument path); values that did not occur before are not counted."""
    by_argument: Sources = defaultdict(Counter)
    for run in runs:
        for tool, path, origin in trace(run):
            shown_origin = Origin(origin.kind, origin.tool, scope.shown(origin.path))
            by_argument[tool, joined_path(scope.shown_argument(tool, path))][shown_origin] += 1
    return by_argument


def trace(run: Run) -> Iterator[tuple[str, Path, Origin]]:
    """Yield (tool, path, origin) of every traceable argument of the calls that worked.

    The first place where a value occurred is its origin. A user's correction of what a call sent is none: it follows
    a wrong call.
    """
    origins_so_far = _ValueOrigins(run)
    latest: dict[tuple[str, Set[str]], tuple[Message | None, Mapping[str, Any]]] = {}
    for call in run.steps:
        origins_so_far.until(call.position)
        if call.failed:
            if call.button:  # what a form refuses it says with the values that it takes
                origins_so_far.read(call)
            continue
        about, message = frozenset(_ids_sent(call)), run.user_message_before(call.position)
        message_before, arguments_before = latest.get((call.name, about), (message, call.arguments))
        is_again = bool(about) and message_before != message
        for path, leaf in leaves(call.arguments):
            is_corrected = is_again and arguments_before.get(path[0]) not in (None, call.arguments[path[0]])
            for origin in origins_so_far.origins(leaf, path, about):
                if origin.kind != "answer" or not is_corrected:
                    yield call.name, path, origin
        latest[call.name, about] = message, call.arguments
        origins_so_far.read(call)


class _ValueOrigins:
    """Values that the agent had seen up to a point of the run, with their origins."""

    def __init__(self, run: Run) -> None:
        self._messages_ahead = list(reversed(run.user_messages))
        self._speech = ""
        self._opening = 0  # characters of the first message
        self._origin_by_value: dict[str, Origin] = {}
        self._origin_by_count: dict[tuple[str, str], Origin] = {}  # small numbers with the words beside them: 5 days
        self._argument_by_value: dict[str, str] = {}
        self._result_texts: list[tuple[str, Origin]] = []  # of results, in small letters
        self._words: dict[str, list[tuple[Origin, set[str]]]] = defaultdict(list)  # with the ids of their records
        self._ids: set[str] = set()

    def until(self, position: int) -> None:
        """Add the user's messages before a position."""
        while self._messages_ahead and self._messages_ahead[-1].position < position:
            speech = self._messages_ahead.pop().text[:LONGEST_SPEECH]
            text, origin = speech.lower(), Origin("answer" if self._speech else "opening")
            for word in _TOKEN.findall(text):
                self._origin_by_value.setdefault(values.number(word.strip(".:-/")), origin)
            for date in values.dates(text):
                self._origin_by_value.setdefault(date, origin)
            for before, number, after in _COUNT.findall(text):
                for word_beside in {before, after} - {""} - STOP_OF_REQUESTS:
                    self._origin_by_count.setdefault((number, singular(word_beside)), origin)
            for word in _CODE.findall(speech):
                self._origin_by_value.setdefault(_key(word), origin)
            if len(self._speech) < LONGEST_SPEECH:
                self._speech += "\n" + text
            self._opening = self._opening or len(self._speech)

    def read(self, call: Call) -> None:
        """Add the values of a result; one that repeats an argument of the call is not new."""
        paths = {key: path for path, leaf in leaves(call.arguments) if (key := _key(leaf))}
        for token in _ids(call.parsed_result):
            if token not in paths:
                self._origin_by_value.setdefault(token, Origin("result", call.name))
        records: dict[str, set[str]] = defaultdict(set)
        _collect(call.parsed_result, _ids_sent(call), records)
        self._ids.update(*records.values())
        for path, leaf in leaves(call.parsed_result):
            if (key := _key(leaf)) and key not in paths and not self._is_in_speech(key):
                origin = Origin("result", call.name, path)
                self._origin_by_value.setdefault(key, origin)
                if key in records and len(self._words[key]) < MOST_TEXTS:
                    self._words[key].append((origin, records.pop(key)))
            if path and isinstance(leaf, str) and len(leaf.split()) >= PROSE:  # the text of a ticket names its order
                self._read_text(leaf, Origin("result", call.name, path), paths)
        self._argument_by_value.update(
            (key, path[-1]) for key, path in paths.items() if len(key) >= 4 and not _is_word(key) and " " not in key
        )

    def _is_in_speech(self, key: str) -> bool:
        return " " in key and len(key) <= LONGEST_KEY and key in self._speech

    def _read_text(self, text: str, origin: Origin, sent_values: Container[str]) -> None:
        for token in _ids(text):
            if token not in sent_values:
                self._origin_by_value.setdefault(token, origin)
        if len(self._result_texts) < MOST_TEXTS:
            self._result_texts.append((text[:LONGEST_SPEECH].lower(), origin))

    def _of_count(self, leaf: object, path: Path) -> list[Origin]:
        """Return where a small number stood beside a word of its argument's name, if anywhere."""
        counts = [(str(leaf), singular(word)) for word in (words(path[-1]) if path else ())]
        return [self._origin_by_count[count] for count in counts if count in self._origin_by_count][:1]

    def origins(self, leaf: object, path: Path, about: Set[str]) -> Iterator[Origin]:
        """Yield the origin of a value; of a longer text also the arguments whose values it contains.

        `path`: of its argument. `about`: ids that the call sends. A word (open, normal) then comes from a record of
        these alone.
        """
        key = _key(leaf)
        if not key:
            yield from self._of_count(leaf, path)
        elif key in self._origin_by_value:
            if self._origin_by_value[key].kind != "result" or not _is_word(key) or not (about := about & self._ids):
                yield self._origin_by_value[key]
            else:
                yield from [origin for origin, ids in self._words[key] if ids & about][:1]
        elif (not key.replace(".", "").isalnum() and " " not in key and key in self._speech) or (
            (" " in key or ord(key[0]) > 0x2E80) and len(key) <= LONGEST_KEY and key in self._speech
        ):
            yield Origin("opening" if key in self._speech[: self._opening] else "answer")
        elif (
            " " in key
            and len(key) <= LONGEST_KEY
            and (text_origins := [from_ for text, from_ in self._result_texts if key in text])
        ):
            yield text_origins[0]
        elif isinstance(leaf, str) and len(leaf.split()) + len(_HAN.findall(leaf)) // 2 >= PROSE:
            yield Origin("own")
            own_words = set(_TOKEN.findall(leaf[:LONGEST_SPEECH].lower()))
            for name in sorted(
                {self._argument_by_value[word] for word in own_words if word in self._argument_by_value}
            ):
                yield Origin("names", path=(name,))


def _ids_sent(call: Call) -> set[str]:
    return {key for _, key in keyed_values(call.arguments)}


def _collect(value: Any, ids: Set[str], records: dict[str, set[str]], depth: int = 0) -> None:
    """Add the words in a value, each with the ids that stand beside it or around it."""
    if depth >= DEEPEST:
        return
    inner_values = value if isinstance(value, list) else [*value.values()] if isinstance(value, dict) else []
    if isinstance(value, dict):
        scalars = [inner for inner in inner_values if not isinstance(inner, dict | list)]
        ids = ids | {key for inner in scalars if (key := key_of(inner))}
        for word in filter(_is_word, map(_key, scalars)):
            records[word] |= ids
    for inner in inner_values:
        _collect(inner, ids, records, depth + 1)


def _is_word(key: str) -> bool:
    return 0 < len(key.split()) <= MOST_WORDS and not any(map(str.isdigit, key))


def _ids(result: object) -> Iterator[str]:
    """Yield the words with a digit of a text, as they may be sent later."""
    if isinstance(result, str):
        for word in _TOKEN.findall(result[:LONGEST_SPEECH].lower()):
            if len(token := word.strip(".:-/")) >= LEAST_ID and any(map(str.isdigit, token)):
                yield values.number(token)
        yield from values.dates(result[:LONGEST_SPEECH])


def _key(leaf: object) -> str:
    """Return the search key of a value; '' for booleans, short numbers and short words, which occur anywhere.

    Codes of two capitals (a state, a language) match only as capitals.
    """
    if isinstance(leaf, bool):
        return ""
    if isinstance(leaf, str) and _CODE.fullmatch(leaf):
        return f"={leaf}"
    text = values.number(str(leaf).strip().lower())
    short = 2 if text and ord(text[0]) > 0x2E80 else 3
    return text if len(text) >= short else ""
