"""A skill is a competence memory that can be downloaded; its versions are immutable once written."""

from typing import Self
from uuid import UUID

from django.db import models
from django.db.models import Aggregate, Count, Max, Q, Sum
from django.db.models.functions import Now

from memories.models import Episode, Memory, Performance
from memories.models.trusted import Trusted, new_id
from memories.values.choices import Outcome
from memories.values.trust import Trust


class SkillQuerySet(Trusted["Skill"]):
    trust_path = "memory__"

    def downloadable(self) -> Self:
        """What a token without `review` may see: a published version of a confirmed or applied memory."""
        return self.filter(memory__status__in=("confirmed", "applied"), versions__status=SkillVersion.Status.PUBLISHED)


class Skill(models.Model):
    """One-to-one with a competence memory. `name` is the slug and `scope` the memory's."""

    memory = models.OneToOneField(Memory, primary_key=True, on_delete=models.CASCADE)
    scope = models.CharField(max_length=128, blank=True)
    name = models.CharField(max_length=64)
    title = models.CharField(max_length=200)

    objects = SkillQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scope", "name"], name="skill_name_is_unique_in_its_scope")]

    def __str__(self) -> str:
        return self.name

    @property
    def published(self) -> "SkillVersion | None":
        return self._version(SkillVersion.Status.PUBLISHED)

    @property
    def proposed(self) -> "SkillVersion | None":
        return self._version(SkillVersion.Status.PROPOSED)

    def _version(self, status: str) -> "SkillVersion | None":
        return next((version for version in self.versions.all() if version.status == status), None)


def _counted(uses: str = "") -> dict[str, Aggregate]:
    """The columns of a Performance, counted over uses. `uses`: the path to them."""
    ended = {"successes": Outcome.SUCCESS, "failures": Outcome.FAILURE, "partials": Outcome.PARTIAL}
    return {
        **{name: Count(f"{uses}pk", filter=Q(**{f"{uses}outcome": outcome})) for name, outcome in ended.items()},
        "latency_total_ms": Sum(f"{uses}latency_ms", default=0),
        "latency_count": Count(f"{uses}latency_ms"),
        "last_used_at": Max(f"{uses}at"),
    }


class SkillVersionQuerySet(Trusted["SkillVersion"]):
    trust_path = "skill__memory__"

    def for_lists(self) -> Self:
        """Without the texts and files of each version."""
        return self.defer("skill_md", "files")

    def with_uses(self) -> Self:
        """Adds what its reported uses came to; `record` reads it."""
        return self.annotate(**_counted("uses__"))


class SkillVersion(models.Model):
    """What agents download, byte for byte: `package` is its path in the skills storage, `sha256` that of the zip."""

    class Status(models.TextChoices):
        PROPOSED = "proposed"
        PUBLISHED = "published"
        RETIRED = "retired"
        REJECTED = "rejected"
        REPLACED = "replaced"

    class MadeBy(models.TextChoices):
        CONSOLIDATION = "consolidation"
        EXTRACTION = "extraction"
        UPLOAD = "upload"
        EDIT = "edit"
        RESTORE = "restore"

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
    run_id = models.UUIDField(null=True)  # the consolidation run; no foreign key: a room never looks right
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
        """What its uses came to, of a row `with_uses`; None without any."""
        counted = {name: getattr(self, name) for name in _counted()}
        return Performance(**counted) if counted["last_used_at"] else None

    @property
    def is_critical(self) -> bool:
        """The scan found something that must not be published without a second look."""
        return any(finding["severity"] == "critical" for finding in self.scan.get("findings", ()))

    @property
    def is_open(self) -> bool:
        """Proposed, and nobody has decided it yet."""
        return self.status == self.Status.PROPOSED


class SkillUseQuerySet(Trusted["SkillUse"]):
    trust_path = "skill__memory__"

    def of_visible_episodes(self, trust: Trust) -> Self:
        """Uses whose run the caller may see, or that name none."""
        return self.filter(Q(episode=None) | trust.visible("episode__memory__"))

    def by_version(self) -> dict[UUID, Performance]:
        """What the uses of each version came to, by its id; not stored anywhere. Uses of no version are in none."""
        counted = self.exclude(version=None).order_by().values("version").annotate(**_counted())
        records = {row["version"]: {name: value for name, value in row.items() if name != "version"} for row in counted}
        return {version: Performance(**record) for version, record in records.items()}


class SkillUse(models.Model):
    """An agent used a skill, and how that ended. What it counts stands in the track record of the skill's memory."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="uses")
    version = models.ForeignKey(SkillVersion, null=True, on_delete=models.CASCADE, related_name="uses")
    agent = models.CharField(max_length=200)  # a name, to be shown; whose it is says `agent_identity`
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
        indexes = [models.Index(fields=["skill", "-at"], name="use_newest_of_skill")]

    def __str__(self) -> str:
        return f"{self.outcome} with {self.skill.name}"
