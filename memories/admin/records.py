"""Read-only admin pages of agents, audit entries and other records; that of memories, which decides, is in
`memos_site.admin`."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast, Coalesce, Left
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import FieldTextFilter, RangeDateTimeFilter

from memories.admin.trusted import LONGEST_IN_LIST, Administrators, ReadOnly, TrustedAdmin, Uncounted, beginning
from memories.models import (
    Adaptation,
    Agent,
    AuditEntry,
    Episode,
    Event,
    Evidence,
    IdempotencyKey,
    Lease,
    Memory,
    Performance,
    Proposal,
    Relation,
    Tombstone,
)
from memories.values.trust import Trust

AUDITED_BY = ("action", FieldTextFilter), ("actor", FieldTextFilter), ("scope", FieldTextFilter)


@admin.register(Agent)
class AgentAdmin(TrustedAdmin):
    list_display = ("name", "owner", "clearance", "may", "within", "last_used_at", "expires_at", "revoked_at")
    list_filter = ("clearance", ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related: ClassVar[Any] = ("owner",)
    search_fields = ("name", "prefix", "owner__username")
    ordering = ("name",)

    @admin.display(description=_("permissions"))
    def may(self, agent: Agent) -> str:
        return ", ".join(agent.permissions)

    @admin.display(description=_("scopes"))
    def within(self, agent: Agent) -> str:
        return ", ".join(agent.scopes) or "all"

    def view_on_site(self, agent: Agent) -> str:
        return reverse("agent", args=[agent.pk])


class MemoryAdmin(TrustedAdmin):
    list_display = ("text", "type", "status", "confidence", "secrecy", "scope", "source", "created_at")
    list_filter = ("type", "status", "category", "sensitivity", "origin", ("scope", FieldTextFilter), "pinned")
    search_fields = ("key", "content", "source")
    ordering = ("-created_at", "-id")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request).annotate(text_start=Left("content", LONGEST_IN_LIST))
        return rows

    @admin.display(description=_("memory"))
    def text(self, row: Any) -> str:
        return str(row.text_start)

    def view_on_site(self, row: Memory) -> str:
        return reverse("memory", args=[row.pk])


@admin.register(Episode)
class EpisodeAdmin(TrustedAdmin):
    list_display = ("__str__", "source", "scope", "outcome", "event_count", "last_event_at", "closed_at", "digested_at")
    list_filter = ("outcome", ("scope", FieldTextFilter), ("source", FieldTextFilter))
    search_fields = ("title", "external_id", "thread_id", "source")
    ordering = ("-memory_id",)


@admin.register(Event)
class EventAdmin(TrustedAdmin):
    list_display = ("text_start", "kind", "role", "tool", "ok", "latency_ms", "at", "episode")
    list_filter = ("ok", ("tool", FieldTextFilter), ("kind", FieldTextFilter))
    search_fields = ("tool", "ref", "actor")
    ordering = ("-id",)
    sortable_by = ()
    hidden = ("text", "instruction")
    readonly_fields: ClassVar[Any] = (beginning("said", Coalesce("instruction__text", "text")),)
    id_fields = ("pk", "episode")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        words, result = Coalesce("instruction__text", "text"), Cast("result", TextField())
        starts = {"said": Left(words, LONGEST_IN_LIST), "answered": Left(result, LONGEST_IN_LIST)}
        rows: QuerySet[Any] = super().get_queryset(request).annotate(**starts)
        return rows

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return [*super().get_fields(request, obj), *self.readonly_fields]

    @admin.display(description=_("event"))
    def text_start(self, row: Any) -> str:
        return f"{row.node_id} {row.said or row.summary or row.answered or row.kind}"[:LONGEST_IN_LIST]


@admin.register(Evidence)
class EvidenceAdmin(TrustedAdmin):
    list_display = ("occasion", "kind", "outcome", "delta", "memory", "episode", "made_by", "at")
    list_filter = ("kind", "outcome")
    search_fields = ("occasion", "made_by")
    ordering = ("-id",)
    sortable_by = ()
    id_fields = ("pk", "memory", "episode")


@admin.register(Relation)
class RelationAdmin(TrustedAdmin):
    list_display = ("source", "predicate", "target", "weight", "created_at")
    list_filter = (("predicate", FieldTextFilter),)
    search_fields = ("predicate",)
    ordering = ("-id",)
    id_fields = ("pk", "source", "target")

    def visible(self, trust: Trust) -> QuerySet[Relation]:
        return super().visible(trust).filter(trust.visible("target__"))


@admin.register(Performance)
class PerformanceAdmin(TrustedAdmin):
    list_display = ("memory", "successes", "failures", "partials", "last_used_at")
    search_fields = ("memory__key",)
    ordering = ("-memory_id",)
    sortable_by = ("successes", "failures", "last_used_at")


@admin.register(Proposal)
class ProposalAdmin(TrustedAdmin):
    list_display = ("kind", "memory", "decision", "made_by", "secrecy", "scope", "opened_at", "decided_by")
    list_filter = ("kind", "decision", ("scope", FieldTextFilter))
    search_fields = ("made_by", "decided_by", "why")
    ordering = ("-opened_at", "-id")
    id_fields = ("pk", "memory")


@admin.register(Adaptation)
class AdaptationAdmin(TrustedAdmin):
    list_display = ("memory_key", "plugin", "secrecy", "scope", "applied_at", "applied_by", "reverted_at")
    list_filter = (("plugin", FieldTextFilter), ("scope", FieldTextFilter), "revert_reason")
    search_fields = ("memory_key", "plugin")
    ordering = ("-applied_at", "-id")
    id_fields = ("pk", "memory")


@admin.register(Tombstone)
class TombstoneAdmin(TrustedAdmin):
    """Without the claim's digests, which say nothing to a reader."""

    list_display = ("__str__", "category", "secrecy", "scope", "blocks", "hits", "at", "by", "lifted_at")
    list_filter = ("category", "blocks", ("scope", FieldTextFilter), ("lifted_at", admin.EmptyFieldListFilter))
    search_fields = ("key", "by", "lifted_by")
    ordering = ("-at", "-id")
    id_fields = ("pk", "memory_id")
    hidden = ("claim_tokens", "claim_hard", "normalisation", "sealed_with")


