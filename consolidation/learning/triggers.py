"""What speaks for this competence: words of the opening messages."""

from collections.abc import Sequence

from consolidation.learning.lexicon import GENERIC, PREPOSITIONS, VAGUE, VERBS
from consolidation.learning.scope import Scope
from consolidation.learning.signatures import words
from consolidation.learning.speech import DISTINCT, Term, apart, scored
from consolidation.learning.terms import is_han, stem

GENERIC_STEMS = frozenset(map(stem, GENERIC))
MOST = 6
SHARE = 0.2  # of the successes, that say a telling term
MAY_BE = 0.1  # chance of a word that the tools are called by
FALSE = 0.05  # of the words that tell, the share that may do so by chance (Benjamini and Hochberg 1995)


def opening(scope: Scope) -> list[Term]:
    """The telling terms of the successes' openings: first what the tools do, when half of them say so; then words of
    what the tools are called by; then those that cases of other effects say so much less that it is no chance."""
    found = [term for term in scored(scope) if term.runs >= SHARE * len(scope.successes)]
    related = _related(scope)
    kin = [t for t in found if related & set(t.key.split()) and t.score >= DISTINCT and t.chance <= MAY_BE]
    asked = _asked_for(scope)
    rest = [t for t in found if t not in kin and not _is_idle(t.key, asked)]
    rest = [] if any(run.place for run in scope.successes) else _no_chance(rest)  # a report's words are no wish
    return apart([*_intent(scope), *_longest(sorted([*kin, *rest], key=_rank))], MOST)


def _rank(term: Term) -> tuple[float, int, str]:
    return -term.score, -term.runs, term.key


def _related(scope: Scope) -> set[str]:
    """Stems of the words in the names of the tools that act, without those that any tool may have."""
    named = {word for tool in scope.effects(scope.runs[0]) for word in words(tool)}
    return {stem(word) for word in named - VAGUE - PREPOSITIONS}


def _asked_for(scope: Scope) -> set[str]:
    """What look-ups ask the user for (a phone number): said for them, and no wish."""
    looks = (call for run in scope.successes for call in run.steps if not scope.changes(call.name))
    return {stem(word) for key in {key for call in looks for key in call.arguments} for word in words(key)}


def _is_idle(key: str, asked: set[str]) -> bool:
    return (GENERIC_STEMS | asked).issuperset(key.split()) or (is_han(key) and any(key in name for name in asked))


def _no_chance(found: Sequence[Term]) -> list[Term]:
    ranked = sorted(found, key=lambda term: term.chance)
    passed = [n for n, term in enumerate(ranked, 1) if term.chance <= FALSE * n / len(ranked)]
    return ranked[: max(passed, default=0)]


def _intent(scope: Scope) -> list[Term]:
    """Terms of half of the openings that hold the verb of a tool that acts, however many other requests hold them too;
    of a Chinese tool its name."""
    tools = scope.effects(scope.runs[0])
    verbs = {stem(words(tool)[0]) for tool in tools if words(tool)[0] in VERBS - VAGUE}
    found = scored(scope, everyday=True)
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
