"""Trigger terms of a competence: those that separate the requests that led to its effects from other requests, by
log-odds with a prior, over cases.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from statistics import median

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.effects.toolnames import words
from consolidation.learning.runs import terms
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.terms import is_han, stem
from memories.lexicon.english_verbs import OF_TOOLS, VAGUE
from memories.lexicon.english_words import GENERIC, OF_TOOL_NAMES
from memories.values.chance import by_chance

PRIOR = 10.0
DISTINCT = 1.2  # standard errors

CASES = 3
ENOUGH = 10  # cases that ended well: with fewer the requests of failed runs count, too
TOO_COMMON = 0.6  # of the other cases
LONGEST_REQUEST = 100  # words


@dataclass(frozen=True)
class Term:
    """A term of requests: `runs` with the effect and `other_runs` without it contain it.

    `cases`: cases of these runs; `apart`: of them those with other effects than the pattern's, too; `own`: the share of
    the pattern's cases. `score`: log-odds in standard errors; `chance`: one-sided p-value (Fisher's exact test);
    `everyday`: most other requests open with it.
    """

    key: str
    written: str
    runs: int
    other_runs: int
    cases: int
    apart: int
    own: float
    score: float
    chance: float = 1.0
    everyday: bool = False


@dataclass(frozen=True)
class Requests:
    """The requests of runs that ended well with a tool's effect, beside those of cases without it.

    Where few cases ended well, but more than one of the pattern's, those of failed runs count, too: how a run ended
    tells nothing of what its user wished. `tool`: '' for the runs of a pattern without effects, of which the opening
    tells the request: what users say after they were refused is none.
    """

    scope: Scope
    tool: str

    @cached_property
    def _runs(self) -> list[Run]:
        if not self.tool:
            return self.scope.successes
        runs = [run for run in self.scope.all if self.tool in self.scope.effects(run)]
        successes = [run for run in runs if run.succeeded]
        has_few = len({run.thread for run in successes}) < ENOUGH
        return runs if has_few and len({run.thread for run in self.scope.successes}) > 1 else successes

    @cached_property
    def _cases(self) -> set[str]:
        return {run.thread for run in self._runs}

    @cached_property
    def _own_cases(self) -> set[str]:
        """The cases of the pattern among them."""
        return {run.thread for run in self._runs if run.id in self.scope.ids}

    @cached_property
    def _other_runs(self) -> list[Run]:
        """Runs that asked for something else, as far as can be told.

        A run with the effect or of such a case may have asked for the same; a report about another place has other
        words anyway.
        """
        places = {run.place for run in self._runs} if are_reports(self._runs) else None
        runs = (run for run in self.scope.all if run.thread not in self._cases and not self._has(run))
        return [run for run in runs if places is None or run.place in places]

    def _has(self, run: Run) -> bool:
        return self.tool in self.scope.effects(run) if self.tool else run.id in self.scope.ids

    @property
    def _terms(self) -> Callable[[Run], dict[str, str]]:
        return self.scope.request_terms if self.tool else self.scope.opening_terms

    def ranked_terms(self) -> list[Term]:
        """Return the terms that may be shown and that CASES cases contain, highest score first."""
        return sorted(self._all_terms(), key=lambda term: (-term.score, -term.cases, -len(term.key), term.key))

    def _all_terms(self) -> Iterator[Term]:
        own_by_term, others_by_term = self._runs_by_term(self._runs), self._runs_by_term(self._other_runs)
        other_cases = {run.thread for run in self._other_runs}
        total, other_total = len(self._cases), len(other_cases)
        for key, runs in own_by_term.items():
            threads = {run.thread for run in runs}
            opening = self.scope.opening_cases.get(key, set())  # else it is part of the conversation, not of a request
            if min(len(threads), len(opening), len(runs)) < CASES:
                continue
            written = terms.most_frequent_form([self._terms(run)[key] for run in runs])
            if self.scope.goods.intersection(key.split()) or not self.scope.names_nobody(written):
                continue
            other_runs = others_by_term.get(key, [])
            outside = len({run.thread for run in other_runs})
            yield Term(
                key,
                written,
                len(runs),
                len(other_runs),
                cases=len(threads),
                apart=len(threads - self._own_cases),
                own=len(threads & self._own_cases) / max(1, len(self._own_cases)),
                score=_score(len(threads), total, outside, other_total),
                chance=by_chance(len(threads), total, outside, other_total)
                if len(threads) * other_total > outside * total
                else 1.0,
                everyday=len(opening & other_cases) > max(3.0, TOO_COMMON * other_total),
            )

    def _runs_by_term(self, runs: Sequence[Run]) -> dict[str, list[Run]]:
        by_words: dict[str, list[Run]] = defaultdict(list)
        for run in runs:
            for key in self._terms(run):
                by_words[key].append(run)
        return by_words


def are_reports(runs: Sequence[Run]) -> bool:
    """Return whether runs that worked in some place mostly began with a long text: a report of a fault, say."""
    lengths = [len(run.opening.split()) for run in runs if run.place]
    return bool(lengths) and median(lengths) > LONGEST_REQUEST


def _score(inside: int, own_total: int, outside: int, other_total: int) -> float:
    """Return the log-odds ratio with an informative Dirichlet prior over its standard error.

    Monroe, Colaresi and Quinn 2008.
    """
    share = (inside + outside) / max(1, own_total + other_total)
    a, b = PRIOR * share + 0.01, PRIOR * (1 - share) + 0.01
    odds = math.log((inside + a) / (own_total - inside + b)) - math.log((outside + a) / (other_total - outside + b))
    return round(odds / math.sqrt(1 / (inside + a) + 1 / (outside + a)), 6)


def apart(candidates: Sequence[Term], most: int) -> list[Term]:
    """Return at most `most` terms, without those that overlap a better one."""
    chosen: list[Term] = []
    for term in candidates:
        if len(chosen) == most:
            break
        if not any(overlap(other.key, term.key) for other in chosen):
            chosen.append(term)
    return chosen


def overlap(first: str, second: str) -> bool:
    """Return whether two terms share a word, or two consecutive Chinese characters."""
    if terms.is_han(first) and terms.is_han(second):
        return any(first[n : n + 2] in second for n in range(len(first) - 1))
    return bool(set(first.split()) & set(second.split()))


GENERIC_STEMS = frozenset(map(stem, GENERIC))
MOST = 6
SHARE = 0.2  # least share of the pattern's cases that contain a term
SHARE_OF_SEVERAL = 0.5  # the same of effects that are only seen together
MAY_BE = 0.1  # highest p-value of a word of the tool's name
MOST_OF = 0.75  # share of a word's cases that contain a pair with it, which says more
FALSE = 0.05  # false discovery rate (Benjamini and Hochberg 1995)


def request_terms(scope: Scope) -> list[Term]:
    """Return up to MOST trigger terms, the best of each effect in turn.

    A combination has few requests of its own, and what they share may be another wish: its words are those of each
    effect, as the requests for this effect alone or with others have them. Where these tell nothing, because others do
    the same and more, those that tell its requests from all others.
    """
    effects = sorted(scope.effects(scope.runs[0]))
    of_effects = [_of_effect(scope, tool, is_combined=len(effects) > 1) for tool in effects or [""]]
    distinct = apart([term for best in zip_longest(*of_effects) for term in best if term], MOST)
    if distinct or len(effects) < 2:
        return distinct
    return apart(_of_effect(scope, "", is_combined=True), MOST)


def _of_effect(scope: Scope, tool: str, *, is_combined: bool) -> list[Term]:
    """Return first the verb of the tool that half of the requests contain; then other words of its name; then terms
    that are significantly rarer in other cases."""
    all_terms = Requests(scope, tool).ranked_terms()
    occurs_apart = any(term.apart for term in all_terms)
    least = SHARE_OF_SEVERAL if is_combined and not occurs_apart else 0.0 if is_combined else SHARE
    own_terms = [term for term in all_terms if not term.everyday and 0 < term.own >= least]
    name_stems = {stem(word) for word in set(words(tool) if tool else ()) - VAGUE - OF_TOOL_NAMES}
    name_terms = [
        t for t in own_terms if name_stems & set(t.key.split()) and t.score >= DISTINCT and t.chance <= MAY_BE
    ]
    idle_stems = _argument_stems(scope) | scope.value_words
    other_terms = [
        t for t in own_terms if t not in name_terms and t.score >= DISTINCT and not _is_idle(t.key, idle_stems)
    ]
    if is_combined and occurs_apart:
        other_terms = [term for term in other_terms if term.apart >= CASES]
    if are_reports(scope.successes):
        other_terms = []  # their words describe what is wrong, not what is wished
    best = sorted([*name_terms, *_no_chance(other_terms)], key=lambda term: (-term.score, -term.cases, term.key))
    return [*_intent(scope, tool, all_terms), *_longest(best)]


def _argument_stems(scope: Scope) -> set[str]:
    """Return the stems of look-ups' arguments (a phone number): users state these, but they are no request."""
    look_ups = (call for run in scope.successes for call in run.steps if not scope.changes(call.name))
    return {stem(word) for key in {key for call in look_ups for key in call.arguments} for word in words(key)}


