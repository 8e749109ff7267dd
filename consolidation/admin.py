"""What the thinking room did: its runs, the patterns it saw, and in which episodes."""

from django.contrib import admin
from django.db.models import QuerySet
from unfold.contrib.filters.admin import FieldTextFilter

from consolidation.models import Pattern, Run, Sighting
from memories.admin.trusted import TrustedAdmin
from memories.values.trust import Trust


@admin.register(Run)
class RunAdmin(TrustedAdmin):
    list_display = ("kind", "status", "trigger", "stage", "done", "total", "created_at", "finished_at", "error")
    list_filter = ("status", "trigger", ("kind", FieldTextFilter))
    search_fields = ("kind", "error")
    ordering = ("-created_at", "-id")
    id_fields = ("pk", "subject")


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

    def visible(self, trust: Trust) -> QuerySet[Sighting]:
        return Sighting.objects.filter(trust.visible("pattern__"))
