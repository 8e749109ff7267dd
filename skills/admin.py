"""Admin pages of skills, their versions and uses. They only show: publishing belongs to the review."""

from django.contrib import admin
from unfold.contrib.filters.admin import FieldTextFilter

from memories.admin.trusted import TrustedAdmin
from skills.models import Skill, SkillUse, SkillVersion


@admin.register(Skill)
class SkillAdmin(TrustedAdmin):
    list_display = ("name", "title", "scope", "memory")
    list_filter = (("scope", FieldTextFilter),)
    search_fields = ("name", "title")
    ordering = ("-memory_id",)


@admin.register(SkillVersion)
class SkillVersionAdmin(TrustedAdmin):
    list_display = ("__str__", "status", "made_by", "size", "created_at", "published_at")
    list_filter = ("status", "made_by")
    search_fields = ("skill__name", "sha256")
    ordering = ("-id",)
    id_fields = ("pk", "skill", "run_id")


@admin.register(SkillUse)
class SkillUseAdmin(TrustedAdmin):
    list_display = ("skill", "version", "outcome", "agent", "latency_ms", "at")
    list_filter = ("outcome",)
    search_fields = ("skill__name", "agent")
    ordering = ("-id",)
    id_fields = ("pk", "skill", "version", "episode")
