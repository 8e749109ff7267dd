"""What comes of a group that was seen once more: a new candidate, a confirmation, a word on a tombstone, or nothing."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db.models import Max

from consolidation.models.groups import RuleGroup
from consolidation.patterns import suggestions
from consolidation.patterns.counts import Ledger
from consolidation.patterns.rule import Identity, Rule, Sign
from memories.intake.admission import dismissed_key
from memories.intake.claims import Occasion, Statement, Stored, remember
from memories.intake.claims.writing import live_row, lock_key
from memories.intake.revisions import supersede
from memories.models import Episode, Memory, Tombstone
from memories.models.evidence import episode_occasion
from memories.values.choices import LIVE, ActorKind, Hold, Origin, Status
from memories.values.trust import Actor

BY = Actor(ActorKind.SYSTEM, "Memos", "patterns")
MOST_FOUNDING = 100  # episodes that a new memory names as its evidence


class Decider:
    """Of one rule in one scope and batch. `left`: how many new memories it may still write; None for any number."""

    def __init__(self, rule: Rule, ledger: Ledger, *, left: int | None, at: datetime) -> None:
        self.rule, self.ledger, self.left, self.at = rule, ledger, left, at
        self.counters: Counter[str] = Counter()
        self._covered: set[tuple[UUID, Identity]] = set()

    def may(self, sign: Sign) -> bool:
        """False: to write what this sign would found must wait for another run."""
        return self.left is None or self.left > 0 or self.ledger.group(sign.identity).written

    def meet(self, sign: Sign) -> None:
        """Counts the sign and does what follows from that."""
        fresh = self.ledger.count(sign)
        if fresh is None or not sign.key:
            return
        group = self.ledger.group(sign.identity)
        memory = self.ledger.memory(group)
        if memory is not None and self._lives(memory):
            self._cover(sign)
            if not fresh:
                return
        elif not self.ledger.ripe(group) or (sign.event_id, sign.identity) in self._covered:
            return
        elif memory is not None and memory.status == Status.SUPERSEDED:
            return  # another stands in its place
        self._write(sign, group, memory)

    def _lives(self, memory: Memory) -> bool:
        return memory.status in LIVE and (memory.expires_at is None or memory.expires_at > self.at)

    def _write(self, sign: Sign, group: RuleGroup, memory: Memory | None) -> None:
        key = (memory.key if memory else None) or sign.key
        lock_key(self.ledger.scope, key)
        row = live_row(self.ledger.scope, key, at=self.at)
        if memory is not None and row is None and memory.status in LIVE:  # its time is over: it went just now
            group.memory, memory = None, None
        if row is not None and row.pk != group.memory_id and row.rule_groups.exists():
            key, row = f"{key[:246]}-{bytes(group.identity).hex()[:8]}", None  # two groups whose names read alike
            lock_key(self.ledger.scope, key)
        if row is not None:
            return self._confirm(sign, group, row)
        if memory is not None and memory.status == Status.RETRACTED:
            suggestions.suppress_closed(memory, sign)
            self.counters["suppressed"] += 1
            return None
        return self._found(sign, group, key)

    def _confirm(self, sign: Sign, group: RuleGroup, row: Memory) -> None:
        """A rule knows what it wrote by its key: its words, or those of a person who edited them, are not weighed."""
        own = row.origin == Origin.DETECTED and row.pk == group.memory_id
        statement = self._statement(sign, row.key or sign.key, sign.sensitivity)
        if own:
            statement = replace(statement, content=row.content)
        stored = remember(statement, occasions=_occasions({sign.episodes[0]: sign.at}), by=BY, at=self.at)
        if own and stored.memory is not None and stored.memory.sensitivity < sign.sensitivity:
            before, stored.memory.sensitivity = stored.memory.sensitivity, sign.sensitivity
            stored.memory.raise_sensitivity(before, by=BY, at=self.at)
        self._written(group, stored)

    def _found(self, sign: Sign, group: RuleGroup, key: str) -> None:
        stones = Tombstone.objects.filter(key=key)
        blocking = dismissed_key(self.ledger.scope, key)
        highest: int = sign.sensitivity
        if blocking is not None:
            suggestions.suppress(blocking, self._statement(sign, key, highest), by=BY, at=self.at)
            self.counters["suppressed"] += 1
            return
        mark = stones.filter(scope=self.ledger.scope).aggregate(last=Max("at"))["last"]
        self._begin_after(group, mark)
        if not self.ledger.ripe(group):
            return
        sightings, highest = self.ledger.evidence(group, MOST_FOUNDING)
        founding = _occasions({episode: one.at for one in sightings for episode in one.episodes})
        stored = remember(self._statement(sign, key, highest), occasions=founding, by=BY, at=self.at)
        self._written(group, stored)
        if stored.created and stored.memory:
            self._supersede(sign, stored.memory)
            self._cover(sign)

    def _begin_after(self, group: RuleGroup, mark: datetime | None) -> None:
        """What expired, was deleted or lifted begins anew after that; what is gone without a trace, now."""
        gone = group.written and group.memory_id is None
        if mark is None and gone:
            mark = self.at
        if mark is not None and (group.since is None or mark > group.since):
            self.ledger.begin_anew(group, mark)
        group.written = group.memory_id is not None
        self.ledger.moved(group)

    def _statement(self, sign: Sign, key: str, sensitivity: int) -> Statement:
        return suggestions.statement(
            self.rule, sign, scope=self.ledger.scope, key=key, sensitivity=sensitivity, at=self.at
        )

    def _written(self, group: RuleGroup, stored: Stored) -> None:
        self.counters["patterns_created"] += stored.created
        self.counters["facts_reinforced"] += stored.reinforced
        self.counters["suppressed"] += stored.suppressed
        if stored.created and self.left is not None:
            self.left -= 1
        if stored.memory is not None and not stored.suppressed:
            group.memory, group.written = stored.memory, True
            self.ledger.remember(stored.memory)
            self.ledger.moved(group)

    def _cover(self, sign: Sign) -> None:
        self._covered |= {(sign.event_id, identity) for identity in sign.covers}

    def _supersede(self, sign: Sign, new: Memory) -> None:
        """What a longer one says too. What a person put where it is, or already changes behaviour, stays beside it."""
        for identity in sign.covers:
            group = self.ledger.find(identity)
            old = self.ledger.memory(group) if group else None
            if old is None or old.origin != Origin.DETECTED:
                continue
            row = Memory.objects.select_for_update(of=("self",)).filter(pk=old.pk).first()
            if row and row.hold == Hold.NONE and row.status in (Status.CANDIDATE, Status.CONFIRMED):
                supersede(row, new, by=BY, why=f"it goes on: {new.content}"[:2000], at=self.at)
                self.ledger.remember(row)
                self.counters["superseded"] += 1


def _occasions(episodes: Mapping[UUID, datetime]) -> list[Occasion]:
    """Of episodes with when they spoke; one that is gone meanwhile has spoken too."""
    there = set(Episode.objects.filter(pk__in=episodes).values_list("pk", flat=True))
    return [Occasion(episode_occasion(pk), at, pk if pk in there else None) for pk, at in episodes.items()]