def _is_idle(key: str, idle_stems: set[str]) -> bool:
    return (GENERIC_STEMS | idle_stems).issuperset(key.split()) or (
        is_han(key) and any(key in name for name in idle_stems)
    )


def _no_chance(candidates: Sequence[Term]) -> list[Term]:
    """Return the terms that pass the procedure of Benjamini and Hochberg (1995) at the rate FALSE."""
    terms_by_chance = sorted(candidates, key=lambda term: term.chance)
    ranks = [n for n, term in enumerate(terms_by_chance, 1) if term.chance <= FALSE * n / len(terms_by_chance)]
    return terms_by_chance[: max(ranks, default=0)]


def _intent(scope: Scope, tool: str, candidates: Sequence[Term]) -> list[Term]:
    """Return terms of half of the pattern's requests with the tool's verb; for a Chinese tool with its name.

    Terms that other requests contain as well are included.
    """
    verbs = {stem(word) for word in words(tool)[:1] if word in OF_TOOLS - VAGUE} if tool else set()
    frequent = [term for term in candidates if term.own >= 0.5]
    return [t for t in frequent if verbs & set(t.key.split()) or (not t.key.isascii() and t.key in tool)]


def _longest(candidates: Sequence[Term]) -> list[Term]:
    """Replace a word by a pair that contains it when nearly as many runs contain the pair."""
    chosen: list[Term] = []
    for term in candidates:
        longer = [
            o for o in candidates if o.key != term.key and len(o.key) > len(term.key) and _contains(o.key, term.key)
        ]
        better = [o for o in longer if o.cases >= (MOST_OF * term.cases if term.cases > CASES else term.cases)]
        best = max(better, key=lambda o: (o.cases, o.score, o.key), default=term)
        if best not in chosen:
            chosen.append(best)
    return chosen


def _contains(longer: str, shorter: str) -> bool:
    return shorter in longer if not longer.isascii() else shorter in longer.split()
