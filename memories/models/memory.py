"""The Memory model: one table, one trust filter and one review inbox for every type of memory."""

from dataclasses import replace
from datetime import datetime
from typing import Any, Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce, Lower, Now

from memories import claims
from memories.models.ageing import PRUNABLE
from memories.models.audit import LONGEST_TEXT, AuditEntry
from memories.models.list_indexes import LIST_INDEXES
from memories.models.locked_rows import entry_of
from memories.models.reviewable import Reviewable
from memories.models.tombstone import Tombstone
from memories.models.trusted import new_id
from memories.models.withholding import Withholding, scopes_against
from memories.values import decay
from memories.values.choices import EXPERIENCE, LIVE, Category, DeletionPolicy, Origin, RevertReason, Status, Type
from memories.values.exceptions import Conflict
from memories.values.field_types import competence_key, episode_key
from memories.values.trust import Actor, Trust

UNDONE = ("undo", "redo")
ACTIVITY = ("promote", "restore", "revise", "reinforce", *UNDONE)  # actions that restart the idle time of a claim


class MemoryQuerySet(Withholding["Memory"]):
    def just_above(self, trust: Trust) -> Self:
        """Memories exactly one level above the caller, within its scopes: for redacted stubs only."""
        above = replace(trust, max_sensitivity=trust.max_sensitivity + 1)
        return self.visible_to(above).filter(sensitivity=trust.max_sensitivity + 1)

    def live(self) -> Self:
        return self.filter(status__in=LIVE)

    def knowledge(self) -> Self:
        """Every memory that is no episode."""
        return self.exclude(type=Type.EPISODIC)

    def with_key(self) -> Self:
        """Annotate `key_or_blank`, which sorts memories without a key first."""
        return self.annotate(key_or_blank=Coalesce("key", models.Value("")))

    def matching(self, *, type: str = "", **exact: str) -> Self:
        """Filter by the list's parameters, '' meaning none (`exact`: columns); without a type all but episodes."""
        rows = self.filter(type=type) if type else self.knowledge()
        return rows.filter(**{name: value for name, value in exact.items() if value})


