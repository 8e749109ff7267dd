"""Lines of a skill with the ids of the runs behind each."""

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
class Counted:
    """Base of counted results. `ids`: the runs behind the count, not part of comparisons."""

    ids: Ids = field(default=(), compare=False, repr=False)


def ids_of(runs: Iterable[Run]) -> Ids:
    """Return the ids of the runs in their order, each once."""
    return tuple(dict.fromkeys(run.id for run in runs))


def without_ids(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Dict factory for `dataclasses.asdict` that leaves out run ids."""
    return {name: value for name, value in pairs if name != "ids"}
