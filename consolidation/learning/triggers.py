"""Trigger terms of a competence, from the opening messages of its successes."""

from collections.abc import Sequence

from consolidation.learning.lexicon import GENERIC, PREPOSITIONS, VAGUE, VERBS
from consolidation.learning.scope import Scope
from consolidation.learning.signatures import words
from consolidation.learning.speech import DISTINCT, Term, apart, scored
from consolidation.learning.terms import is_han, stem

GENERIC_STEMS = frozenset(map(stem, GENERIC))
MOST = 6
SHARE = 0.2  # least share of successes that contain a term
MAY_BE = 0.1  # highest p-value of a word of the tools' names
FALSE = 0.05  # false discovery rate (Benjamini and Hochberg 1995)


def opening(scope: Scope) -> list[Term]:
    """Return up to MOST trigger terms.

    First the verbs of effect tools that half of the openings contain; then other words of these tools' names; then
    terms that are significantly rarer in cases with other effects.
    """
    found = [term for term in scored(scope) if term.runs >= SHARE * len(scope.successes)]
    related = _related(scope)
    kin = [t for t in found if related & set(t.key.split()) and t.score >= DISTINCT and t.chance <= MAY_BE]
    asked = _asked_for(scope)
    rest = [t for t in found if t not in kin and not _is_idle(t.key, asked)]
    rest = (
        [] if any(run.place for run in scope.successes) else _no_chance(rest)
    )  # words of an issue report are no request
    return apart([*_intent(scope), *_longest(sorted([*kin, *rest], key=_rank))], MOST)


def _rank(term: Term) -> tuple[float, int, str]:
    return -term.score, -term.runs, term.key


def _related(scope: Scope) -> set[str]:
    """Return the stems of the words in the names of effect tools, without generic ones."""
    named = {word for tool in scope.effects(scope.runs[0]) for word in words(tool)}
    return {stem(word) for word in named - VAGUE - PREPOSITIONS}


def _asked_for(scope: Scope) -> set[str]:
    """Return the stems of look-ups' arguments (a phone number): users state these, but they are no request."""
    looks = (call for run in scope.successes for call in run.steps if not scope.changes(call.name))
    return {stem(word) for key in {key for call in looks for key in call.arguments} for word in words(key)}


def _is_idle(key: str, asked: set[str]) -> bool:
    return (GENERIC_STEMS | asked).issuperset(key.split()) or (is_han(key) and any(key in name for name in asked))


def _no_chance(found: Sequence[Term]) -> list[Term]:
    """Return the terms that pass the procedure of Benjamini and Hochberg (1995) at the rate FALSE."""
    ranked = sorted(found, key=lambda term: term.chance)
    passed = [n for n, term in enumerate(ranked, 1) if term.chance <= FALSE * n / len(ranked)]
    return ranked[: max(passed, default=0)]


def _intent(scope: Scope) -> list[Term]:
    """Return terms of half of the openings with the verb of an effect tool; for a Chinese tool with its name.

    Terms that other requests contain as well are included.
    """
    tools = scope.effects(scope.runs[0])
    verbs = {stem(words(tool)[0]) for tool in tools if words(tool)[0] in VERBS - VAGUE}
    found = scored(scope, everyday=True)
    half = [term for term in found if term.runs * 2 >= len(scope.successes)]
    return [t for t in half if verbs & set(t.key.split()) or (not t.key.isascii() and t.key in "+".join(tools))]


def _longest(found: Sequence[Term]) -> list[Term]:
    """Replace a word by a pair that contains it when nearly as many runs contain the pair."""
    taken: list[Term] = []
    for term in found:
        longer = [o for o in found if o.key != term.key and len(o.key) > len(term.key) and _holds(o.key, term.key)]
        better = [o for o in longer if o.runs >= term.runs or (o.runs + 1 >= term.runs >= 4)]
        best = max(better, key=lambda o: (o.runs, o.score, o.key), default=term)
        if best not in taken:
            taken.append(best)
    return taken


def _holds(longer: str, shorter: str) -> bool:
    return shorter in longer if not longer.isascii() else shorter in longer.split()
