"""Subjects: who or what claims are about, and which claim names which.

The gate writes both tables in the statement that inserts a memory. A name becomes a subject when a claim is surely
about it (a company, the subject of a triple, the topic of a sentence); other names in claims are kept as mentions,
which count once it is one. Forgetting a memory takes its mentions along, and subjects that nothing names any more.
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, Self, Unpack
from uuid import NAMESPACE_URL, UUID, uuid5

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models, transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from pydantic_core import to_json

from memories.claims import Claim
from memories.claims.named_things import COMPANY, HOST, OTHER, PERSON, REPOSITORY, NameMention, subjects_in
from memories.models import bulk_rows
from memories.models.audit import SUBJECT, AuditEntry, RevertFacts
from memories.models.memory import Memory
from memories.values.choices import EXPERIENCE, Category, Type
from memories.values.exceptions import Conflict
from memories.values.search_words import KeyWords
from memories.values.trust import SHARED_SCOPES, Actor, Trust

KINDS = (COMPANY, PERSON, REPOSITORY, HOST, OTHER)
OF_PEOPLE = (Category.PREFERENCE, Category.CONTACT)
NAMING = frozenset({"content", "company_id", "sensitivity"})
# `memory`: the rows that the same statement inserts, or the table.
NAMED = """
named AS (
    SELECT given.*, memory.scope, memory.sensitivity, memory.created_at
    FROM json_to_recordset(%s)
        AS given (memory_id uuid, subject_id uuid, name text, title text, kind text, is_topic boolean)
    JOIN {memory} ON memory.id = given.memory_id
), subjects AS (
    INSERT INTO memories_subject AS known (id, name, title, kind, scopes, sensitivity, version, created_at)
    SELECT subject_id, name, min(title), coalesce(min(kind) FILTER (WHERE kind <> 'other'), 'other'),
           array_agg(DISTINCT scope), min(sensitivity), 1, min(created_at)
    FROM named
    WHERE is_topic AND NOT EXISTS (
        SELECT FROM memories_subject AS same
        WHERE same.id = named.subject_id AND same.sensitivity <= named.sensitivity
            AND named.scope = ANY(same.scopes) AND (same.kind <> 'other' OR named.kind = 'other')
        OFFSET 0  -- looked up for each name: as a join the whole table is read, until it is large
    )
    GROUP BY subject_id, name ORDER BY name
    ON CONFLICT (id) DO UPDATE SET
        scopes = ARRAY(SELECT DISTINCT unnest(known.scopes || excluded.scopes)),
        sensitivity = least(known.sensitivity, excluded.sensitivity),
        kind = CASE known.kind WHEN 'other' THEN excluded.kind ELSE known.kind END
), mentions AS (
    INSERT INTO memories_mention (subject_id, memory_id)
    SELECT subject_id, memory_id FROM named ON CONFLICT DO NOTHING
)"""
OF_NEW = NAMED.format(memory="rows0 AS memory")
OF_STORED = NAMED.format(memory="memories_memory AS memory")


class SubjectQuerySet(models.QuerySet["Subject"]):
    def within(self, trust: Trust) -> Self:
        """Subjects that the caller may have heard of, by the scopes and levels where they were ever named. Whether
        there is such a memory now, the memories tell.
        """
        rows = self.filter(sensitivity__lte=trust.max_sensitivity)
        if trust.scopes is None:
            return rows
        return rows.filter(scopes__overlap=sorted({*trust.scopes, *SHARED_SCOPES}))

    def together_with(self, subject: "Subject") -> Self:
        """The subject with all that people said is the same, itself among them."""
        root = subject.same_as_id or subject.pk
        return self.filter(Q(pk=root) | Q(same_as=root)).order_by("name")

    def drop_unmentioned(self, memories: Collection[UUID]) -> set[UUID]:
        """Delete the subjects that no memory but these names; their ids. Call before these are deleted."""
        mentioned_subjects = self.filter(pk__in=Mention.objects.filter(memory__in=memories).values("subject"))
        return mentioned_subjects.drop_unless(Mention.objects.exclude(memory__in=memories))

    def drop_unless(self, mentions: "MentionQuerySet") -> set[UUID]:
        """Delete those of these subjects that have none of these mentions; returns their ids."""
        unmentioned_subjects = self.exclude(models.Exists(mentions.filter(subject=models.OuterRef("pk"))))
        if ids := set(unmentioned_subjects.values_list("pk", flat=True)):
            Subject.objects.filter(same_as__in=ids).update(same_as=None, version=F("version") + 1)
            Subject.objects.filter(pk__in=ids).delete()
        return ids


class Subject(models.Model):
    """A company, person, repository, host or other name that claims are about; its id follows from its name.

    `name`: by which it is known again; `title`: as it was written first. `scopes` and `sensitivity`: where it was ever
    named, and the lowest level of that. `same_as`: another spelling of the same, which a person chose as its page.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    name = models.CharField(max_length=256, unique=True)
    title = models.CharField(max_length=256)
    kind = models.CharField(max_length=16, choices=[(kind, kind) for kind in KINDS])
    scopes = ArrayField(models.CharField(max_length=128), default=list)
    sensitivity = models.SmallIntegerField()
    same_as = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="spellings")
    version = models.IntegerField(default=1)
    created_at = models.DateTimeField(db_default=Now())

    objects = SubjectQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=KINDS), name="subject_kind_is_known"),
            models.CheckConstraint(condition=~Q(same_as=F("id")), name="subject_is_no_spelling_of_itself"),
        ]
        indexes = [
            GinIndex(KeyWords("name"), name="subject_by_words"),
            GinIndex(fields=["scopes"], name="subject_in_scopes"),
        ]

    def __str__(self) -> str:
        return self.title

    def merge(self, into: "Subject", *, by: Actor, at: datetime, version: int) -> AuditEntry:
        """Say that this is another spelling of `into`, with all that was the same as this before; undone by its batch.

        Conflict: either was merged or changed since `version` of this one was read, or they are one already.
        """
        with transaction.atomic():
            self._lock(into)
            if self.version != version or self.same_as_id or into.same_as_id or self.pk == into.pk:
                raise Conflict("cannot merge: these spellings were merged or separated meanwhile")
            spelling_ids = sorted(map(str, self.spellings.values_list("pk", flat=True)))
            self.spellings.update(same_as=into)
            change = {"same_as": str(into.pk), "spellings": spelling_ids}
            return self._move(into, "merge", change, level=into.sensitivity, by=by, at=at)

    def revert(self, entry: AuditEntry, *, by: Actor, at: datetime, batch: UUID) -> AuditEntry:
        """Undo or redo a merge. Conflict: the subject has changed since."""
        with transaction.atomic():
            target = entry.after.get("same_as") or entry.before.get("same_as")
            into = Subject.objects.filter(pk=target).first()
            if into is None:
                raise Conflict("cannot undo: the other spelling is gone")
            self._lock(into)
            if (str(self.same_as_id) if self.same_as_id else None, self.version) != (
                entry.after["same_as"],
                entry.subject_version,
            ):
                raise Conflict("cannot undo: these spellings were merged or separated meanwhile")
            spelling_ids = entry.after.get("spellings") or entry.before.get("spellings") or []
            is_redo = entry.action == "undo"
            if is_redo and (self.same_as_id or into.same_as_id):
                raise Conflict("cannot undo: these spellings were merged or separated meanwhile")
            Subject.objects.filter(pk__in=spelling_ids).update(same_as=into if is_redo else self)
            change = {"same_as": str(into.pk) if is_redo else None, "spellings": spelling_ids}
            facts: RevertFacts = {"by": by, "at": at, "batch": batch, "undoes": entry.pk}
            action = "redo" if is_redo else "undo"
            return self._move(into if is_redo else None, action, change, level=entry.sensitivity, **facts)

    def _lock(self, other: "Subject") -> None:
        ids = [self.pk, other.pk]
        rows = Subject.objects.select_for_update().filter(pk__in=ids).order_by("pk").in_bulk()
        if len(rows) < len(set(ids)):
            raise Conflict("cannot merge: one of these is gone meanwhile")
        for subject in (self, other):
            subject.refresh_from_db()

    def _move(
        self, into: "Subject | None", action: str, change: dict[str, Any], *, level: int, **facts: Unpack[RevertFacts]
    ) -> AuditEntry:
        before = {"same_as": str(self.same_as_id) if self.same_as_id else None, "spellings": change["spellings"]}
        self.same_as, self.version = into, self.version + 1
        self.save(update_fields=["same_as", "version"])
        return AuditEntry.draft(
            kind=SUBJECT,
            subject=self.pk,
            label=self.title,
            action=action,
            scope="",
            sensitivity=max(self.sensitivity, level),
            version=self.version,
            before=before,
            after=change,
            **facts,
        ).written()


