"""Group the audit rows of a revision, so that they are undone together or not at all.

The audit row of a revision names the relation that it made. Undoing that row takes the relation away again, redoing it
brings it back (Memory.follow); and by it the rows of one batch that belong together are found.
"""

from collections.abc import Collection, Iterable
from typing import Any
from uuid import UUID

from memories.models import AuditEntry, Memory

RELATION = "relation"


def related(source: Memory, predicate: str, target: Memory) -> dict[str, Any]:
    """The entry of an audit row that names the relation which the revision made."""
    return {RELATION: {"source": str(source.pk), "predicate": predicate, "target": str(target.pk)}}


def together(entries: Iterable[AuditEntry], compared_ids: Iterable[Collection[UUID]] = ()) -> dict[UUID, UUID]:
    """Map each subject to the first one of those that the same revision moved; what stands alone is left out.

    `compared_ids`: memories that one proposal is about, which belong together too.

    Undo the rows of such a group in one transaction, the last one first: the new memory gives back the key that the old
    one had. Holds for the rows of an undo as well, whose first rows are looked up.
    """
    group: dict[UUID, UUID] = {}
    for entry in _first(entries):
        if relation := entry.after.get(RELATION):
            _join(group, [UUID(relation["source"]), UUID(relation["target"])])
    for ends in compared_ids:
        _join(group, ends)
    return group


def _join(group: dict[UUID, UUID], ends: Collection[UUID]) -> None:
    roots = {group.get(end, end) for end in ends}
    root = min(roots)
    group |= {member: root for member, former in group.items() if former in roots}
    group |= dict.fromkeys(ends, root)


def _first(entries: Iterable[AuditEntry]) -> list[AuditEntry]:
    """The decisions themselves: of an undo what it undid, of a redo what it did again."""
    decisions, waiting = [], list(entries)
    while waiting:
        decisions += [entry for entry in waiting if entry.undoes is None]
        waiting = list(AuditEntry.objects.filter(pk__in=[entry.undoes for entry in waiting if entry.undoes]))
    return decisions
