"""The counts of the groups that a batch belongs to: read at once, moved one by one, written at once."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection
from django.db.models import Max

from consolidation.models.groups import RuleGroup, RuleSighting
from consolidation.patterns.rule import Identity, Rule, Sign, hashed
from memories.models import DigestKey, Memory
from memories.models.digest_key import ITSELF, secrets_of

WRITE = """
    UPDATE consolidation_rulegroup AS g SET memory_id = a.memory_id, written = a.written, seen = a.seen,
        units = a.units, base = a.base, since = a.since
    FROM unnest(%s::bigint[], %s::uuid[], %s::boolean[], %s::int[], %s::int[], %s::int[], %s::timestamptz[])
        AS a(id, memory_id, written, seen, units, base, since)
    WHERE g.id = a.id
"""
LOOKED_AT = ("key", "status", "expires_at", "origin")
# When a group last saw a unit before this batch, and whether it has counted this very event.
KNOWN = """
    SELECT n, past.at, EXISTS (SELECT FROM consolidation_rulesighting AS s
        WHERE s.group_id = a.g AND s.unit = a.unit AND s.at = a.at AND s.event_id = a.event_id)
    FROM unnest(%s::bigint[], %s::uuid[], %s::timestamptz[], %s::uuid[]) WITH ORDINALITY AS a(g, unit, at, event_id, n)
    LEFT JOIN LATERAL (SELECT at FROM consolidation_rulesighting WHERE group_id = a.g AND unit = a.unit
        ORDER BY at DESC LIMIT 1) AS past ON true
