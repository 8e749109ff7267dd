"""The runs that a competence is learned from, their vocabulary, and what of them may be repeated."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from uuid import UUID

from consolidation.learning.comparison.vocabulary import Vocabulary
from consolidation.learning.effects.effects import effects
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import words
from consolidation.learning.runs import dialogue, operations, terms, values
from consolidation.learning.runs.holdings import Record, goods, place
from consolidation.learning.runs.lines import plain_line, template_lines
from consolidation.learning.runs.privacy import Holders, may_be_person, names_somebody, personal, safe
from consolidation.learning.runs.run import OPENING_CHARACTERS, SPEECH_CHARACTERS, Run
from consolidation.learning.runs.terms import stem
from memories.lexicon import chinese_words
from memories.lexicon.english_verbs import OF_TOOLS
from memories.lexicon.english_words import STOP_OF_REQUESTS
from memories.lexicon.tool_words import PLAIN

Test = Callable[[Run], bool]
FEW_VALUES = 8
SMALL = 1_000
RUNS_PER_VALUE = 3
REQUEST_MESSAGES = 6  # of the user: who asks, for what, with which details; later ones agree and thank
_FIELD = re.compile(r"[a-z]+(?:_[a-z]+)*_?[1-9]")  # address1, line_2
_NAME = re.compile(r"[A-Za-z_$][\w.$-]{0,63}|[A-Za-z][\w .$-]{0,63}(?<! )")  # of a form: Amount in EUR
_LETTERS = re.compile(r"[^\W\d_]+")
_IN_FORM = re.compile(r"[\w .,:&()/+-]{2,40}")


def ordered(runs: Iterable[Run]) -> list[Run]:
    """Return each run once, by time; the order of the input does not matter."""
    return sorted({run.id: run for run in runs}.values(), key=lambda run: (run.at, str(run.id)))


def count(runs: Iterable[Run], test: Test) -> int:
    """Count the runs that pass the test."""
    return sum(1 for run in runs if test(run))


def ranked(names: Iterable[str]) -> list[tuple[str, int]]:
    """Count names: the most frequent first, ties by name."""
    return sorted(Counter(names).items(), key=lambda pair: (-pair[1], pair[0]))


@dataclass(frozen=True, eq=False)
class Scope:
    """The runs of a pattern and the other runs of its scope, ordered, with caches of their shared vocabulary.

    `other_vocabulary`: that of the other runs, where several patterns share them.
    """

    runs: Sequence[Run]
    other_runs: Sequence[Run]
    rules: ToolRules = field(default_factory=ToolRules)
    other_vocabulary: Vocabulary | None = None
    _fields: dict[str, Holders | None] = field(default_factory=dict)
    _effects: dict[UUID, frozenset[str]] = field(default_factory=dict)
    _terms: dict[UUID, dict[str, str]] = field(default_factory=dict)
    _requests: dict[UUID, dict[str, str]] = field(default_factory=dict)
    _names: dict[str, bool] = field(default_factory=dict)
    records_by_run: dict[UUID, list[Record]] = field(default_factory=dict)  # cache of `records`

    @cached_property
    def all(self) -> list[Run]:
        """The runs of the pattern and of the scope, each once, by time."""
        return ordered([*self.runs, *self.other_runs])

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        other_ids = {run.id for run in self.other_runs}
        return self.other_vocabulary if self.other_vocabulary and self.ids <= other_ids else Vocabulary(self.all)

    @cached_property
    def ids(self) -> set[UUID]:
        """Ids of the pattern's runs."""
        return {run.id for run in self.runs}

    @cached_property
    def successes(self) -> list[Run]:
        return [run for run in self.runs if run.succeeded]

    @cached_property
    def examples(self) -> list[Run]:
        """Runs that serve as examples: the successes, or all when none succeeded.

        Successes of a single case are joined by the matching parts of wider successes (`parts`).
        """
        return [*self.successes, *self.parts] or list(self.runs)

    @cached_property
    def parts(self) -> list[Run]:
        """The matching calls of successes with more effects; only when the pattern's successes are all of one case."""
        own_effects = self.effects(self.runs[0]) if self.runs else frozenset()
        if not own_effects or len({run.thread for run in self.successes}) != 1:
            return []
        wider_runs = (run for run in self.all if run.succeeded and own_effects < self.effects(run))
        return [_part(run, own_effects, self.rules) for run in wider_runs]

    @cached_property
    def failures(self) -> list[Run]:
        return [run for run in self.runs if run.failed]

    def changes(self, tool: str) -> bool:
        """Return whether this tool has an effect."""
        return self.rules.is_effect(tool)

    def effects(self, run: Run) -> frozenset[str]:
        """Return the effects of a run (cached)."""
        if run.id not in self._effects:
            self._effects[run.id] = effects(run, self.rules)
        return self._effects[run.id]

    @cached_property
    def _template(self) -> frozenset[str]:
        """Normalized lines that come from a request template."""
        return template_lines(self.all)

    def opening_terms(self, run: Run) -> dict[str, str]:
        """Return the terms of a request without template lines, key -> as written, and of the record that it points to.

        A request that consists of template lines alone keeps them.
        """
        if run.id not in self._terms:
            lines = [line for line in run.opening_lines if plain_line(line) not in self._template]
            pointer_lines = dialogue.lines_of_named_record(run, until=self._first_change(run))
            is_template = not pointer_lines and (not lines or len(lines) == len(run.opening_lines))
            text = "\n".join([*lines, *pointer_lines])[:OPENING_CHARACTERS]
            self._terms[run.id] = run.opening_terms if is_template else terms.grams(text)
        return self._terms[run.id]

    def request_terms(self, run: Run) -> dict[str, str]:
        """Return the terms of what the user asked before the run changed anything, without template lines.

        A request of template lines alone keeps them. Cached.
        """
        if run.id not in self._requests:
            first = self._first_change(run)
            messages = [m for n, m in enumerate(run.user_messages) if n == 0 or first is None or m.position < first]
            lines = [line for message in messages[:REQUEST_MESSAGES] for line in message.text.splitlines()]
            own_lines = [line for line in lines if plain_line(line) not in self._template] or lines
            text = "\n".join([*own_lines, *dialogue.lines_of_named_record(run, until=first)])
            self._requests[run.id] = terms.grams(text[:SPEECH_CHARACTERS])
        return self._requests[run.id]

    def _first_change(self, run: Run) -> int | None:
        return next((call.position for call in run.steps if call.started and self.changes(call.name)), None)

    @cached_property
    def goods(self) -> frozenset[str]:
        """Stems of words that name catalogue items or places: values of fields with many different ones."""
        return goods(self._vocabulary.results, {stem(word) for tool in self._tool_names for word in words(tool)})

    @cached_property
    def value_words(self) -> frozenset[str]:
        """Stems of words that are a whole value in results (gold, economy): they tell one record, not a request.

        Verbs and words of tools' names are requests as well.
        """
        leaves = {leaf for texts in self._vocabulary.results.values() for leaf in texts if leaf.isalpha()}
        plain_words = OF_TOOLS.union(*(words(tool) for tool in self._tool_names))
        return frozenset(stem(leaf.lower()) for leaf in leaves) - {stem(word) for word in plain_words}

    @cached_property
    def opening_cases(self) -> dict[str, set[str]]:
        """The cases that open with each term."""
        cases: dict[str, set[str]] = defaultdict(set)
        for run in self.all:
            for key in self.opening_terms(run):
                cases[key].add(run.thread)
        return cases

    @cached_property
    def names(self) -> set[str]:
        """Words that are likely names: mostly capitalized inside a clause, or found in fields of personal details."""
        capital, small = self._vocabulary.capitals
        return {word for word in capital if capital[word] >= small[word]} | self._personal

    @cached_property
    def _personal(self) -> set[str]:
        return self._vocabulary.personal - STOP_OF_REQUESTS - PLAIN

    @cached_property
    def spoken_names(self) -> set[str]:
        """Likely names without the words of tools and requests."""
        return self.names - PLAIN - STOP_OF_REQUESTS - OF_TOOLS

    def names_nobody(self, text: str) -> bool:
        """Return whether a text holds no id, no mask, and no name of a person or place."""
        low = text.lower()
        is_personal = self._personal.intersection(_LETTERS.findall(low))
        return safe(text) and not is_personal and not self.names.intersection(low.split())

    def _may_name_somebody(self, text: str, *, of_talk_alone: bool = False) -> bool:
        """Return whether a text of a form may name a person: by a word that people write as a name, or how it looks."""
        spoken = self.spoken_names.intersection(text.lower().split())
        return bool(spoken) or (not of_talk_alone and names_somebody(text))

    @cached_property
    def _tool_names(self) -> frozenset[str]:
        return self._vocabulary.tools

    def may_quote(self, word: str) -> bool:
        """Return whether a word of a tool's text may stand in a skill."""
        low, is_common = word.lower(), self._vocabulary.words.is_common
        if terms.is_han(word):
            return terms.consists_of(word, chinese_words.PLAIN | self._tool_names) or is_common(word)
        return low in PLAIN or low in STOP_OF_REQUESTS or (self.names_nobody(low) and is_common(low))

    def _values(self, at: str) -> Holders | None:
        """Return who holds which value of a field; None when it has too many values, or too few runs for each."""
        if at not in self._fields:
            run_values = [(run, value) for run in self.all if (value := run.holdings.values.get(at))]
            value_count = len(set().union(*(value for _, value in run_values)))
            has_few = value_count <= FEW_VALUES and len(run_values) >= RUNS_PER_VALUE * value_count
            holders = Holders()
            for run, value in run_values if has_few else ():
                holders.add(value, run.thread)
            self._fields[at] = holders if has_few else None
        return self._fields[at]

    def may_show(self, tool: str, kind: str, path: values.Path, leaf: object) -> bool:
        """Return whether a value may stand in a skill: a boolean, or a common value of a field with few values.

        `kind`: `args` or `result`; `path`: keys from the outside in.
        """
        if isinstance(leaf, bool):
            return True
        fields = [key for key in path if key != values.ITEM]
        is_of_person = any(map(personal, fields)) or any(map(may_be_person, fields[-1:]))
        if not isinstance(leaf, str) or is_of_person or not safe(leaf):
            return False
        if operations.is_sheet(tool) and self._may_name_somebody(leaf):
            return False
        holders = self._values(place(tool, kind, path))
        return bool(holders and holders.is_common(leaf)) and not self._personal.intersection(leaf.lower().split())

    def may_show_constant(self, tool: str, path: values.Path, sent: float | str) -> bool:
        """Return whether a number below 1,000, or what is filled into a form, may stand in a skill: the only one that
        the runs sent there."""
        is_plain = _IN_FORM.fullmatch(sent) if isinstance(sent, str) else 0 < abs(sent) < SMALL or sent is False
        if not is_plain or any(map(personal, path)) or (isinstance(sent, str) and self._may_name_somebody(sent)):
            return False
        holders, sent_values = Holders(), set()
        for run in self.all:
            calls = (call for call in run.steps if call.name == tool)
            run_values = {leaf for call in calls for at, leaf in values.leaves(call.arguments) if at == path}
            holders.add({str(leaf) for leaf in run_values}, run.thread)
            sent_values |= run_values
        return len(sent_values) == 1 and holders.is_common(str(sent))

    @cached_property
    def _parameters(self) -> dict[str, set[str]]:
        calls: dict[str, list[set[str]]] = {}
        for run in self.examples:
            for call in run.steps:
                if call.arguments:
                    calls.setdefault(call.name, []).append(set(call.arguments))
        counts = {tool: Counter(key for keys in key_sets for key in keys) for tool, key_sets in calls.items()}
        return {tool: {key for key, n in counts[tool].items() if n * 2 >= len(calls[tool])} for tool in calls}

    def may_name_argument(self, tool: str, key: str) -> bool:
        """Return whether an argument may be named: `may_name`, or at least half of the tool's calls have it."""
        if operations.is_sheet(tool) and self._may_name_somebody(key, of_talk_alone=True):  # the columns of a rota, say
            return False
        return self.may_name(key) or (key in self._parameters.get(tool, ()) and bool(_NAME.fullmatch(key)))

    def shown_argument(self, tool: str, path: values.Path) -> values.Path:
        """Return an argument's path with `*` for the keys that may not be named."""
        return (path[0] if self.may_name_argument(tool, path[0]) else "*", *self.shown(path[1:]))

    def may_name(self, key: str) -> bool:
        """Return whether a key of an object is a field name, not somebody's id or name (cached)."""
        if key not in self._names:
            is_plain = bool(_FIELD.fullmatch(key)) or (safe(key) and key.replace("_", "").replace("-", "").isalpha())
            self._names[key] = key == values.ITEM or (is_plain and self._vocabulary.keys.is_common(key))
        return self._names[key]

    def shown(self, path: values.Path) -> values.Path:
        """Return a path with `*` for the keys that may not be named."""
        return tuple(key if self.may_name(key) else "*" for key in path)


def _part(run: Run, own_effects: frozenset[str], rules: ToolRules) -> Run:
    """Return the run up to the last of these effects, without its other effects."""
    last = max((call.position for call in run.steps if call.started and call.name in own_effects), default=0)
    calls = [c for c in run.steps if c.position <= last and (c.name in own_effects or not rules.is_effect(c.name))]
    return replace(run, calls=tuple(calls))
