"""Where the arguments of a call came from: the user's words, or a field of an earlier result."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from consolidation.learning.runs import Call, Run
from consolidation.learning.scope import Scope
from consolidation.learning.values import Path, leaves, spelled

LONGEST_SPEECH = 30_000
_TOKEN = re.compile(r"[\w@][\w@.+#/:-]*")
USER = "user"
OWN = "own"


@dataclass(frozen=True)
class Origin:
    """`tool` is '' for the user's message; `own` words were written by the agent itself."""

    kind: str
    tool: str = ""
    path: Path = ()


def arguments(scope: Scope, runs: Sequence[Run]) -> dict[tuple[str, str], Counter[Origin]]:
    """Per tool and argument path how often a value came from where; values that nobody said before do not count."""
    found: dict[tuple[str, str], Counter[Origin]] = defaultdict(Counter)
    for run in runs:
        for tool, path, origin in trace(run):
            shown = Origin(origin.kind, origin.tool, scope.shown(origin.path))
            found[tool, spelled(path)][shown] += 1
    return found


def trace(run: Run) -> Iterator[tuple[str, Path, Origin]]:
    """Every traceable argument of the calls that worked. The first place where a value occurred is its source."""
    heard = _Heard(run)
    for call in run.steps:
        heard.until(call.position)
        if not call.failed:
            for path, leaf in leaves(call.arguments):
                origin = heard.origin(leaf)
                if origin:
                    yield call.tool.strip(), path, origin
        heard.read(call)


class _Heard:
    """What the agent knew at a point of the run."""

    def __init__(self, run: Run) -> None:
        self._coming = list(reversed(run.said))
        self._speech = ""
        self._words: set[str] = set()
        self._first: dict[str, Origin] = {}

    def until(self, position: int) -> None:
        while self._coming and self._coming[-1].position < position:
            text = self._coming.pop().text.lower()[:LONGEST_SPEECH]
            if len(self._speech) < LONGEST_SPEECH:
                self._speech += "\n" + text
                self._words.update(word.strip(".:-/") for word in _TOKEN.findall(text))

    def read(self, call: Call) -> None:
        """Remember what a result brought; an argument that it merely repeats is no news."""
        if call.failed:
            return
        told = {_key(leaf) for _, leaf in leaves(call.arguments)}
        for path, leaf in leaves(call.returned):
            key = _key(leaf)
            if key and key not in told:
                self._first.setdefault(key, Origin("result", call.tool.strip(), path))

    def origin(self, leaf: object) -> Origin | None:
        key = _key(leaf)
        if not key:
            return None
        if key in self._first:
            return self._first[key]
        if key in self._words or (_spaced(key) and key in self._speech):
            return Origin(USER)
        return Origin(OWN) if isinstance(leaf, str) and len(leaf.split()) >= 5 else None


def _key(leaf: object) -> str:
    """What to look for: not yes and no, not small numbers, which occur anywhere."""
    if isinstance(leaf, bool):
        return ""
    text = str(leaf).strip().lower()
    if len(text) > 200 or (isinstance(leaf, int | float) and len(text) < 3):
        return text if len(text) > 200 else ""
    return text if len(text) >= 3 or (text and ord(text[0]) > 0x2E80 and len(text) == 2) else ""


def _spaced(key: str) -> bool:
    return " " in key or "." in key or ord(key[0]) > 0x2E80
