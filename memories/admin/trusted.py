"""Base classes of read-only admin pages, limited to what the person's trust allows."""

import json
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import BinaryField, Expression, F, Field, JSONField, Model, Prefetch, Q, QuerySet, TextField
from django.db.models.functions import Cast, Left, Length
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from unfold.admin import ModelAdmin
from unfold.paginator import InfinitePaginator

from memories import redaction
from memories.models.trusted import Trusted
from memories.people import trust_of
from memories.values.choices import Permission, Sensitivity
from memories.values.trust import Trust
from memos_site.platform import model_names

LONGEST_SHOWN = 20_000  # characters of a text or value that a page shows
LONGEST_IN_LIST = 120


class Uncounted(ModelAdmin):
    """Base for tables that may be huge: no count(*), and a pasted id is looked up rather than searched for."""

    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    paginator = InfinitePaginator
    list_per_page = 50
    list_disable_select_all = True
    list_filter_submit = True
    id_fields: Sequence[str] = ("pk",)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        try:
            wanted = UUID(search_term.strip())
        except ValueError:
            return super().get_search_results(request, queryset, search_term)
        return queryset.filter(Q(*((name, wanted) for name in self.id_fields), _connector=Q.OR)), False


class ReadOnly(Uncounted):
    """Base for rows that are only shown: what changes them has pages, commands or jobs of its own."""

    def refused(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    has_add_permission = has_change_permission = has_delete_permission = refused


class TrustedAdmin(ReadOnly):
    """Read-only admin of rows within the person's trust.

    Rows above the person are hidden, and a link to such a row is empty.
    """

    hidden: Sequence[str] = ()
    list_select_related = ()  # a join would load linked rows without the trust filter

    def visible(self, trust: Trust) -> QuerySet[Any]:
        rows: Trusted[Any] = self.model._default_manager.all()
        return rows.visible_to(trust)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        trust = trust_of(request.user)
        listed = self.get_list_display(request)
        heavy = [field.name for field in _heavy(self.model) if field.name not in listed]
        rows = self.visible(trust).defer(*heavy).prefetch_related(*_links(self.model, trust))
        return rows.order_by(*self.get_ordering(request))

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        record = super().get_object(request, object_id, from_field)
        if record:
            record.reader = trust_of(request.user)
        return record

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        columns = [field for field in self.model._meta.concrete_fields if field.name not in self.hidden]
        return [_shown(field) for field in columns if not isinstance(field, BinaryField)]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return [*self.get_fields(request, obj), *self.readonly_fields]

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_view_permission(request, obj) and trust_of(request.user).may(Permission.READ)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Redirect to the audit trail, which has a trust filter of its own."""
        answer: HttpResponse = super().history_view(request, object_id, extra_context)
        if answer.status_code == 200:
            return redirect(f"{reverse('admin:memories_auditentry_changelist')}?subject_id={object_id}")
        return answer

    @admin.display(description=_("sensitivity"), ordering="sensitivity")
    def secrecy(self, row: Any) -> str:
        return str(Sensitivity(row.sensitivity).label)


def beginning(name: str, expression: Expression | F | None = None) -> Callable[[Model], str]:
    """A list column that reads only the beginning of a long text or value."""

    def shown(row: Model) -> SafeString | str:
        if name in redaction.COLUMNS:
            return _redacted(row, name)
        text = Cast(expression or F(name), TextField())
        rows = type(row)._base_manager.filter(pk=row.pk)
        start, size = rows.values_list(Left(text, LONGEST_SHOWN), Length(text)).get()
        return _block(_pretty(start), size) if start else "-"

    shown.__name__ = name
    return admin.display(description=pgettext_lazy(model_names.CONTEXT, name.replace("_", " ")))(shown)


def _redacted(row: Model, name: str) -> SafeString:
    """A value without the ids of memories that the reader may not see."""
    shown = {name: getattr(row, name)}
    redaction.redact(shown, row.reader)  # type: ignore[attr-defined]  # by `get_object`
    text = json.dumps(shown[name], indent=2, ensure_ascii=False)
    return _block(text[:LONGEST_SHOWN], len(text))


def _block(text: str, size: int) -> SafeString:
    cut = f" … ({size:,} characters)" if size > LONGEST_SHOWN else ""
    return format_html('<pre class="whitespace-pre-wrap break-words">{}{}</pre>', text, cut)


def _pretty(text: str) -> str:
    """Format JSON over several lines; other or truncated text is unchanged."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return json.dumps(value, indent=2, ensure_ascii=False) if isinstance(value, dict | list) else text


def _heavy(model: type[Model]) -> "list[Field[Any, Any]]":
    return [field for field in model._meta.concrete_fields if isinstance(field, JSONField | TextField)]


def _shown(field: "Field[Any, Any]") -> Any:
    if isinstance(field, JSONField | TextField):
        return beginning(field.name)
    return "secrecy" if field.name == "sensitivity" else field.name


def _links(model: type[Model], trust: Trust) -> "list[Prefetch[Any]]":
    """Prefetches of linked rows, one query for each model; those that the person may not see become None."""
    links: list[Prefetch[Any]] = []
    for field in model._meta.concrete_fields:
        to = field.related_model
        rows = to._default_manager.all() if field.is_relation and isinstance(to, type) else None
        if isinstance(rows, Trusted):
            light = [heavy.name for heavy in _heavy(rows.model) if isinstance(heavy, JSONField)]
            links.append(Prefetch(field.name, rows.visible_to(trust).defer(*light)))
    return links


class Administrators(ModelAdmin):
    """Base for administrators only, for rows whose change or unfiltered content could give anyone full access."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _administers(request) and super().has_view_permission(request, obj)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _administers(request) and super().has_add_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _administers(request) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _administers(request) and super().has_delete_permission(request, obj)


def _administers(request: HttpRequest) -> bool:
    return bool(request.user.is_active and getattr(request.user, "is_superuser", False))
