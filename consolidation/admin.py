"""Admin pages of consolidation: its runs, the patterns and facts that it counts, and the data of guidance."""

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import FieldTextFilter

from consolidation.models import (
    ArgumentFact,
    ArgumentUse,
    CommandAttempt,
    CommandFact,
    GuidanceCurve,
    LLMCall,
    Pattern,
    PendingProfile,
    PlannedRun,
    PlanShape,
    Run,
    RunProfile,
    RunStep,
    Sighting,
    SkillLines,
    SkillOffer,
    SkillWorth,
    StatementMessage,
)
from memories.admin.trusted import TrustedAdmin
from memories.values.trust import Trust


@admin.register(Run)
class RunAdmin(TrustedAdmin):
    list_display = ("kind", "status", "trigger", "stage", "done", "total", "created_at", "finished_at", "error")
    list_filter = ("status", "trigger", ("kind", FieldTextFilter))
    search_fields = ("kind", "error")
    ordering = ("-created_at", "-id")
    id_fields = ("pk", "subject")


@admin.register(RunStep)
class RunStepAdmin(TrustedAdmin):
    list_display = ("run", "position", "name", "status", "attempts", "reason", "started_at", "finished_at")
    list_filter = ("status",)
    search_fields = ("name", "reason")
    ordering = ("-id",)
    sortable_by = ()
    id_fields = ("run",)
    hidden = ("answer",)

    def visible(self, trust: Trust) -> QuerySet[RunStep]:
        return RunStep.objects.filter(run__in=Run.objects.visible_to(trust)).visible_to(trust)


@admin.register(LLMCall)
class LLMCallAdmin(TrustedAdmin):
    list_display = ("at", "purpose", "model", "ok", "tokens_in", "tokens_out", "latency_ms", "error", "run")
    list_filter = ("ok", ("purpose", FieldTextFilter))
    search_fields = ("purpose", "model", "error")
    ordering = ("-at", "-id")
    id_fields = ("pk", "run")


@admin.register(Pattern)
class PatternAdmin(TrustedAdmin):
    list_display = ("signature", "kind", "scope", "secrecy", "successes", "failures", "partials", "due", "last_seen_at")
    list_filter = ("kind", "due", ("scope", FieldTextFilter))
    search_fields = ("signature", "error")
    ordering = ("-id",)
    id_fields = ("pk", "memory")


@admin.register(Sighting)
class SightingAdmin(TrustedAdmin):
    list_display = ("pattern", "episode_id", "outcome", "counted", "at")
    list_filter = ("outcome",)
    search_fields = ("pattern__signature",)
    ordering = ("-id",)
    sortable_by = ()
    id_fields = ("episode_id", "pattern")


class CountedFactAdmin(TrustedAdmin):
    """Facts are shown with the sensitivity of their memory, which a person may have raised."""

    ordering = ("-id",)
    id_fields = ("pk", "memory")

    def visible(self, trust: Trust) -> QuerySet[Any]:
        return super().visible(trust).filter(Q(memory=None) | trust.visible("memory__"))


class CountedRunAdmin(TrustedAdmin):
    ordering = ("-id",)
    sortable_by = ()
    id_fields = ("episode_id", "fact")

    def visible(self, trust: Trust) -> QuerySet[Any]:
        return super().visible(trust).filter(Q(fact__memory=None) | trust.visible("fact__memory__"))


@admin.register(CommandFact)
class CommandFactAdmin(CountedFactAdmin):
    list_display = ("purpose", "place", "scope", "secrecy", "words", "turned", "due", "attempts", "error")
    list_filter = ("due", "turned", ("scope", FieldTextFilter))
    search_fields = ("place", "purpose", "words", "error")


@admin.register(CommandAttempt)
class CommandAttemptAdmin(CountedRunAdmin):
    list_display = ("form", "fact", "started", "episode_id", "counted", "at")
    list_filter = ("started", "counted")
    search_fields = ("form", "fact__place")


@admin.register(ArgumentFact)
class ArgumentFactAdmin(CountedFactAdmin):
    list_display = ("argument", "tool", "scope", "secrecy", "words", "turned", "due", "attempts", "error")
    list_filter = ("due", "turned", ("scope", FieldTextFilter))
    search_fields = ("tool", "argument", "words", "error")


@admin.register(ArgumentUse)
class ArgumentUseAdmin(CountedRunAdmin):
    list_display = ("fact", "outcome", "episode_id", "counted", "at")
    list_filter = ("outcome", "counted")
    search_fields = ("fact__tool", "fact__argument")


@admin.register(RunProfile)
class RunProfileAdmin(TrustedAdmin):
    list_display = ("opening", "effects", "outcome", "scope", "secrecy", "at")
    list_filter = ("outcome", ("scope", FieldTextFilter))
    search_fields = ("opening",)
    ordering = ("-pk",)
    sortable_by = ()
    hidden = ("vector", "identifiers")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer("packed", "packed_opening", *self.hidden)


@admin.register(PlanShape)
class PlanShapeAdmin(CountedFactAdmin):
    list_display = ("steps", "scope", "secrecy", "cases", "due", "attempts", "error")
    list_filter = ("due", ("scope", FieldTextFilter))
    search_fields = ("steps", "error")


@admin.register(PlannedRun)
class PlannedRunAdmin(TrustedAdmin):
    list_display = ("shape", "episode_id", "outcome", "counted", "at")
    list_filter = ("outcome",)
    ordering = ("-id",)
    sortable_by = ()
    id_fields = ("episode_id", "shape")

    def visible(self, trust: Trust) -> QuerySet[PlannedRun]:
        rows = PlannedRun.objects.visible_to(trust)
        return rows.filter(Q(shape__memory=None) | trust.visible("shape__memory__"))


@admin.register(PendingProfile)
class UnprofiledAdmin(TrustedAdmin):
    list_display = ("episode", "scope", "attempts", "error")
    list_filter = ("attempts", ("scope", FieldTextFilter))
    search_fields = ("error",)
    ordering = ("-pk",)


@admin.register(StatementMessage)
class StatementMessageAdmin(TrustedAdmin):
    list_display = ("event", "scope", "attempts", "error")
    list_filter = ("attempts", ("scope", FieldTextFilter))
    search_fields = ("error",)
    ordering = ("-pk",)


@admin.register(GuidanceCurve)
class GuidanceCurveAdmin(TrustedAdmin):
    list_display = ("scope", "secrecy", "runs", "answers", "nearness", "at")
    list_filter = (("scope", FieldTextFilter),)
    ordering = ("-id",)


@admin.register(SkillWorth)
class SkillWorthAdmin(TrustedAdmin):
    list_display = (
        "memory",
        "runs",
        "routed",
        "followed_well",
        "followed_ill",
        "otherwise_well",
        "otherwise_ill",
        "at",
    )
    search_fields = ("diverging",)
    ordering = ("-weight",)


@admin.register(SkillLines)
class SkillLinesAdmin(TrustedAdmin):
    list_display = ("memory", "at")
    ordering = ("-pk",)


@admin.register(SkillOffer)
class SkillOfferAdmin(TrustedAdmin):
    """Without the thread: it is that of a run which may have a higher sensitivity than the skill."""

    list_display = ("memory", "version", "scope", "agent", "withheld", "outcome", "at")
    list_filter = ("withheld", "outcome", ("scope", FieldTextFilter))
    search_fields = ("agent",)
    ordering = ("-id",)
    id_fields = ("pk", "memory", "episode_id")
    hidden = ("thread_id",)
