"""The runs that a competence is learned from, and what of them may be repeated in it."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from consolidation.learning import errors, terms, values
from consolidation.learning.lexicon import PLAIN, STOP
from consolidation.learning.runs import Run
from consolidation.learning.signatures import effects, exact, is_read_only

HOLDING_RUNS = 3
HOLDING_THREADS = 2
_UNSAFE = re.compile(r"[\d@*•█▪]|\[[^\]]*\]|<[^>]*>|…|redacted|masked", re.IGNORECASE)
_PERSONAL = re.compile(
    r"(?:^|_)(?:(?:first|last|full|given|family|middle|user|display|nick)_?name|surname|e?mail|phone|mobile|address\w*|street|city|"
    r"dob|birth\w*|login|author|owner|assignee)$",
    re.IGNORECASE,
)


def ordered(runs: Iterable[Run]) -> list[Run]:
    return sorted({run.id: run for run in runs}.values(), key=lambda run: (run.at, str(run.id)))


def safe(text: str) -> bool:
    """No digit, no @, no mask: nothing that names one person or thing."""
    return bool(text.strip()) and len(text) <= 80 and "\n" not in text and not _UNSAFE.search(text)


class Holders:
    """Who holds a value: at least 3 runs of 2 threads make it common."""

    def __init__(self) -> None:
        self._runs: dict[str, set[str]] = defaultdict(set)
        self._threads: dict[str, set[str]] = defaultdict(set)

    def add(self, value: str, run: Run) -> None:
        self._runs[value].add(str(run.id))
        self._threads[value].add(run.thread)

    def common(self, value: str) -> bool:
        return len(self._runs.get(value, ())) >= HOLDING_RUNS and len(self._threads.get(value, ())) >= HOLDING_THREADS


@dataclass(frozen=True, eq=False)
class Scope:
    """The pattern's runs and the others of the scope, ordered, with the vocabulary that all of them share."""

    runs: Sequence[Run]
    others: Sequence[Run]
    ignored: Collection[str] = field(default=())
    marked: Mapping[str, bool] = field(default_factory=dict)

    @cached_property
    def all(self) -> list[Run]:
        return ordered([*self.runs, *self.others])

    @cached_property
    def ids(self) -> set[object]:
        return {run.id for run in self.runs}

    @cached_property
    def successes(self) -> list[Run]:
        return [run for run in self.runs if run.outcome == "success"]

    @cached_property
    def failures(self) -> list[Run]:
        return [run for run in self.runs if run.outcome == "failure"]

    def changes(self, tool: str) -> bool:
        """Has this tool an effect?"""
        return not is_read_only(tool, self.marked)

    def effects(self, run: Run) -> str:
        return effects(run, self.ignored, self.marked)

    def exact(self, run: Run) -> str:
        return exact(run, self.ignored)

    @cached_property
    def _spoken(self) -> dict[object, dict[str, str]]:
        return {run.id: terms.grams(run.opening) for run in self.all}

    def spoken(self, run: Run) -> dict[str, str]:
        """The terms of a run's opening: key -> as written."""
        return self._spoken[run.id]

    @cached_property
    def _names(self) -> set[str]:
        texts = (message.text[:2_000] for run in self.all for message in run.said[:20])
        return terms.proper_nouns(texts) | self._personal

    @cached_property
    def _personal(self) -> set[str]:
        """Words that stand in fields of personal details."""
        found: set[str] = set()
        for run in self.all:
            for call in run.steps:
                for value in (call.arguments, call.returned):
                    for path, leaf in values.leaves(value):
                        keys = [key for key in path if key != values.ITEM]
                        if isinstance(leaf, str) and len(leaf) < 80 and any(_PERSONAL.search(key) for key in keys[-2:]):
                            found.update(word.lower() for words in terms.sentences(leaf) for word in words)
        return found - STOP - PLAIN

    @cached_property
    def _term_holders(self) -> Holders:
        holders = Holders()
        for run in self.all:
            for term in self.spoken(run):
                holders.add(term, run)
        return holders

    def may_say(self, term: str, written: str) -> bool:
        """May this term of an opening stand in a skill?"""
        named = self._names.intersection(written.split())
        return safe(written) and not named and self._term_holders.common(term)

    @cached_property
    def _words(self) -> Holders:
        holders = Holders()
        for run in self.all:
            texts = [run.opening, *(errors.message(call.returned)[:500] for call in run.steps if call.failed)]
            for word in {w.lower() for text in texts for clause in terms.sentences(text) for w in clause}:
                holders.add(word, run)
        return holders

    def may_quote(self, word: str) -> bool:
        """May this word of an error message stand in a skill?"""
        low = word.lower()
        return low in PLAIN or low in STOP or (safe(low) and low not in self._names and self._words.common(low))

    @cached_property
    def _values(self) -> Holders:
        holders = Holders()
        for run in self.all:
            for call in run.steps:
                for kind, value in (("args", call.arguments), ("result", call.returned)):
                    for path, leaf in values.leaves(value):
                        for key in path:
                            holders.add(f"key:{key}", run)
                        if isinstance(leaf, str | bool) and len(str(leaf)) <= 80:
                            holders.add(f"{call.tool}:{kind}:{values.spelled(path)}:{leaf}", run)
        return holders

    def may_show(self, tool: str, kind: str, path: values.Path, leaf: object) -> bool:
        """May this value of an argument (`args`) or of a result (`result`) stand in a skill?"""
        if isinstance(leaf, bool):
            return True
        if not isinstance(leaf, str) or not safe(leaf) or any(_PERSONAL.search(key) for key in path):
            return False
        if self._personal.intersection(leaf.lower().split()):
            return False
        return self._values.common(f"{tool}:{kind}:{values.spelled(path)}:{leaf}")

    def may_name(self, key: str) -> bool:
        """Is this key of an object a field of its kind, and not somebody's id or name?"""
        return key == values.ITEM or (
            safe(key) and key.replace("_", "").replace("-", "").isalpha() and self._values.common(f"key:{key}")
        )

    def shown(self, path: values.Path) -> values.Path:
        """A path with `*` for the keys that may not be named."""
        return tuple(key if self.may_name(key) else "*" for key in path)


Counting = Callable[[Run], bool]


def count(runs: Iterable[Run], test: Counting) -> int:
    return sum(1 for run in runs if test(run))


def distribution(values_: Iterable[str]) -> list[tuple[str, int]]:
    """The most frequent first; equal ones by name."""
    return sorted(Counter(values_).items(), key=lambda pair: (-pair[1], pair[0]))
