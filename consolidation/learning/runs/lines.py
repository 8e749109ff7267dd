"""Lines of a skill with the ids of the runs behind each."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from consolidation.learning.runs.run import Run

Ids = tuple[UUID, ...]


class Line(NamedTuple):
    """A line of text. `runs`: ids of the runs it was counted from, in order of time."""

    text: str
    runs: Ids = ()


@dataclass(frozen=True, kw_only=True)
class CountedResult:
    """Base of counted results. `ids`: the runs behind the count, not part of comparisons."""

    ids: Ids = field(default=(), compare=False, repr=False)


def ids_of(runs: Iterable[Run]) -> Ids:
    """Return the ids of the runs in their order, each once."""
    return tuple(dict.fromkeys(run.id for run in runs))


def without_ids(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Dict factory for `dataclasses.asdict` that leaves out run ids."""
    return {name: value for name, value in pairs if name != "ids"}


LEAST_CASES = 3
MOSTLY = 0.5  # of the requests of one source
LONG = 6  # lines of a request that is probably a form with headings


def plain_line(line: str) -> str:
    """Normalize a line: lower case, single spaces."""
    return " ".join(line.split()).lower()


def template_lines(runs: Iterable[Run]) -> frozenset[str]:
    """Return the normalized lines of templates.

    Lines that requests of at least LEAST_CASES cases contain word for word: most requests of their source, or only
    requests of at least LONG lines.
    """
    requests: Counter[str] = Counter()
    holding: Counter[tuple[str, str]] = Counter()
    lengths: dict[str, list[int]] = defaultdict(list)
    cases: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        lines = {plain_line(line) for line in run.opening_lines}
        requests[run.source] += 1
        for line in lines:
            holding[run.source, line] += 1
            lengths[line].append(len(lines))
            cases[line].add(run.thread)
    usual = {line for (source, line), n in holding.items() if n > 1 and n > MOSTLY * requests[source]}
    long = {line for line, counts in lengths.items() if min(counts) >= LONG}
    return frozenset(line for line in usual | long if len(cases[line]) >= LEAST_CASES)
