"""What runs like this one did about a write that is about to be made, and how they ended. Counts are cases."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from consolidation.guidance.features import Floats
from consolidation.guidance.votes import Case
from memories.values.chance import wilson

CallVerdict = Literal["supported", "unknown", "advised_against"]
MOST = 10
LEAST = 0.1  # of the similarity in words
SHARE_OF_BEST = 0.55  # what is hardly half as near as the nearest run is not similar
ADVISES = 0.16  # of the similarity in words of a run that ended well without: a farther one is about something else
NEAR = 0.9  # of the nearest run that did without and failed: one that ended well without is at least so near


@dataclass(frozen=True)
class Precedent:
    """`runs`: places of the similar runs among the known ones, the nearest first."""

    verdict: CallVerdict
    runs: tuple[int, ...]
    well_with: int
    well_without: int
    ill_with: int
    ill_without: int


def find(cases: Sequence[Case], words: Floats, tool: str) -> Precedent:
    """What similar runs say of calling `tool` now. `words`: similarity to each known run of what the user has said."""
    near = _similar(words)
    with_it, without = (_cases(cases, near, tool, with_it=used) for used in (True, False))
    answer = Precedent(
        "unknown", near, len(with_it[True]), len(without[True]), len(with_it[False]), len(without[False])
    )
    return replace(answer, verdict=_verdict(answer, cases, words, tool))


def _similar(words: Floats) -> tuple[int, ...]:
    order = sorted(range(len(words)), key=lambda n: (-float(words[n]), n))[:MOST]
    if not order:
        return ()
    floor = max(LEAST, SHARE_OF_BEST * float(words[order[0]]))
    return tuple(n for n in order if words[n] >= floor)


def _cases(cases: Sequence[Case], near: Sequence[int], tool: str, *, with_it: bool) -> dict[bool, set[str]]:
    """well? -> the cases."""
    cases_by_end: dict[bool, set[str]] = {True: set(), False: set()}
    for n in near:
        if cases[n].outcome != "partial" and (tool in cases[n].effects) == with_it:
            cases_by_end[cases[n].well].add(cases[n].case)
    return cases_by_end


def _verdict(precedent: Precedent, cases: Sequence[Case], words: Floats, tool: str) -> CallVerdict:
    if precedent.well_with:
        with_it = _reliability(precedent.well_with, precedent.ill_with)
        helps = with_it >= _reliability(precedent.well_without, precedent.ill_without)
        return "supported" if helps else "unknown"
    if not precedent.well_without:
        return "unknown"
    did_without = [n for n in precedent.runs if tool not in cases[n].effects]
    well = max(float(words[n]) for n in did_without if cases[n].well)
    ill = max((float(words[n]) for n in did_without if cases[n].outcome == "failure"), default=0.0)
    return "advised_against" if well >= max(ADVISES, NEAR * ill) else "unknown"


def _reliability(well: int, ill: int) -> float:
    """The lower end of the interval of the share that ended well; 0 without a case."""
    return wilson(well, ill)[0]
