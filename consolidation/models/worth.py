"""Tables of skills' worth: how runs that would get a skill ended, the runs behind its lines, and its offers."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.db import models

from memories.models import Memory
from memories.models.trusted import Trusted, new_id
from memories.values.chance import wilson
from memories.values.choices import Outcome

LEAST_COMPARED = 2
ANSWERS = ("helps", "hurts", "no_effect", UNKNOWN := "unknown")
MODEL = "model"  # who wrote a line of a skill


class SkillWorthQuerySet(Trusted["SkillWorth"]):
    trust_path = "memory__"

    def put(self, rows_to_write: Iterable["SkillWorth"]) -> None:
        """Write these, each in place of what was measured for its skill before; in one order: no deadlock."""
        rows = sorted(rows_to_write, key=lambda worth: worth.pk)
        fields = [field.name for field in SkillWorth._meta.concrete_fields if not field.primary_key]
        self.bulk_create(rows, update_conflicts=True, unique_fields=["memory"], update_fields=fields)


class SkillWorth(models.Model):
    """Of the last `runs` of the scope, `routed` would be led to this skill by guidance that does not know their case.

    Of these, `followed_*` did just what it says and `otherwise_*` something else, and ended well or ill. `gained` ended
    ill otherwise, where following it may have helped; `lost` ended well otherwise, and would have been led astray.
    `cases`: the latest 12 as [episode, outcome, followed]. `well_example` and `ill_example`: a success with these
    effects beside the nearest failure that did otherwise; `diverging` says in words which writes tell them apart.
    `writes`: [tool, how many of `followed` called it, how many of `otherwise`], where these shares differ.
    """

    memory = models.OneToOneField(Memory, primary_key=True, on_delete=models.CASCADE, related_name="worth")
    runs = models.IntegerField()
    routed = models.IntegerField()
    followed_well = models.IntegerField()
    followed_ill = models.IntegerField()
    otherwise_well = models.IntegerField()
    otherwise_ill = models.IntegerField()
    gained = models.IntegerField()
    lost = models.IntegerField()
    cases = models.JSONField(default=list)
    well_example = models.UUIDField(null=True)
    ill_example = models.UUIDField(null=True)
    diverging = models.TextField(blank=True)
    writes = models.JSONField(default=list)
    weight = models.FloatField(default=0)
    at = models.DateTimeField()

    objects = SkillWorthQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "skill worth"
        indexes = [models.Index(fields=["-weight"], name="skill_worth_by_weight")]

    def __str__(self) -> str:
        return f"{self.routed} of {self.runs}"

    @property
    def followed(self) -> int:
        return self.followed_well + self.followed_ill

    @property
    def otherwise(self) -> int:
        return self.otherwise_well + self.otherwise_ill

    @property
    def differences(self) -> list[list[object]]:
        """The rows of `writes` whose share differs; first those that following it makes likelier."""
        shares = [(row, row[1] * self.otherwise - row[2] * self.followed) for row in self.writes]
        return [row for row, change in shares if change > 0] + [row for row, change in shares if change < 0]

    @property
    def is_weak(self) -> bool:
        """The runs that did otherwise ended no worse: something to learn from rather than to publish. Where fewer than
        two did either, nobody knows."""
        is_comparable = min(self.followed, self.otherwise) >= LEAST_COMPARED
        return is_comparable and self.followed_well * self.otherwise <= self.otherwise_well * self.followed

    def weigh(self) -> float:
        """The weight of a decision on it, for the inbox: share of runs x change in success x width of its interval."""
        if not self.routed:
            return 0.0
        rate_with = (self.followed_well + 1) / (self.followed + 2)
        rate_without = (self.otherwise_well + 1) / (self.otherwise + 2)
        low, high = wilson(self.followed_well, self.followed_ill)
        return self.routed / max(1, self.runs) * abs(rate_with - rate_without) * (high - low)


class SkillLinesQuerySet(SkillWorthQuerySet):
    def of_model(self, memory_id: UUID) -> dict[str, list[dict[str, Any]]]:
        """The rows that a language model wrote, by field."""
        lines_by_field = self.filter(pk=memory_id).values_list("lines", flat=True).first() or {}
        rows = {name: [row for row in lines if row.get("by") == MODEL] for name, lines in lines_by_field.items()}
        return {name: lines for name, lines in rows.items() if lines}

    def keep(self, memory: Memory, lines: dict[str, list[dict[str, Any]]], *, at: datetime) -> None:
        """Keep these in the place of the former ones; those of a model stay."""
        for name, rows in self.of_model(memory.pk).items():
            lines = {**lines, name: [*lines.get(name, []), *rows]}
        self._put(memory, lines, at=at)

    def _put(self, memory: Memory, lines: dict[str, list[dict[str, Any]]], *, at: datetime) -> None:
        row, fields = SkillLines(memory_id=memory.pk, lines=lines, at=at), ["lines", "at"]
        SkillLines.objects.bulk_create([row], update_conflicts=True, unique_fields=["memory"], update_fields=fields)

    def add_of_model(self, memory: Memory, field: str, rows: list[dict[str, Any]], *, at: datetime) -> None:
        """Add lines that a model wrote. The caller has locked the memory."""
        lines_by_field = self.filter(pk=memory.pk).values_list("lines", flat=True).first() or {}
        rows_of_model = [{**row, "by": MODEL} for row in rows]
        lines = {**lines_by_field, field: [*lines_by_field.get(field, []), *rows_of_model]}
        self._put(memory, lines, at=at)


class SkillLines(models.Model):
    """The lines of a skill as its runs were last read: {field: [{"text", "runs": ids, "of": how many there were}]}.

    A row with "by": "model" was written by a language model, from these runs.
    """

    memory = models.OneToOneField(Memory, primary_key=True, on_delete=models.CASCADE, related_name="skill_lines")
    lines = models.JSONField(default=dict)
    at = models.DateTimeField()

    objects = SkillLinesQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "skill lines"

    def __str__(self) -> str:
        return f"{sum(map(len, self.lines.values()))} lines"


class SkillAnswerQuerySet(Trusted["SkillAnswer"]):
    trust_path = "memory__"

    def known(self) -> Self:
        return self.exclude(answer=UNKNOWN)


class SkillAnswer(models.Model):
    """Whether a version of a skill helps, as its offers told last. `runs`: those drawn by lot that have ended; where
    `answer` is known, after how many it was. `more`: about how many are still needed, null where none or unknown."""

    memory = models.ForeignKey(Memory, models.CASCADE, related_name="answers")
    version = models.IntegerField()
    answer = models.CharField(max_length=9, choices=[(answer, answer) for answer in ANSWERS], default=UNKNOWN)
    runs = models.IntegerField()
    more = models.IntegerField(null=True)
    at = models.DateTimeField()

    objects = SkillAnswerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["memory", "version"], name="skill_answer_is_one_of_its_version"),
        ]

    def __str__(self) -> str:
        return f"version {self.version}: {self.answer}"


class SkillOfferQuerySet(Trusted["SkillOffer"]):
    trust_path = "memory__"

    def ended(self) -> Self:
        """Offers whose run has ended in success or failure."""
        return self.filter(outcome__in=(Outcome.SUCCESS, Outcome.FAILURE))


class SkillOffer(models.Model):
    """A published skill that guidance named, or a lesson of a context, or one withheld at random, to one run: known by
    its episode or its thread.

    `outcome` is that of the run once it has ended, '' before. `share`: with which probability it was to do without; 0:
    no lot was drawn, null: it was not kept yet.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    memory = models.ForeignKey(Memory, models.CASCADE, related_name="offers")
    version = models.IntegerField()
    scope = models.CharField(max_length=128, blank=True)
    episode_id = models.UUIDField(null=True)
    thread_id = models.CharField(max_length=512, blank=True)
    agent = models.CharField(max_length=200)
    withheld = models.BooleanField()
    share = models.FloatField(null=True)
    outcome = models.CharField(max_length=8, choices=Outcome, blank=True)
    at = models.DateTimeField()

    objects = SkillOfferQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["memory", "scope", "episode_id", "thread_id"],
                nulls_distinct=False,
                name="skill_is_offered_once_to_a_run",
            ),
        ]
        indexes = [
            models.Index(fields=["scope", "thread_id"], name="skill_offer_by_thread"),
            models.Index(fields=["memory", "version", "at"], name="skill_offer_by_version"),
        ]

    def __str__(self) -> str:
        return f"{'withheld' if self.withheld else 'offered'} {self.outcome}".strip()
