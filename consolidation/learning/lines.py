"""The lines of a skill, each with the runs that it was counted from."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from consolidation.learning.runs import Run

Ids = tuple[UUID, ...]


class Line(NamedTuple):
    """`runs`: those that say so, in their order in time."""

    text: str
    runs: Ids = ()


@dataclass(frozen=True, kw_only=True)
class Counted:
    """Something that was counted, with the runs that it was counted from; what it says does not depend on these."""

    ids: Ids = field(default=(), compare=False, repr=False)


def ids_of(runs: Iterable[Run]) -> Ids:
    """Each once, as they come."""
    return tuple(dict.fromkeys(run.id for run in runs))


def without_ids(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """A dict factory for `asdict`: what a memory keeps as plain values names no runs."""
    return {name: value for name, value in pairs if name != "ids"}