@admin.register(AuditEntry)
class AuditEntryAdmin(TrustedAdmin):
    list_display = ("at", "action", "actor", "actor_kind", "subject_kind", "label", "secrecy", "scope")
    list_filter = ("actor_kind", "subject_kind", *AUDITED_BY, ("at", RangeDateTimeFilter))
    search_fields = ("actor", "label", "request_id")
    ordering = ("-at", "-id")
    sortable_by = ()
    id_fields = ("pk", "subject_id", "batch_id")
    hidden = ("rationale",)
    readonly_fields: ClassVar[Any] = ("why",)

    def visible(self, trust: Trust) -> QuerySet[AuditEntry]:
        return AuditEntry.objects.visible_to(trust).with_rationale(trust)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return [*super().get_fields(request, obj), *self.readonly_fields]

    @admin.display(description=_("rationale"))
    def why(self, row: Any) -> str:
        return str(row.shown_rationale)


@admin.register(IdempotencyKey)
class IdempotencyKeyAdmin(Administrators, Uncounted):  # type: ignore[misc]
    """Admin of idempotency keys without the answers, which are whole rows without a trust filter."""

    list_display = fields = readonly_fields = ("caller", "key", "status", "expires_at")
    search_fields = ("caller", "key")
    ordering = ("-id",)
    has_add_permission = has_change_permission = ReadOnly.refused


@admin.register(Lease)
class LeaseAdmin(ReadOnly, Administrators):  # type: ignore[misc]
    """Who works on what, read-only: a lease whose holder is gone is taken over by itself. Its name may hold a scope."""

    list_display = fields = readonly_fields = ("name", "owner", "until", "fence")
    search_fields = ("name", "owner")
    ordering = ("name",)
