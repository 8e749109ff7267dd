"""What speaks for this competence: words of the opening messages, and what the conversation turns to later."""

from collections.abc import Sequence

from consolidation.learning.scope import Scope
from consolidation.learning.speech import CLEAR, DISTINCT, Term, apart, overlap, scored

MOST = 8
LATER = 4
AT_LEAST = 3


def opening(scope: Scope) -> list[Term]:
    """The telling terms of the successes' openings, the most telling first. Merely frequent ones, then those of the
    whole conversation, fill up to three."""
    found = scored(scope, lambda run: run.opening_terms)
    telling = apart(_longest([term for term in found if term.score >= DISTINCT]), MOST)
    frequent = [term for term in found if term.score < DISTINCT and term.runs * 3 >= len(scope.successes)]
    frequent.sort(key=lambda term: (-term.runs, -term.score, term.key))
    if len(telling) >= AT_LEAST:
        return telling
    talked = [term for term in scored(scope, lambda run: run.user_terms) if term.score >= DISTINCT]
    by_half = [term for term in talked if term.runs * 2 >= len(scope.successes)]
    return apart([*telling, *frequent, *_longest(by_half)], AT_LEAST)


def later(scope: Scope, said: Sequence[Term]) -> list[Term]:
    """What at least half of the successes' users speak of in the whole conversation, beyond the opening terms."""
    return _common(scope, scored(scope, lambda run: run.user_terms), [term.key for term in said])


def answered(scope: Scope, said: Sequence[Term]) -> list[Term]:
    """What the agent itself says in at least half of the successes."""
    return _common(scope, scored(scope, lambda run: run.agent_terms), [term.key for term in said])


def _common(scope: Scope, found: Sequence[Term], known: Sequence[str]) -> list[Term]:
    held = max(AT_LEAST, len(scope.successes) / 2)
    clear = [term for term in found if term.score >= CLEAR and term.runs >= held]
    return apart([t for t in _longest(clear) if not any(overlap(key, t.key) for key in known)], LATER)


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
