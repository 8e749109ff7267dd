"""Experience: what the counts say, in sentences."""

from collections.abc import Iterator, Sequence

from consolidation.learning.contrast import Contrast, Way
from consolidation.learning.records import Sign
from consolidation.learning.scope import Scope
from consolidation.learning.toolnames import code
from consolidation.learning.wording import joined, upper_first

MOST_WAYS = 5


def lessons(scope: Scope, seen: Contrast, signs: Sequence[Sign]) -> list[str]:
    return [upper_first(line) for line in (*_of_signs(signs), *_of_ways(seen), *_of_excess(seen))]


def _of_signs(signs: Sequence[Sign]) -> Iterator[str]:
    for sign in signs:
        yield (
            f"{code(sign.tool)} showed {code(sign.field)} {sign.value} in {sign.runs} of {sign.of} runs "
            f"that ended well (all other runs: {sign.others} of {sign.of_others})."
        )


def _of_ways(seen: Contrast) -> Iterator[str]:
    telling = [way for way in seen.ways if way.runs >= 2][:MOST_WAYS]
    if seen.similar >= 3 and telling:
        told = "; ".join(f"{_way(way)} {way.successes} of {way.runs}" for way in telling)
        yield (
            f"{seen.successes} of {seen.similar} other runs with similar requests ended well. "
            f"By what they changed: {told}."
        )


def _way(way: Way) -> str:
    return joined([code(tool) for tool in way.tools]) if way.tools else "nothing changed"


def _of_excess(seen: Contrast) -> Iterator[str]:
    for excess in seen.excess[:3]:
        yield (
            f"{code(excess.tool)} was called in {excess.failures} of {excess.of_failures} similar runs that failed, "
            f"and in {excess.successes} of {excess.of_successes} that ended well."
        )
