"""The page of adaptations: changes of agents' behaviour, active and past, and the same list as a file."""

from dataclasses import dataclass
from typing import Any, Self

from django.db.models import F
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from memories.models import Adaptation, Memory
from memories.models.adaptation import BEHAVIOUR, AdaptationQuerySet
from memories.models.passage import saying
from memories.people import trust_of
from memories.values.choices import RevertReason
from memories.values.keyset import Order
from memories.values.trust import Trust
from memories.web.exports import file_of
from memories.web.facets import carried, counted_facets, filters_of, tabs_of
from memories.web.paging import page_of

COLUMNS = {"plugin": "plugin", "category": "memory__category", "scope": "scope"}
COLUMNS |= {"applied_by": "applied_by", "revert_reason": "revert_reason"}  # of the address
FILTERS = (*COLUMNS, "q", "sort", "past")
SORTS = {"": gettext_lazy("Newest first"), "oldest": gettext_lazy("Oldest first")}
IN_FILES = (
    *("id", "memory_id", "memory_key", "plugin", "description", "scope", "uses"),
    *("applied_at", "applied_by", "reverted_at", "reverted_by", "revert_reason"),
)


@dataclass(frozen=True)
class AdaptationList:
    """What a reader asks for. The filter `q`: words of the memories that caused the adaptations."""

    trust: Trust
    filters: dict[str, str]

    @classmethod
    def of(cls, request: HttpRequest) -> Self:
        return cls(trust_of(request.user), filters_of(request.GET, FILTERS))

    @property
    def is_past(self) -> bool:
        return self.filters["past"] == "1"

    @property
    def order(self) -> Order:
        ended = "reverted_at" if self.is_past else "applied_at"
        return (ended, "id") if self.filters["sort"] == "oldest" else (f"-{ended}", "-id")

    def rows(self, without: str = "", *, past: bool | None = None) -> AdaptationQuerySet:
        """The adaptations that the filters leave, `without` this one of them, in the list's order."""
        of_past = self.is_past if past is None else past
        rows = Adaptation.objects.visible_to(self.trust)
        rows = rows.past() if of_past else rows.active()
        ignored = (without,) if of_past else (without, "revert_reason")
        chosen = {name: self.filters[name] for name in COLUMNS if name not in ignored}
        rows = rows.filter(**{COLUMNS[name]: value for name, value in chosen.items() if value})
        if words := self.filters["q"]:
            known = saying(Memory.objects.visible_to(self.trust), words).order_by().values("pk")
            rows = rows.filter(memory__in=known)
        return rows.annotate(category=F("memory__category")).order_by(*self.order if of_past == self.is_past else ())


@require_safe
def adaptations(request: HttpRequest) -> HttpResponse:
    asked = AdaptationList.of(request)
    titles: dict[str, Any] = {
        "plugin": (_("Agent"), ()),
        "category": (_("Kind"), [str(category) for category in BEHAVIOUR]),
        "scope": (_("Scope"), ()),
        "applied_by": (_("Applied by"), ()),
    }
    if asked.is_past:
        titles["revert_reason"] = (_("Ended because"), RevertReason.values)
    tabs = {"active": asked.rows(past=False), "past": asked.rows(past=True)}
    facets, counts = counted_facets(request.GET, titles, asked.rows, tabs)
    context = {
        "page": page_of(request, asked.rows().select_related("memory"), asked.order),
        "asked": asked,
        "past": asked.is_past,
        "facets": facets,
        "counts": counts,
        "tabs": tabs_of(request.GET, "past", {"": _("Active"), "1": _("Past")}, (counts["active"], counts["past"])),
        "sorts": list(SORTS.items()),
        "kept": carried(request.GET, "q", "sort"),
        "is_filtered": any(asked.filters[name] for name in (*COLUMNS, "q")),
    }
    return render(request, "memories/adaptations.html", context)


@require_safe
def adaptations_file(request: HttpRequest, form: str) -> StreamingHttpResponse:
    """The list that is shown, whole, as `csv` or `jsonl`."""
    rows = AdaptationList.of(request).rows().select_related("memory")
    return file_of("adaptations", form, IN_FILES, rows.iterator(500))
