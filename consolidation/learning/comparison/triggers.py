"""Trigger terms of a competence, from the requests of runs with its effects."""

from collections.abc import Sequence
from itertools import zip_longest

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.comparison.speech import CASES, DISTINCT, Requests, Term, apart, are_reports
from consolidation.learning.effects.toolnames import words
from consolidation.learning.runs.terms import is_han, stem
from memories.lexicon.english_verbs import OF_TOOLS, VAGUE
from memories.lexicon.english_words import GENERIC, OF_TOOL_NAMES

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
    every = Requests(scope, tool).scored()
    occurs_apart = any(term.apart for term in every)
    least = SHARE_OF_SEVERAL if is_combined and not occurs_apart else 0.0 if is_combined else SHARE
    own_terms = [term for term in every if not term.everyday and 0 < term.own >= least]
    related = _related(tool)
    kin = [t for t in own_terms if related & set(t.key.split()) and t.score >= DISTINCT and t.chance <= MAY_BE]
    asked = _asked_for(scope)
    rest = [
        t for t in own_terms if t not in kin and t.score >= DISTINCT and not _is_idle(t.key, asked | scope.value_words)
    ]
    if is_combined and occurs_apart:
        rest = [term for term in rest if term.apart >= CASES]
    if are_reports(scope.successes):
        rest = []  # their words describe what is wrong, not what is wished
    return [*_intent(scope, tool, every), *_longest(sorted([*kin, *_no_chance(rest)], key=_rank))]


def _rank(term: Term) -> tuple[float, int, str]:
    return -term.score, -term.cases, term.key


def _related(tool: str) -> set[str]:
    """Return the stems of the words in a tool's name, without generic ones."""
    return {stem(word) for word in set(words(tool) if tool else ()) - VAGUE - OF_TOOL_NAMES}


def _asked_for(scope: Scope) -> set[str]:
    """Return the stems of look-ups' arguments (a phone number): users state these, but they are no request."""
    looks = (call for run in scope.successes for call in run.steps if not scope.changes(call.name))
    return {stem(word) for key in {key for call in looks for key in call.arguments} for word in words(key)}


def _is_idle(key: str, idle: set[str]) -> bool:
    return (GENERIC_STEMS | idle).issuperset(key.split()) or (is_han(key) and any(key in name for name in idle))


def _no_chance(candidates: Sequence[Term]) -> list[Term]:
    """Return the terms that pass the procedure of Benjamini and Hochberg (1995) at the rate FALSE."""
    ranked = sorted(candidates, key=lambda term: term.chance)
    passed = [n for n, term in enumerate(ranked, 1) if term.chance <= FALSE * n / len(ranked)]
    return ranked[: max(passed, default=0)]


def _intent(scope: Scope, tool: str, candidates: Sequence[Term]) -> list[Term]:
    """Return terms of half of the pattern's requests with the tool's verb; for a Chinese tool with its name.

    Terms that other requests contain as well are included.
    """
    verbs = {stem(word) for word in words(tool)[:1] if word in OF_TOOLS - VAGUE} if tool else set()
    half = [term for term in candidates if term.own >= 0.5]
    return [t for t in half if verbs & set(t.key.split()) or (not t.key.isascii() and t.key in tool)]


def _longest(candidates: Sequence[Term]) -> list[Term]:
    """Replace a word by a pair that contains it when nearly as many runs contain the pair."""
    taken: list[Term] = []
    for term in candidates:
        longer = [o for o in candidates if o.key != term.key and len(o.key) > len(term.key) and _holds(o.key, term.key)]
        better = [o for o in longer if o.cases >= (MOST_OF * term.cases if term.cases > CASES else term.cases)]
        best = max(better, key=lambda o: (o.cases, o.score, o.key), default=term)
        if best not in taken:
            taken.append(best)
    return taken


def _holds(longer: str, shorter: str) -> bool:
    return shorter in longer if not longer.isascii() else shorter in longer.split()
