"""Tables of skills: competence memories that can be downloaded, their immutable versions and their reported uses."""

from typing import Self
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import Aggregate, Count, Exists, Max, OuterRef, Q, Sum
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from memories.models import Episode, Memory, Performance
from memories.models.trusted import Trusted, new_id
from memories.values.choices import ActorKind, Outcome, Permission
from memories.values.exceptions import Conflict, NotFound
from memories.values.trust import Trust

MOST_WORDS = 20  # of a question, that are looked for


def sees_every_status(trust: Trust) -> bool:
    """Whether the caller sees skills and versions that are not published."""
    return trust.actor.kind == ActorKind.PERSON or trust.may(Permission.REVIEW)


class SkillQuerySet(Trusted["Skill"]):
    trust_path = "memory__"

    def downloadable(self) -> Self:
        """Skills with a published version of a confirmed or applied memory: what a token without `review` may see."""
        return self.filter(memory__status__in=("confirmed", "applied"), versions__status=SkillVersion.Status.PUBLISHED)

    def shown_to(self, trust: Trust) -> Self:
        """Skills as the caller sees them, with their versions: every status for `review` and people, else downloadable
        ones.
        """
        rows = self.offered_to(trust, "memory__").select_related("memory__performance")
        rows = rows.prefetch_related("names")
        every = sees_every_status(trust)
        return rows.prefetch_related("versions") if every else rows.downloadable().with_published()

    def published_once(self, trust: Trust) -> Self:
        """Those whose published version agents were given, also where it was taken from them since."""
        versions = SkillVersion.objects.filter(skill=OuterRef("pk"), published_at__isnull=False)
        rows = self.offered_to(trust, "memory__").filter(Exists(versions), memory__status__in=("confirmed", "applied"))
        return rows.select_related("memory").with_published()

    def with_published(self) -> Self:
        """The skills with their published version alone, loaded by one statement for all."""
        versions = SkillVersion.objects.filter(status=SkillVersion.Status.PUBLISHED)
        return self.prefetch_related(models.Prefetch("versions", versions))

    def mentioning(self, words: str, *, every_status: bool) -> Self:
        """Skills that say each of the words in name, title or description: the published one, as agents see it, and
        with `every_status` also that of a skill without.
        """
        rows = self
        for word in words.split()[:MOST_WORDS]:
            versions = SkillVersion.objects.filter(skill=OuterRef("pk"), status=SkillVersion.Status.PUBLISHED)
            condition = Q(Exists(versions.filter(fields__description__icontains=word)))
            if every_status:
                condition |= Q(memory__content__icontains=word)
            rows = rows.filter(Q(name__icontains=word) | Q(title__icontains=word) | condition)
        return rows

    def find(self, name: str, *, scope: str) -> "Skill | None":
        """The skill of that name in a scope, its present or a former one, whatever has become of it."""
        return self.select_related("memory").filter(names__scope=scope, names__name=name).first()

    def get_by_name(self, name: str, *, scope: str | None = None) -> "Skill":
        """The skill of this slug (`_` reads as `-`), its present or a former one. NotFound: there is none; Conflict:
        several scopes have one, and `scope` does not say which.
        """
        rows = self.filter(names__name=name.replace("_", "-"))
        skills = list((rows if scope is None else rows.filter(scope=scope))[:20])
        if not skills:
            raise NotFound
        if len(skills) > 1:
            scopes = ", ".join(repr(skill.scope) for skill in skills)
            raise Conflict(f"{name} exists in several scopes ({scopes}): say which with `scope`")
        return skills[0]