class MentionQuerySet(models.QuerySet["Mention"]):
    def name_in(self, memories: Iterable[Memory]) -> int:
        """Write the names in stored memories beside those that are written; how many there are."""
        rows = _rows(memories)
        if rows:
            with bulk_rows.prepared() as cursor:
                cursor.execute(f"WITH {OF_STORED} SELECT", [to_json(rows).decode()])
        return len(rows)

    def follow(self, memory: Memory, before: Collection[str]) -> None:
        """Write the names of a claim anew where its words, company or level have changed (`before`: columns)."""
        if NAMING.isdisjoint(before) or not memory.is_claim:
            return
        memory.name_mentions = None
        old_mentions = self.filter(memory=memory).exclude(subject__in=[row["subject_id"] for row in _rows([memory])])
        ids = list(old_mentions.values_list("subject", flat=True))
        Mention.objects.name_in([memory])
        if ids:
            old_mentions.delete()
            Subject.objects.filter(pk__in=ids).drop_unless(Mention.objects.all())


class Mention(models.Model):
    """A name in a claim. The subject may not be there: no claim is surely about it yet."""

    subject = models.ForeignKey(
        Subject, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="mentions"
    )
    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="mentions")

    objects = MentionQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["subject", "memory"], name="mention_is_kept_once")]

    def __str__(self) -> str:
        return f"{self.subject_id} in {self.memory_id}"


def part_of_insert(memories: Iterable[Memory]) -> bulk_rows.Part | None:
    """The names in new memories as a part of the statement that inserts them first; None where there are none."""
    rows = _rows(memories)
    return bulk_rows.Part(OF_NEW, [to_json(rows).decode()]) if rows else None


def _rows(memories: Iterable[Memory]) -> list[dict[str, Any]]:
    return [
        {"memory_id": memory.pk, "subject_id": subject_id(mention.name), **mention._asdict()}
        for memory in memories
        for mention in (named_in(memory) if memory.name_mentions is None else memory.name_mentions)
    ]


def named_in(memory: Memory, claim: Claim | None = None) -> list[NameMention]:
    """The names in a memory: in the words of a claim, else its company. `claim`: its words as they were read."""
    if memory.type in EXPERIENCE:
        return []
    if memory.type != Type.SEMANTIC:
        return subjects_in("", company=memory.company_id)
    facts: dict[str, Any] = {"company": memory.company_id, "payload": memory.payload}
    return subjects_in(memory.content, claim=claim, of_people=memory.category in OF_PEOPLE, **facts)


def subject_id(name: str) -> UUID:
    return uuid5(NAMESPACE_URL, f"memos:subject:{name}")