"""


class Ledger:
    """Of one rule in one scope, for these signs; the scope is the caller's alone."""

    def __init__(self, rule: Rule, scope: str, signs: Sequence[Sign]) -> None:
        self.rule, self.scope = rule, scope
        self._key = DigestKey.current()
        self._former = self._former_keys()
        self._groups = self._load(signs)
        self._by_id = {group.pk: group for group in self._groups.values()}
        self._memories: dict[UUID, Memory] = {}
        self._recall_memories(self._groups.values())
        self._last: dict[tuple[int, UUID], datetime | None] = {}
        self._counted: set[tuple[int, UUID]] = set()
        self._pending: list[RuleSighting] = []
        self._moved: dict[int, RuleGroup] = {}
        self._recall(signs)

    def group(self, identity: Identity) -> RuleGroup:
        return self._groups[self._hashed(identity)]

    def find(self, identity: Identity) -> RuleGroup | None:
        """Also one that no sign of this batch belongs to."""
        name = self._hashed(identity)
        if name not in self._groups:
            found = self._rows([identity])
            if not found:
                return None
            self._groups |= found
            self._recall_memories(found.values())
        return self._groups[name]

    def memory(self, group: RuleGroup) -> Memory | None:
        """What the group teaches, as it was when the batch began or as the rule has left it."""
        return self._memories.get(group.memory_id) if group.memory_id else None

    def remember(self, memory: Memory) -> None:
        self._memories[memory.pk] = memory

    def count(self, sign: Sign) -> bool | None:
        """Counts a run; whether it is the first of its unit. None: it was counted before, or is from before `since`."""
        group = self.group(sign.identity)
        if (group.pk, sign.event_id) in self._counted:
            return None
        self._counted.add((group.pk, sign.event_id))
        early = group.since is not None and sign.at <= group.since
        self._of_family(sign, group, early=early)
        if early:
            return None
        last = self._last.get((group.pk, sign.unit))
        fresh = last is None or (group.since is not None and last <= group.since)
        self._last[group.pk, sign.unit] = max(last, sign.at) if last else sign.at
        group.seen += 1
        group.units += fresh
        self._note(sign, group)
        return fresh

    def ripe(self, group: RuleGroup) -> bool:
        family = self._family(group)
        of = family.seen - group.base if family else 0
        return self.rule.ripe(seen=group.seen, units=group.units, of=of)

    def begin_anew(self, group: RuleGroup, at: datetime) -> None:
        """Only what came after `at` counts."""
        self.flush()
        after = RuleSighting.objects.filter(group=group, at__gt=at)
        group.since, group.seen = at, after.count()
        group.units = after.values("unit").distinct().count()
        if family := self._family(group):
            later = RuleSighting.objects.filter(group__family=family, at__gt=at).count()
            group.base = family.seen - later
        self.moved(group)

    def moved(self, group: RuleGroup) -> None:
        self._moved[group.pk] = group

    def evidence(self, group: RuleGroup, most: int) -> tuple[list[RuleSighting], int]:
        """The latest sightings that count, and the highest sensitivity of them all."""
        self.flush()
        rows = RuleSighting.objects.filter(group=group)
        rows = rows.filter(at__gt=group.since) if group.since else rows
        highest = rows.aggregate(highest=Max("sensitivity"))["highest"]
        return list(rows.order_by("-at", "-event_id")[:most]), int(highest or 0)

    def flush(self) -> None:
        RuleSighting.objects.bulk_create(self._pending)
        self._pending = []

    def close(self) -> None:
        self.flush()
        rows = [(g.pk, g.memory_id, g.written, g.seen, g.units, g.base, g.since) for g in self._moved.values()]
        with connection.cursor() as cursor:
            cursor.execute(WRITE, [list(column) for column in zip(*rows, strict=True)] or [[]] * 7)

    def _note(self, sign: Sign, group: RuleGroup) -> None:
        self._pending.append(
            RuleSighting(
                group=group,
                unit=sign.unit,
                at=sign.at,
                event_id=sign.event_id,
                episodes=list(sign.episodes),
                sensitivity=sign.sensitivity,
            )
        )
        self.moved(group)

    def _of_family(self, sign: Sign, group: RuleGroup, *, early: bool) -> None:
        if sign.family is None:
            return
        family = self.group(sign.family)
        family.seen += 1
        group.base += early
        self.moved(family)
        self.moved(group)

    def _family(self, group: RuleGroup) -> RuleGroup | None:
        return self._by_id.get(group.family_id) if group.family_id else None

    def _load(self, signs: Sequence[Sign]) -> dict[bytes, RuleGroup]:
        families = self._stored({sign.family: None for sign in signs if sign.family})
        return families | self._stored({sign.identity: sign.family for sign in signs}, families)

    def _stored(
        self, wanted: dict[Identity, Identity | None], families: dict[bytes, RuleGroup] | None = None
    ) -> dict[bytes, RuleGroup]:
        """The groups of these identities; what is not there yet is made."""
        found = self._rows(wanted)
        names = {self._hashed(identity): family for identity, family in wanted.items()}
        made = [
            RuleGroup(
                rule=self.rule.name,
                scope=self.scope,
                identity=name,
                family=families[self._hashed(family)] if family and families else None,
            )
            for name, family in names.items()
            if name not in found
        ]
        return found | {bytes(row.identity): row for row in RuleGroup.objects.bulk_create(made)}

    def _rows(self, identities: Collection[Identity]) -> dict[bytes, RuleGroup]:
        """Those that there are. What a SECRET_KEY sealed is from now on known by the database's own key."""
        there = RuleGroup.objects.filter(scope=self.scope, rule=self.rule.name)
        names = {self._hashed(identity): identity for identity in identities}
        found = {bytes(row.identity): row for row in there.filter(identity__in=names)}
        missing = [identity for name, identity in names.items() if name not in found]
        for key in self._former if missing else ():
            former = {self._hashed(identity, key): self._hashed(identity) for identity in missing}
            for row in there.filter(identity__in=former).exclude(sealed_with=ITSELF):
                if former[bytes(row.identity)] in found:
                    continue
                row.identity, row.sealed_with = former[bytes(row.identity)], ITSELF
                row.save(update_fields=["identity", "sealed_with"])
                found[bytes(row.identity)] = row
        return found

    def _former_keys(self) -> list[bytes]:
        """By which groups of this rule were sealed that have not been met since."""
        sealed = RuleGroup.objects.filter(scope=self.scope, rule=self.rule.name).exclude(sealed_with=ITSELF)
        marks = sealed.order_by().values_list("sealed_with", flat=True).distinct()
        return [key for keys in secrets_of(marks).values() for key in keys]

    def _hashed(self, identity: Identity, key: bytes | None = None) -> bytes:
        return hashed(key or self._key, self.rule.name, self.scope, identity)

    def _recall_memories(self, groups: Iterable[RuleGroup]) -> None:
        ids = {group.memory_id for group in groups if group.memory_id}
        if ids:
            rows = Memory.objects.filter(pk__in=ids).only(*LOOKED_AT)
            self._memories.update((row.pk, row) for row in rows)

    def _recall(self, signs: Iterable[Sign]) -> None:
        asked = [(self.group(sign.identity).pk, sign.unit, sign.at, sign.event_id) for sign in signs]
        if not asked:
            return
        with connection.cursor() as cursor:
            cursor.execute(KNOWN, [list(column) for column in zip(*asked, strict=True)])
            rows = cursor.fetchall()
        for n, last, counted in rows:
            group, unit, _, event_id = asked[n - 1]
            self._last[group, unit] = last
            if counted:
                self._counted.add((group, event_id))