class Memory(Reviewable):
    """A memory that agents and people share. Decisions of people about it are in Reviewable."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    type = models.CharField(max_length=16, choices=Type)
    category = models.CharField(max_length=16, choices=Category, null=True, blank=True)  # noqa: DJ001
    payload = models.JSONField(default=dict)
    source = models.CharField(max_length=512)
    origin = models.CharField(max_length=16, choices=Origin)
    thread_id = models.CharField(max_length=512, null=True, blank=True)  # noqa: DJ001
    company_id = models.CharField(max_length=512, null=True, blank=True)  # noqa: DJ001
    tags = ArrayField(models.CharField(max_length=256), default=list, blank=True)

    salience = models.FloatField(default=1.0)
    salience_at = models.DateTimeField()
    half_life = models.FloatField(default=30 * decay.DAY)
    min_salience = models.FloatField(default=0.0)
    reinforcement_gain = models.FloatField(default=0.1)
    max_age = models.FloatField(default=0.0)
    reinforced_at = models.DateTimeField(null=True)
    pinned = models.BooleanField(default=False)
    deletion_policy = models.CharField(max_length=16, choices=DeletionPolicy, default=DeletionPolicy.AUTO_PRUNE)
    fades_at = models.GeneratedField(
        expression=decay.FadesAt(
            "salience", "salience_at", "half_life", "min_salience", "max_age", "created_at", "pinned"
        ),
        output_field=models.DateTimeField(null=True),
        db_persist=True,
    )
    expires_at = models.DateTimeField(null=True, blank=True)
    ttl = models.FloatField(null=True, blank=True)
    idle_since = models.DateTimeField(null=True, editable=False)  # null: never decays by confidence
    decay_steps = models.SmallIntegerField(default=0, editable=False)
    decay_due_at = models.DateTimeField(null=True, editable=False)  # when the daily job must check; not moved by a use
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_to = models.DateTimeField(null=True, blank=True)

    created_by = models.CharField(max_length=200)  # display name; the identity is `created_by_id`
    created_by_id = models.CharField(max_length=64, blank=True, editable=False)  # Actor.identity
    # identities of agents who have said it in these words; empty: its maker alone. See values/speakers.py
    speakers = ArrayField(models.CharField(max_length=64), default=list, db_default=[], blank=True, editable=False)
    provenance = models.JSONField(default=dict)
    evidence_of_live = models.BooleanField(default=False)  # pruning skipped it as evidence; see Ageing.released
    times_used = models.IntegerField(default=0)
    times_confirmed = models.IntegerField(default=0)
    last_used_at = models.DateTimeField(null=True)
    flags = models.JSONField(default=list)
    fingerprint = models.BinaryField(max_length=32, null=True, editable=False)  # of the normalised claim in its scope
    resembles = models.UUIDField(null=True, editable=False)  # a tombstone of a similar claim
    withheld_from = ArrayField(models.CharField(max_length=128), default=list, db_default=[], editable=False)
    created_at = models.DateTimeField(db_default=Now())

    objects = MemoryQuerySet.as_manager()
    name_mentions: Any = None  # of a new one, as the gate read them: list of NameMention

    class Meta:
        verbose_name_plural = "memories"
        permissions = [
            ("use_read", "Can read memories, episodes and skills"),
            ("use_ingest", "Can bring in what happened"),
            ("use_report", "Can report outcomes and uses"),
            ("use_skills", "Can download and upload skills"),
            ("use_review", "Can decide what is believed"),
            ("see_high", "Can see what is of high sensitivity"),
            ("see_hyper", "Can see what is of hyper sensitivity"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "key"], condition=Q(status__in=LIVE), name="memory_key_is_unique_while_live"
            ),
            models.UniqueConstraint(
                fields=["scope", "thread_id"],
                condition=Q(type=Type.WORKING, status__in=LIVE),
                name="memory_has_one_working_state_per_thread",
            ),
            models.CheckConstraint(condition=Q(type__in=Type.values), name="memory_type_is_known"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="memory_status_is_known"),
            models.CheckConstraint(condition=Q(confidence__range=(0, 100)), name="memory_confidence_is_a_percentage"),
            models.CheckConstraint(condition=Q(sensitivity__range=(0, 4)), name="memory_sensitivity_is_known"),
            models.CheckConstraint(condition=Q(salience__range=(0, 1)), name="memory_salience_is_between_0_and_1"),
            models.CheckConstraint(
                condition=Q(half_life__gt=0, half_life__lte=1e10), name="memory_half_life_is_positive"
            ),
            models.CheckConstraint(
                condition=Q(max_age__gte=0, max_age__lte=1e10), name="memory_max_age_is_within_the_calendar"
            ),
            models.CheckConstraint(condition=~Q(content=""), name="memory_says_something"),
            models.CheckConstraint(
                condition=Q(category=None) | Q(type=Type.SEMANTIC), name="memory_category_is_of_semantic_only"
            ),
        ]
        indexes = [
            *LIST_INDEXES,
            models.Index(  # closed ones too, and by the beginning of a key in a database of any collation
                fields=["scope", "key"],
                condition=Q(key__isnull=False),
                opclasses=["varchar_pattern_ops", "varchar_pattern_ops"],
                name="memory_by_key",
            ),
            models.Index(fields=["thread_id"], condition=Q(thread_id__isnull=False), name="memory_by_thread"),
            models.Index(fields=["company_id"], condition=Q(company_id__isnull=False), name="memory_by_company"),
            models.Index(Lower("company_id"), condition=Q(company_id__isnull=False), name="memory_by_company_name"),
            models.Index(fields=["source", "-created_at"], name="memory_by_source"),
            models.Index(fields=["fades_at"], condition=PRUNABLE, name="memory_fades"),
            models.Index(fields=["decay_due_at"], condition=Q(decay_due_at__isnull=False), name="memory_decay_due"),
            models.Index(fields=["expires_at"], condition=Q(expires_at__isnull=False), name="memory_expires"),
            models.Index(
                fields=["scope", "fingerprint"], condition=Q(fingerprint__isnull=False), name="memory_same_claim"
            ),
            GinIndex(fields=["tags"], name="memory_tags"),
        ]

    def __str__(self) -> str:
        return self.content[:80]

    @property
    def known_as(self) -> str | None:
        """The name in its tombstone: its key; of a competence the name in runs, of an episode that of its import."""
        if self.type == Type.EPISODIC:
            return episode_key(self.source, self.episode.external_id)
        if self.key or self.type != Type.COMPETENCE:
            return self.key
        return competence_key(self.payload.get("skill_name"))

    @property
    def last_reinforced_at(self) -> datetime:
        """The time of the last reinforcement, else of creation."""
        return self.reinforced_at or self.created_at

    @property
    def is_claim(self) -> bool:
        return self.type not in EXPERIENCE

    def salience_on(self, at: datetime) -> float:
        return decay.salience_at(
            at,
            salience=self.salience,
            salience_at=self.salience_at,
            half_life=self.half_life,
            min_salience=self.min_salience,
            max_age=self.max_age,
            created_at=self.created_at,
            pinned=self.pinned,
        )

    def along(self, action: str, change: dict[str, Any], *, by: Actor, at: datetime) -> dict[str, Any]:
        """Restart the idle time; fingerprint, speakers, and what the claim is withheld from follow the content."""
        wakes = self.idle_since is not None and action in ACTIVITY
        columns: dict[str, Any] = {**decay.awake(at)} if wakes else {}
        if self.type == Type.SEMANTIC and "content" in change:
            columns["fingerprint"] = claims.fingerprint(claims.claim_of(change["content"]), self.scope)
            speaker = None if action in UNDONE else by
            columns["speakers"] = self.evidence.speakers_with_words(self, change["content"], by=speaker)
        revives = self.status not in LIVE and change.get("status") in LIVE
        if (revives or "content" in change) and "withheld_from" not in change:
            columns["withheld_from"] = scopes_against(self, change.get("content", self.content))
        return columns

    def follow(self, entry: AuditEntry, before: dict[str, Any], *, by: Actor, at: datetime) -> None:
        if "content" in before:
            long_texts = (text for text in (before["content"], self.content) if len(text) > LONGEST_TEXT)
            self.wordings.keep(self, *long_texts)
            self.passages.rewrite(self)
        self.mentions.follow(self, before)
        if "sensitivity" in before:
            self.sensitivity_follows()
        former = before.get("status", self.status)
        self._follow_behaviour(former, before, again=entry.action in UNDONE, by=by, at=at)
        if former != self.status and Status.DISMISSED in (former, self.status):
            self._follow_dismissal(entry, by=by, at=at)
        if (former in LIVE) != (self.status in LIVE):
            self._follow_closing(entry, by=by, at=at)
        if entry.undoes:
            self._follow_relation(entry)

    def _follow_behaviour(self, former: str, before: dict[str, Any], *, again: bool, by: Actor, at: datetime) -> None:
        """Open or end the adaptation: exactly the live applied memories that change behaviour have an active one."""
        is_reworded = not {"content", "category"}.isdisjoint(before)
        was_applied, is_applied = former == Status.APPLIED, self.status == Status.APPLIED
        if was_applied and (is_reworded or not is_applied):
            why = RevertReason.SUPERSEDED if is_applied else RevertReason.of(self.status)
            self.adaptations.revert(why=why, by=by, at=at)
        if is_applied and (is_reworded or not was_applied):
            self.adaptations.open(self, again=again, by=by, at=at)

    def _follow_dismissal(self, entry: AuditEntry, *, by: Actor, at: datetime) -> None:
        """Write or lift the tombstone: exactly the dismissed memories have one that blocks."""
        if self.status != Status.DISMISSED:
            self.locked_rows.lift(self) if self.locked_rows else Tombstone.objects.filter(memory_id=self.pk).lift(
                by=by, at=at
            )
        elif entry.action not in UNDONE or not Tombstone.objects.raise_again(self, at=at):
            duplicate = bool(entry.after.get("duplicate"))
            Tombstone.objects.bury(self, by=by, why=entry.rationale, at=at, duplicate=duplicate)

    def _follow_closing(self, entry: AuditEntry, *, by: Actor, at: datetime) -> None:
        """Withdraw proposals about a closed memory, and reopen them when the closing is undone."""
        proposals = self.proposals.model._default_manager
        if self.status not in LIVE and self.locked_rows:
            self.locked_rows.close(self)
        elif self.status not in LIVE:
            proposals.follow_closing([self.pk], by=by, at=at)
        elif entry.undoes and self.locked_rows:
            self.locked_rows.reopen(self, entry_of(self, entry.undoes).at)
        elif entry.undoes:
            proposals.among([self.pk]).return_from(entry_of(self, entry.undoes).at)

    def _follow_relation(self, entry: AuditEntry) -> None:
        """Remove the relation that a revision made when it is undone, and restore it when it is redone."""
        first = entry
        while first.undoes:
            first = entry_of(self, first.undoes)
        if not (relation := first.after.get("relation")):
            return
        relations = self.relations.model._default_manager
        ends = {"source_id": relation["source"], "target_id": relation["target"], "predicate": relation["predicate"]}
        if entry.action == "undo":
            relations.filter(**ends).delete()
        elif Memory.objects.filter(pk__in=(relation["source"], relation["target"])).count() == 2:
            relations.get_or_create(**ends)

    def sensitivity_follows(self) -> None:
        """Update copies of the sensitivity; that of the audit trail and of proposals is only ever raised. Requests by
        which the memory is found may be more secret than it is now: they are deleted."""
        if self.type != Type.EPISODIC:
            self.passages.filter(position__lt=0).delete()
        self.adaptations.update(sensitivity=self.sensitivity)
        Tombstone.objects.filter(memory_id=self.pk).update(sensitivity=self.sensitivity)
        proposals = self.proposals.model._default_manager.naming(self.pk).raise_to(self.sensitivity)
        AuditEntry.objects.raise_about([self.pk, *proposals], self.sensitivity)

    def former(self, entry: AuditEntry) -> dict[str, Any]:
        """The values before a decision, with long texts from the Wording table: the trail holds only their hashes."""
        values = super().former(entry)
        if isinstance(body := values.get("content"), dict):
            wording = self.wordings.filter(sha256=body["sha256"]).first()
            if wording is None:
                raise Conflict("cannot undo: the earlier text is no longer stored")
            values["content"] = wording.text
        return values
