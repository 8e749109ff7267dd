"""The counts of the groups that a batch of detections belongs to: loaded at once, changed in memory, saved at once."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection
from django.db.models import Max

from consolidation.models.groups import RuleGroup, RuleSighting
from consolidation.patterns.rules import Detection, GroupIdentity, Rule, identity_digest
from memories.models import DigestKey, Memory

COUNTS = ("memory", "written", "seen", "units", "base", "since")  # columns that a batch changes
MEMORY_FIELDS = ("key", "status", "expires_at", "origin")
# The time of the last sighting of a unit in a group, and whether the group has counted this event.
LAST_SIGHTINGS = """
    SELECT n, past.at, EXISTS (SELECT FROM consolidation_rulesighting AS s
        WHERE s.group_id = a.g AND s.unit = a.unit AND s.at = a.at AND s.event_id = a.event_id)
    FROM unnest(%s::bigint[], %s::uuid[], %s::timestamptz[], %s::uuid[]) WITH ORDINALITY AS a(g, unit, at, event_id, n)
    LEFT JOIN LATERAL (SELECT at FROM consolidation_rulesighting WHERE group_id = a.g AND unit = a.unit
        ORDER BY at DESC LIMIT 1) AS past ON true
"""


class GroupCounts:
    """The group counts of one rule in one scope, for these detections. The caller holds the lock of the scope."""

    def __init__(self, rule: Rule, scope: str, detections: Sequence[Detection]) -> None:
        self.rule, self.scope = rule, scope
        self._key = DigestKey.current()
        self._groups = self._load(detections)
        self._by_id = {group.pk: group for group in self._groups.values()}
        self._memories: dict[UUID, Memory] = {}
        self._load_memories(self._groups.values())
        self._last: dict[tuple[int, UUID], datetime | None] = {}
        self._counted: set[tuple[int, UUID]] = set()
        self._pending: list[RuleSighting] = []
        self._changed: dict[int, RuleGroup] = {}
        self._load_sightings(detections)

    def group(self, identity: GroupIdentity) -> RuleGroup:
        return self._groups[self._digest(identity)]

    def find(self, identity: GroupIdentity) -> RuleGroup | None:
        """The group of an identity, also one without a detection in this batch; None if it does not exist."""
        name = self._digest(identity)
        if name not in self._groups:
            rows = self._existing([identity])
            if not rows:
                return None
            self._groups |= rows
            self._load_memories(rows.values())
        return self._groups[name]

    def memory(self, group: RuleGroup) -> Memory | None:
        """The memory of a group, as it was when the batch began or as the rule has changed it."""
        return self._memories.get(group.memory_id) if group.memory_id else None

    def cache_memory(self, memory: Memory) -> None:
        self._memories[memory.pk] = memory

    def count(self, detection: Detection) -> bool | None:
        """Count a detection; whether it is the first of its unit. None: counted before, or older than `since`."""
        group = self.group(detection.identity)
        if (group.pk, detection.event_id) in self._counted:
            return None
        self._counted.add((group.pk, detection.event_id))
        early = group.since is not None and detection.at <= group.since
        self._count_in_family(detection, group, early=early)
        if early:
            return None
        last = self._last.get((group.pk, detection.unit))
        is_new_unit = last is None or (group.since is not None and last <= group.since)
        self._last[group.pk, detection.unit] = max(last, detection.at) if last else detection.at
        group.seen += 1
        group.units += is_new_unit
        self._add_sighting(detection, group)
        return is_new_unit

    def ripe(self, group: RuleGroup) -> bool:
        family = self._family(group)
        of = family.seen - group.base if family else 0
        return self.rule.ripe(seen=group.seen, units=group.units, of=of)

    def restart(self, group: RuleGroup, at: datetime) -> None:
        """Count only what came after `at` from now on."""
        self.flush()
        after = RuleSighting.objects.filter(group=group, at__gt=at)
        group.since, group.seen = at, after.count()
        group.units = after.values("unit").distinct().count()
        if family := self._family(group):
            later = RuleSighting.objects.filter(group__family=family, at__gt=at).count()
            group.base = family.seen - later
        self.mark_changed(group)

    def mark_changed(self, group: RuleGroup) -> None:
        self._changed[group.pk] = group

    def evidence(self, group: RuleGroup, limit: int) -> tuple[list[RuleSighting], int]:
        """The latest sightings that count, and the highest sensitivity of all that count."""
        self.flush()
        rows = RuleSighting.objects.filter(group=group)
        rows = rows.filter(at__gt=group.since) if group.since else rows
        highest = rows.aggregate(highest=Max("sensitivity"))["highest"]
        return list(rows.order_by("-at", "-event_id")[:limit]), int(highest or 0)

    def flush(self) -> None:
        RuleSighting.objects.bulk_create(self._pending)
        self._pending = []

    def save(self) -> None:
        """Write the sightings and the changed groups."""
        self.flush()
        RuleGroup.objects.bulk_update(self._changed.values(), COUNTS)

    def _add_sighting(self, detection: Detection, group: RuleGroup) -> None:
        self._pending.append(
            RuleSighting(
                group=group,
                unit=detection.unit,
                at=detection.at,
                event_id=detection.event_id,
                episodes=list(detection.episodes),
                sensitivity=detection.sensitivity,
            )
        )
        self.mark_changed(group)

    def _count_in_family(self, detection: Detection, group: RuleGroup, *, early: bool) -> None:
        if detection.family is None:
            return
        family = self.group(detection.family)
        family.seen += 1
        group.base += early
        self.mark_changed(family)
        self.mark_changed(group)

    def _family(self, group: RuleGroup) -> RuleGroup | None:
        return self._by_id.get(group.family_id) if group.family_id else None

    def _load(self, detections: Sequence[Detection]) -> dict[bytes, RuleGroup]:
        families = self._get_or_create({detection.family: None for detection in detections if detection.family})
        return families | self._get_or_create(
            {detection.identity: detection.family for detection in detections}, families
        )

    def _get_or_create(
        self, identities: dict[GroupIdentity, GroupIdentity | None], families: dict[bytes, RuleGroup] | None = None
    ) -> dict[bytes, RuleGroup]:
        """The groups of these identities (with their family's identity) by digest; missing ones are created."""
        rows = self._existing(identities)
        names = {self._digest(identity): family for identity, family in identities.items()}
        new_groups = [
            RuleGroup(
                rule=self.rule.name,
                scope=self.scope,
                identity=name,
                family=families[self._digest(family)] if family and families else None,
            )
            for name, family in names.items()
            if name not in rows
        ]
        return rows | {bytes(row.identity): row for row in RuleGroup.objects.bulk_create(new_groups)}

    def _existing(self, identities: Collection[GroupIdentity]) -> dict[bytes, RuleGroup]:
        """The existing groups of these identities by digest."""
        groups = RuleGroup.objects.filter(scope=self.scope, rule=self.rule.name)
        rows = groups.filter(identity__in=[self._digest(identity) for identity in identities])
        return {bytes(row.identity): row for row in rows}

    def _digest(self, identity: GroupIdentity) -> bytes:
        return identity_digest(self._key, self.rule.name, self.scope, identity)

    def _load_memories(self, groups: Iterable[RuleGroup]) -> None:
        ids = {group.memory_id for group in groups if group.memory_id}
        if ids:
            rows = Memory.objects.filter(pk__in=ids).only(*MEMORY_FIELDS)
            self._memories.update((row.pk, row) for row in rows)

    def _load_sightings(self, detections: Iterable[Detection]) -> None:
        rows_of = [
            (self.group(detection.identity).pk, detection.unit, detection.at, detection.event_id)
            for detection in detections
        ]
        if not rows_of:
            return
        with connection.cursor() as cursor:
            cursor.execute(LAST_SIGHTINGS, [list(column) for column in zip(*rows_of, strict=True)])
            rows = cursor.fetchall()
        for n, last, counted in rows:
            group, unit, _, event_id = rows_of[n - 1]
            self._last[group, unit] = last
            if counted:
                self._counted.add((group, event_id))
