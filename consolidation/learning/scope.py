"""The runs that a competence is learned from, and what of them may be repeated in it."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from uuid import UUID

from consolidation.learning import errors, terms, values
from consolidation.learning.lexicon import PLAIN, STOP
from consolidation.learning.privacy import Holders, personal, safe
from consolidation.learning.runs import Call, Run
from consolidation.learning.signatures import effects, exact, is_read_only

Test = Callable[[Run], bool]
FEW_VALUES = 8  # a field with more values than these, or with fewer than 3 runs for each, is no category


def ordered(runs: Iterable[Run]) -> list[Run]:
    """Each once, by time: the order in which they came does not matter."""
    return sorted({run.id: run for run in runs}.values(), key=lambda run: (run.at, str(run.id)))


def count(runs: Iterable[Run], test: Test) -> int:
    return sum(1 for run in runs if test(run))


def ranked(named: Iterable[str]) -> list[tuple[str, int]]:
    """How often each stands there: the most frequent first, equal ones by name."""
    return sorted(Counter(named).items(), key=lambda pair: (-pair[1], pair[0]))


@dataclass(frozen=True, eq=False)
class Scope:
    """The pattern's runs and the others of the scope, ordered, with the vocabulary that all of them share."""

    runs: Sequence[Run]
    others: Sequence[Run]
    ignored: Collection[str] = ()
    marked: Mapping[str, bool] = field(default_factory=dict)

    @cached_property
    def all(self) -> list[Run]:
        return ordered([*self.runs, *self.others])

    @cached_property
    def ids(self) -> set[UUID]:
        return {run.id for run in self.runs}

    @cached_property
    def successes(self) -> list[Run]:
        return [run for run in self.runs if run.succeeded]

    @cached_property
    def failures(self) -> list[Run]:
        return [run for run in self.runs if run.failed]

    def changes(self, tool: str) -> bool:
        """Has this tool an effect?"""
        return tool not in self.ignored and not is_read_only(tool, self.marked)

    def effects(self, run: Run) -> str:
        return effects(run, self.ignored, self.marked)

    def exact(self, run: Run) -> str:
        return exact(run, self.ignored)

    @cached_property
    def names(self) -> set[str]:
        """Words that are mostly written with a capital inside a clause, or stand in fields of personal details."""
        capital: Counter[str] = Counter()
        small: Counter[str] = Counter()
        for run in self.all:
            capital.update(run.names[0])
            small.update(run.names[1])
        return {word for word in capital if capital[word] >= small[word]} | self._personal

    @cached_property
    def _personal(self) -> set[str]:
        found: set[str] = set()
        for run in self.all:
            for path, leaf in _leaves(run):
                if isinstance(leaf, str) and len(leaf) < 80 and any(map(personal, _keys(path)[-2:])):
                    found.update(word.lower() for words in terms.sentences(leaf) for word in words)
        return found - STOP - PLAIN

    def names_nobody(self, text: str) -> bool:
        """No id, no mask, no name of a person or place."""
        return safe(text) and not self.names.intersection(text.lower().split())

    @cached_property
    def _words(self) -> Holders:
        holders = Holders()
        for run in self.all:
            texts = [run.opening, *(_short_text(call) for call in run.steps)]
            holders.add({w.lower() for text in texts for words in terms.sentences(text) for w in words}, run.thread)
        return holders

    def may_quote(self, word: str) -> bool:
        """May this word of a tool's text stand in a skill?"""
        low = word.lower()
        return low in PLAIN or low in STOP or (self.names_nobody(low) and self._words.common(low))

    @cached_property
    def _values(self) -> tuple[Holders, dict[str, list[set[str]]]]:
        """Who holds which key and which value of a field, and per field the values and the runs."""
        holders = Holders()
        known: dict[str, list[set[str]]] = {}
        for run in self.all:
            held: set[str] = set()
            for tool, kind, path, leaf in _fields(run):
                held.update(f"key:{key}" for key in path)
                if isinstance(leaf, str) and len(leaf) <= 80:
                    place = f"{tool}:{kind}:{values.spelled(path)}"
                    held.add(f"{place}:{leaf}")
                    seen = known.setdefault(place, [set(), set()])
                    seen[1].add(str(run.id))
                    if len(seen[0]) <= FEW_VALUES:
                        seen[0].add(leaf)
            holders.add(held, run.thread)
        return holders, known

    def may_show(self, tool: str, kind: str, path: values.Path, leaf: object) -> bool:
        """May this value of a field of the `args` or the `result` stand in a skill? Only where it is one of few."""
        if isinstance(leaf, bool):
            return True
        if not isinstance(leaf, str) or any(map(personal, path)) or not safe(leaf):
            return False
        holders, known = self._values
        place = f"{tool}:{kind}:{values.spelled(path)}"
        found, runs = known.get(place, [set(), set()])
        few = len(found) <= FEW_VALUES and len(runs) >= 3 * len(found)
        return few and holders.common(f"{place}:{leaf}") and not self._personal.intersection(leaf.lower().split())

    def may_name(self, key: str) -> bool:
        """Is this key of an object a field of its kind, and not somebody's id or name?"""
        if key == values.ITEM:
            return True
        plain = safe(key) and key.replace("_", "").replace("-", "").isalpha()
        return plain and self._values[0].common(f"key:{key}")

    def shown(self, path: values.Path) -> values.Path:
        """A path with `*` for the keys that may not be named."""
        return tuple(key if self.may_name(key) else "*" for key in path)


def _short_text(call: Call) -> str:
    """What a tool says in words: an error, or a result of one line."""
    if call.failed:
        return errors.message(call.returned)[:500]
    return call.returned if isinstance(call.returned, str) and len(call.returned) <= 80 else ""


def _leaves(run: Run) -> Iterator[tuple[values.Path, object]]:
    for _, _, path, leaf in _fields(run):
        yield path, leaf


def _fields(run: Run) -> Iterator[tuple[str, str, values.Path, object]]:
    """Every scalar of the arguments and results of a run: tool, `args` or `result`, path, value."""
    for call in run.steps:
        for path, leaf in values.leaves(call.arguments):
            yield call.name, "args", path, leaf
        for path, leaf in values.leaves(call.returned):
            yield call.name, "result", path, leaf


def _keys(path: values.Path) -> list[str]:
    return [key for key in path if key != values.ITEM]