class Skill(models.Model):
    """One-to-one with a competence memory. `name` is the slug, `scope` the memory's; it is found by all its `names`.

    A trigger makes the first of them. IntegrityError: the name is, or was, another skill's.
    """

    memory = models.OneToOneField(Memory, primary_key=True, on_delete=models.CASCADE)
    scope = models.CharField(max_length=128, blank=True)
    name = models.CharField(max_length=64)
    title = models.CharField(max_length=200)

    objects = SkillQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name

    @property
    def aliases(self) -> list[str]:
        """Former names, and those of skills that were merged into it: downloads by them go on."""
        return sorted(row.name for row in self.names.all() if row.name != self.name)

    @property
    def published(self) -> "SkillVersion | None":
        return self._version(SkillVersion.Status.PUBLISHED)

    @property
    def proposed(self) -> "SkillVersion | None":
        return self._version(SkillVersion.Status.PROPOSED)

    @property
    def current(self) -> "SkillVersion | None":
        """The version that pages show and that edits are based on: the proposed one, else the published one, else the
        newest."""
        return self.proposed or self.published or next(iter(self.versions.all()), None)

    def version_shown_to(self, trust: Trust, number: int | None = None) -> "SkillVersion | None":
        """A version by its number, else the published one; where none is and the caller sees every status, the newest.
        None: there is none, or the caller sees published ones only.
        """
        versions = [version for version in self.versions.all() if sees_every_status(trust) or version == self.published]
        if number is None:
            return self.published or next(iter(versions), None)
        return next((version for version in versions if version.number == number), None)

    def _version(self, status: str) -> "SkillVersion | None":
        return next((version for version in self.versions.all() if version.status == status), None)


class SkillName(models.Model):
    """A name by which a skill is found in its scope: the present one, or an alias."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="names")
    scope = models.CharField(max_length=128, blank=True)
    name = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scope", "name"], name="skill_name_is_unique_in_its_scope")]

    def __str__(self) -> str:
        return self.name


def _use_counts(uses: str = "") -> dict[str, Aggregate]:
    """Aggregates that give the columns of a Performance, counted over uses. `uses`: the query path to them."""
    outcomes = {"successes": Outcome.SUCCESS, "failures": Outcome.FAILURE, "partials": Outcome.PARTIAL}
    return {
        **{name: Count(f"{uses}pk", filter=Q(**{f"{uses}outcome": outcome})) for name, outcome in outcomes.items()},
        "latency_total_ms": Sum(f"{uses}latency_ms", default=0),
        "latency_count": Count(f"{uses}latency_ms"),
        "last_used_at": Max(f"{uses}at"),
    }


class SkillVersionQuerySet(Trusted["SkillVersion"]):
    trust_path = "skill__memory__"

    def for_lists(self) -> Self:
        """The versions without their texts and lists of files, which lists do not show."""
        return self.defer("skill_md", "files")

    def with_uses(self) -> Self:
        """The versions, newest first, annotated with the counts of their reported uses, which `record` needs."""
        return self.annotate(**_use_counts("uses__")).order_by("-number")  # aggregates drop the default order

    def with_names(self) -> Self:
        """The versions annotated with all names of their skill, `names_of_skill`."""
        names = SkillName.objects.filter(skill=OuterRef("skill")).order_by("name").values("name")
        return self.annotate(names_of_skill=ArraySubquery(names))


class SkillVersion(models.Model):
    """One immutable package that agents download: `package` is its path in the skills storage, `sha256` the zip's."""

    class Status(models.TextChoices):
        PROPOSED = "proposed", _("Proposed")
        PUBLISHED = "published", _("Published")
        RETIRED = "retired", _("Retired")
        REJECTED = "rejected", _("Rejected")
        REPLACED = "replaced", _("Replaced")

    class MadeBy(models.TextChoices):
        CONSOLIDATION = "consolidation", _("Consolidation")
        EXTRACTION = "extraction", _("Extraction")
        UPLOAD = "upload", _("Upload")
        EDIT = "edit", _("Edit")
        RESTORE = "restore", _("Restore")
        MERGE = "merge", _("Merge")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="versions")
    number = models.IntegerField()
    status = models.CharField(max_length=16, choices=Status)
    fields = models.JSONField()
    skill_md = models.TextField()
    files = models.JSONField()
    package = models.CharField(max_length=512)
    sha256 = models.CharField(max_length=64)
    size = models.IntegerField()
    changelog = models.TextField(blank=True)
    made_by = models.CharField(max_length=16, choices=MadeBy)
    scan = models.JSONField(default=dict)
    merges = models.ForeignKey(Skill, null=True, on_delete=models.SET_NULL, related_name="merged_by")  # once published
    run_id = models.UUIDField(null=True)  # the consolidation run; no foreign key: skills know nothing of consolidation
    created_at = models.DateTimeField(db_default=Now())
    published_at = models.DateTimeField(null=True)

    objects = SkillVersionQuerySet.as_manager()

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["skill", "number"], name="version_number_is_unique_in_its_skill"),
            models.UniqueConstraint(
                fields=["skill"], condition=Q(status="published"), name="skill_has_one_published_version"
            ),
            models.UniqueConstraint(
                fields=["skill"], condition=Q(status="proposed"), name="skill_has_one_proposed_version"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.skill.name} {self.number}"

    @property
    def record(self) -> Performance | None:
        """Unsaved track record of its reported uses, of a row `with_uses`; None without any."""
        counts = {name: getattr(self, name) for name in _use_counts()}
        return Performance(**counts) if counts["last_used_at"] else None

    @property
    def is_critical(self) -> bool:
        """Whether the scan has a critical finding: then publishing needs a reason."""
        return any(finding["severity"] == "critical" for finding in self.scan.get("findings", ()))

    @property
    def is_current(self) -> bool:
        """Whether it is proposed or published: the others may be proposed once more."""
        return self.status in (self.Status.PROPOSED, self.Status.PUBLISHED)

    @property
    def is_open(self) -> bool:
        """Whether the version is proposed and not yet decided."""
        return self.status == self.Status.PROPOSED


