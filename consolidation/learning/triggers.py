"""What speaks for this competence: words of the opening messages."""

from collections.abc import Sequence

from consolidation.learning.lexicon import VAGUE, VERBS
from consolidation.learning.scope import Scope
from consolidation.learning.signatures import words
from consolidation.learning.speech import DISTINCT, Term, apart, scored
from consolidation.learning.terms import stem

MOST = 6
SHARE = 0.2  # of the successes, that say a telling term
AT_LEAST = 3


def opening(scope: Scope) -> list[Term]:
    """The telling terms of the successes' openings: first what the tools do, when half of them say so, then the most
    telling ones, filled up to three with frequent ones."""
    found = scored(scope, lambda run: run.opening_terms)
    least = SHARE * len(scope.successes)
    distinct = _longest([term for term in found if term.score >= DISTINCT and term.runs >= least])
    telling = apart([*_intent(scope), *distinct], MOST)
    if len(telling) >= AT_LEAST:
        return telling
    frequent = [term for term in found if 0 < term.score < DISTINCT and term.runs * 3 >= len(scope.successes)]
    frequent.sort(key=lambda term: (-term.runs, -term.score, term.key))
    return apart([*telling, *frequent], AT_LEAST)


def _intent(scope: Scope) -> list[Term]:
    """Terms of half of the openings that hold the verb of a tool that acts, however many other requests hold them too;
    of a Chinese tool its name."""
    tools = scope.effects(scope.runs[0])
    verbs = {stem(words(tool)[0]) for tool in tools if words(tool)[0] in VERBS - VAGUE}
    found = scored(scope, lambda run: run.opening_terms, everyday=True)
    half = [term for term in found if term.runs * 2 >= len(scope.successes)]
    return [t for t in half if verbs & set(t.key.split()) or (not t.key.isascii() and t.key in "+".join(tools))]


def _longest(found: Sequence[Term]) -> list[Term]:
    """A pair of words in the place of one of its words, when nearly as many runs say the pair."""
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
