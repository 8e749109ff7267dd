"""The runs that a competence is learned from, and what of them may be repeated in it."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING
from uuid import UUID

from consolidation.learning import errors, terms, values
from consolidation.learning.boilerplate import plain_line, template_lines
from consolidation.learning.effects import ToolRules, effects
from consolidation.learning.holdings import goods, place
from consolidation.learning.lexicon import PLAIN, PLAIN_ZH, STOP
from consolidation.learning.privacy import Holders, personal, safe
from consolidation.learning.runs import OPENING_CHARACTERS, Call, Run
from consolidation.learning.signatures import words
from consolidation.learning.terms import stem

if TYPE_CHECKING:
    from consolidation.learning.records import Record

Test = Callable[[Run], bool]
FEW_VALUES = 8
RUNS_PER_VALUE = 3
_FIELD = re.compile(r"[a-z]+(?:_[a-z]+)*_?[1-9]")  # address1, line_2
_NAME = re.compile(r"[A-Za-z_$][\w.$-]{0,63}")


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
    rules: ToolRules = field(default_factory=ToolRules)
    _fields: dict[str, Holders | None] = field(default_factory=dict)
    _effects: dict[UUID, frozenset[str]] = field(default_factory=dict)
    _terms: dict[UUID, dict[str, str]] = field(default_factory=dict)
    looked_up: "dict[UUID, list[Record]]" = field(default_factory=dict)  # kept by `records`

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
    def shown_by(self) -> list[Run]:
        """The runs that show how it is done: the successes, or all when none of these ended well. Those of a single
        case are joined by the successes in which it was a part of more."""
        return [*self.successes, *self.parts] or list(self.runs)

    @cached_property
    def parts(self) -> list[Run]:
        """What belongs to it in the successes that did more, where those that did only this are of one case."""
        own = self.effects(self.runs[0]) if self.runs else frozenset()
        if not own or len({run.thread for run in self.successes}) != 1:
            return []
        wider = (run for run in self.all if run.succeeded and own < self.effects(run))
        return [_part(run, own, self.rules) for run in wider]

    @cached_property
    def failures(self) -> list[Run]:
        return [run for run in self.runs if run.failed]

    def changes(self, tool: str) -> bool:
        """Has this tool an effect?"""
        return self.rules.is_effect(tool)

    def effects(self, run: Run) -> frozenset[str]:
        if run.id not in self._effects:
            self._effects[run.id] = effects(run, self.rules)
        return self._effects[run.id]

    @cached_property
    def _template(self) -> frozenset[str]:
        """The lines that come with the requests: of most requests of one source, or headings of long ones."""
        return template_lines(self.all)

    def opening_terms(self, run: Run) -> dict[str, str]:
        """The terms of what the user wanted, without the lines of a template."""
        if run.id not in self._terms:
            own = [line for line in run.opening_lines if plain_line(line) not in self._template]
            whole = not own or len(own) == len(run.opening_lines)
            self._terms[run.id] = run.opening_terms if whole else _grams("\n".join(own)[:OPENING_CHARACTERS])
        return self._terms[run.id]

    @cached_property
    def goods(self) -> frozenset[str]:
        """Stems of words that name things of a catalogue or places: values of fields with many different ones."""
        return goods(self.all, {stem(word) for run in self.all for tool in run.tools for word in words(tool)})

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
        return set().union(*(run.held.personal for run in self.all)) - STOP - PLAIN

    def names_nobody(self, text: str) -> bool:
        """No id, no mask, no name of a person or place."""
        return safe(text) and not self.names.intersection(text.lower().split())

    @cached_property
    def _tool_names(self) -> frozenset[str]:
        return frozenset(tool for run in self.all for tool in run.tools)

    @cached_property
    def _words(self) -> Holders:
        holders = Holders()
        for run in self.all:
            texts = [run.opening, *(_short_text(call) for call in run.steps)]
            said = {w.lower() for text in texts for words in terms.sentences(text) for w in words}
            holders.add(said | {piece for text in texts for piece in terms.han(text)}, run.thread)
        return holders

    def may_quote(self, word: str) -> bool:
        """May this word of a tool's text stand in a skill?"""
        low = word.lower()
        if terms.is_han(word):
            return terms.made_of(word, PLAIN_ZH | self._tool_names) or self._words.common(word)
        return low in PLAIN or low in STOP or (self.names_nobody(low) and self._words.common(low))

    @cached_property
    def _keys(self) -> Holders:
        holders = Holders()
        for run in self.all:
            holders.add(run.held.keys, run.thread)
        return holders

    def _values(self, at: str) -> Holders | None:
        """Who holds which value of a field; None when it has too many values, or too few runs for each."""
        if at not in self._fields:
            holding = [(run, found) for run in self.all if (found := run.held.values.get(at))]
            several = len(set().union(*(found for _, found in holding)))
            few = several <= FEW_VALUES and len(holding) >= RUNS_PER_VALUE * several
            holders = Holders()
            for run, found in holding if few else ():
                holders.add(found, run.thread)
            self._fields[at] = holders if few else None
        return self._fields[at]

    def may_show(self, tool: str, kind: str, path: values.Path, leaf: object) -> bool:
        """May this value of a field of the `args` or the `result` stand in a skill? Only where it is one of few."""
        if isinstance(leaf, bool):
            return True
        if not isinstance(leaf, str) or any(map(personal, path)) or not safe(leaf):
            return False
        holders = self._values(place(tool, kind, path))
        return bool(holders and holders.common(leaf)) and not self._personal.intersection(leaf.lower().split())

    @cached_property
    def _parameters(self) -> dict[str, set[str]]:
        calls: dict[str, list[set[str]]] = {}
        for run in self.shown_by:
            for call in run.steps:
                if call.arguments:
                    calls.setdefault(call.name, []).append(set(call.arguments))
        counted = {tool: Counter(key for keys in seen for key in keys) for tool, seen in calls.items()}
        return {tool: {key for key, n in counted[tool].items() if n * 2 >= len(calls[tool])} for tool in calls}

    def may_name_argument(self, tool: str, key: str) -> bool:
        """A parameter of the tool, which at least half of its calls have, is named however few these are."""
        return self.may_name(key) or (key in self._parameters.get(tool, ()) and bool(_NAME.fullmatch(key)))

    def shown_argument(self, tool: str, path: values.Path) -> values.Path:
        return (path[0] if self.may_name_argument(tool, path[0]) else "*", *self.shown(path[1:]))

    def may_name(self, key: str) -> bool:
        """Is this key of an object a field of its kind, and not somebody's id or name?"""
        if key == values.ITEM:
            return True
        if _FIELD.fullmatch(key) and self._keys.common(key):
            return True
        return safe(key) and key.replace("_", "").replace("-", "").isalpha() and self._keys.common(key)

    def shown(self, path: values.Path) -> values.Path:
        """A path with `*` for the keys that may not be named."""
        return tuple(key if self.may_name(key) else "*" for key in path)


@lru_cache(maxsize=1_000)
def _grams(text: str) -> dict[str, str]:
    return terms.grams(text)


def _part(run: Run, own: frozenset[str], rules: ToolRules) -> Run:
    """The run up to the last of these effects, without its others."""
    last = max((call.position for call in run.steps if call.name in own), default=0)
    kept = [c for c in run.steps if c.position <= last and (c.name in own or not rules.is_effect(c.name))]
    return replace(run, calls=tuple(kept))


def _short_text(call: Call) -> str:
    """What a tool says in words: an error, or a result of one line."""
    if call.failed:
        return errors.message(call.returned)[:500]
    return call.returned if isinstance(call.returned, str) and len(call.returned) <= 80 else ""