class SkillUseQuerySet(Trusted["SkillUse"]):
    trust_path = "skill__memory__"

    def of_visible_episodes(self, trust: Trust) -> Self:
        """Uses whose episode the caller may see, or that name none."""
        return self.filter(Q(episode=None) | trust.visible("episode__memory__"))

    def by_version(self) -> dict[UUID, Performance]:
        """Unsaved track record of each version by its id, counted from its uses; uses without a version are omitted."""
        counts = self.exclude(version=None).order_by().values("version").annotate(**_use_counts())
        records = {row["version"]: {name: value for name, value in row.items() if name != "version"} for row in counts}
        return {version: Performance(**record) for version, record in records.items()}


class SkillUse(models.Model):
    """A use of a skill by an agent, and its outcome; counted in the track record of the skill's memory."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="uses")
    version = models.ForeignKey(SkillVersion, null=True, on_delete=models.CASCADE, related_name="uses")
    agent = models.CharField(max_length=200)  # the name to show; `agent_identity` says who it was
    agent_identity = models.CharField(max_length=64, editable=False)  # Actor.identity
    outcome = models.CharField(max_length=8, choices=Outcome)
    latency_ms = models.FloatField(null=True)
    note = models.TextField(blank=True)
    episode = models.ForeignKey(Episode, null=True, on_delete=models.SET_NULL, related_name="skill_uses")
    idempotency_key = models.CharField(max_length=255, blank=True)
    at = models.DateTimeField()

    objects = SkillUseQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["skill", "episode"], name="use_counts_once_per_episode"),
            models.UniqueConstraint(
                fields=["skill", "agent_identity", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="use_counts_once_per_idempotency_key",
            ),
            models.CheckConstraint(condition=Q(outcome__in=Outcome.values), name="use_outcome_is_known"),
        ]
        indexes = [
            models.Index(fields=["skill", "-at"], name="use_newest_of_skill"),
            BrinIndex(fields=["at"], name="use_by_day"),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} with {self.skill.name}"
