"""What follows from a detection: a new candidate, a confirmation of one, a hit on its tombstone, or only a count."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db.models import Max

from consolidation.models.groups import RuleGroup, RuleSighting
from consolidation.patterns.counts import GroupCounts
from consolidation.patterns.rules import Detection, GroupIdentity, Rule
from memories.intake import admission
from memories.intake.admission import dismissed_key
from memories.intake.claims import Occasion, Statement, WriteResult, remember
from memories.intake.claims.writing import live_row, lock_key
from memories.intake.evidence import record_suppressed
from memories.intake.revisions import supersede
from memories.models import Episode, Memory, Tombstone
from memories.models.evidence import episode_occasion
from memories.values.choices import LIVE, ActorKind, Hold, Origin, Sensitivity, Status
from memories.values.trust import Actor, everything

BY = Actor(ActorKind.SYSTEM, "Memos", "patterns")
MAX_EVIDENCE = 100  # episodes that a new memory names as its evidence


class CandidateWriter:
    """Writes the candidates of one rule in one scope. `remaining`: memories it may still create, None: any number."""

    def __init__(self, rule: Rule, counts: GroupCounts, *, remaining: int | None, at: datetime) -> None:
        self.rule, self.counts, self.remaining, self.at = rule, counts, remaining, at
        self.counters: Counter[str] = Counter()
        self._covered: set[tuple[UUID, GroupIdentity]] = set()

    def may_write(self, detection: Detection) -> bool:
        """Whether the detection can be recorded in this run: False if it would need a new memory and none remains."""
        return self.remaining is None or self.remaining > 0 or self.counts.group(detection.identity).written

    def record(self, detection: Detection) -> None:
        """Count the detection, and create or confirm the memory of its group where its threshold is reached."""
        is_new_unit = self.counts.count(detection)
        if is_new_unit is None or not detection.key:
            return
        group = self.counts.group(detection.identity)
        memory = self.counts.memory(group)
        if memory is not None and self._is_live(memory):
            self._mark_covered(detection)
            if not is_new_unit:
                return
        elif not self.counts.ripe(group) or (detection.event_id, detection.identity) in self._covered:
            return
        elif memory is not None and memory.status == Status.SUPERSEDED:
            return  # another memory has replaced it
        self._write(detection, group, memory)

    def _is_live(self, memory: Memory) -> bool:
        return memory.status in LIVE and (memory.expires_at is None or memory.expires_at > self.at)

    def _write(self, detection: Detection, group: RuleGroup, memory: Memory | None) -> None:
        key = (memory.key if memory else None) or detection.key
        lock_key(self.counts.scope, key)
        row = live_row(self.counts.scope, key, at=self.at)
        if memory is not None and row is None and memory.status in LIVE:  # it has just expired
            group.memory, memory = None, None
        if row is not None and row.pk != group.memory_id and row.rule_groups.exists():
            key, row = f"{key[:246]}-{bytes(group.identity).hex()[:8]}", None  # two groups whose names read alike
            lock_key(self.counts.scope, key)
        if row is not None:
            return self._confirm(detection, group, row)
        if memory is not None and memory.status == Status.RETRACTED:
            suppress_closed(memory, detection)
            self.counters["suppressed"] += 1
            return None
        return self._create(detection, group, key)

    def _confirm(self, detection: Detection, group: RuleGroup, row: Memory) -> None:
        """Confirm the memory of a group. One that this rule wrote keeps its content, which a person may have edited."""
        is_ours = row.origin == Origin.DETECTED and row.pk == group.memory_id
        statement = self._statement(detection, row.key or detection.key, detection.sensitivity)
        if is_ours:
            statement = replace(statement, content=row.content)
        first = replace(detection, episodes=detection.episodes[:1])
        result = remember(statement, occasions=_occasions([first]), by=BY, at=self.at)
        if is_ours and result.memory is not None and result.memory.sensitivity < detection.sensitivity:
            before, result.memory.sensitivity = result.memory.sensitivity, detection.sensitivity
            result.memory.raise_sensitivity(before, by=BY, at=self.at)
        self._update_group(group, result)

    def _create(self, detection: Detection, group: RuleGroup, key: str) -> None:
        stones = Tombstone.objects.filter(key=key)
        blocking = dismissed_key(self.counts.scope, key)
        highest: int = detection.sensitivity
        if blocking is not None:
            suppress(blocking, self._statement(detection, key, highest), by=BY, at=self.at)
            self.counters["suppressed"] += 1
            return
        mark = stones.filter(scope=self.counts.scope).aggregate(last=Max("at"))["last"]
        self._restart_after(group, mark)
        if not self.counts.ripe(group):
            return
        sightings, highest = self.counts.evidence(group, MAX_EVIDENCE)
        occasions = _occasions(sightings)
        result = remember(self._statement(detection, key, highest), occasions=occasions, by=BY, at=self.at)
        self._update_group(group, result)
        if result.created and result.memory:
            self._supersede(detection, result.memory)
            self._mark_covered(detection)

    def _restart_after(self, group: RuleGroup, mark: datetime | None) -> None:
        """Restart the counts of a group whose memory expired or was deleted, from that moment, or now if unknown."""
        is_lost = group.written and group.memory_id is None
        if mark is None and is_lost:
            mark = self.at
        if mark is not None and (group.since is None or mark > group.since):
            self.counts.restart(group, mark)
        group.written = group.memory_id is not None
        self.counts.mark_changed(group)

    def _statement(self, detection: Detection, key: str, sensitivity: int) -> Statement:
        return statement(self.rule, detection, scope=self.counts.scope, key=key, sensitivity=sensitivity, at=self.at)

    def _update_group(self, group: RuleGroup, result: WriteResult) -> None:
        self.counters["patterns_created"] += result.created
        self.counters["facts_reinforced"] += result.reinforced
        self.counters["suppressed"] += result.suppressed
        if result.created and self.remaining is not None:
            self.remaining -= 1
        if result.memory is not None and not result.suppressed:
            group.memory, group.written = result.memory, True
            self.counts.cache_memory(result.memory)
            self.counts.mark_changed(group)

    def _mark_covered(self, detection: Detection) -> None:
        self._covered |= {(detection.event_id, identity) for identity in detection.covers}

    def _supersede(self, detection: Detection, new: Memory) -> None:
        """Supersede the memories of the smaller groups that this one covers, except applied ones and those on hold."""
        for identity in detection.covers:
            group = self.counts.find(identity)
            old = self.counts.memory(group) if group else None
            if old is None or old.origin != Origin.DETECTED:
                continue
            row = Memory.objects.select_for_update(of=("self",)).filter(pk=old.pk).first()
            if row and row.hold == Hold.NONE and row.status in (Status.CANDIDATE, Status.CONFIRMED):
                supersede(row, new, by=BY, why=f"it continues: {new.content}"[:2000], at=self.at)
                self.counts.cache_memory(row)
                self.counters["superseded"] += 1


def _occasions(sightings: Iterable[Detection | RuleSighting]) -> list[Occasion]:
    """Occasions of episodes by their time, at the event that completed each; a deleted episode counts too."""
    events = {episode: sighting for sighting in sightings for episode in sighting.episodes}
    existing = set(Episode.objects.filter(pk__in=events).values_list("pk", flat=True))
    return [
        Occasion(episode_occasion(pk), one.at, pk if pk in existing else None, one.event_id if pk in existing else None)
        for pk, one in events.items()
    ]


SOURCE = "patterns"


def statement(rule: Rule, detection: Detection, *, scope: str, key: str, sensitivity: int, at: datetime) -> Statement:
    return Statement(
        content=detection.content,
        key=key,
        scope=scope,
        source=detection.source,
        confidence=rule.confidence,
        category=detection.category,
        origin=Origin.DETECTED,
        sensitivity=Sensitivity(sensitivity),
        tags=detection.tags,
        company_id=detection.company_id,
        expires_at=at + rule.ttl if rule.ttl else None,
    )


def suppress(tombstone: Tombstone, claim: Statement, *, by: Actor, at: datetime) -> WriteResult:
    """Record a hit on the tombstone of this key: people dismissed it, in whatever words."""
    return admission.suppress(tombstone, claim, trust=everything(by), at=at)


def suppress_closed(memory: Memory, detection: Detection) -> None:
    """Record that a retracted memory was detected again."""
    record_suppressed(memory, {detection.at: ""}, source=SOURCE)
