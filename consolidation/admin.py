"""Admin pages of consolidation: its runs with their steps, questions to the model, and patterns."""

from django.contrib import admin
from django.db.models import QuerySet
from unfold.contrib.filters.admin import FieldTextFilter

from consolidation.models import LLMCall, Pattern, Run, RunStep
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
