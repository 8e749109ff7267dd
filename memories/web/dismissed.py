"""The page of dismissed and forgotten claims: why, by whom, how often each was reported again; and the list as a file.

A tombstone whose memory is gone, or above the reader, is shown without its content.
"""

from dataclasses import dataclass
from typing import Any, Self

from django.db.models import Case, Q, TextField, Value, When
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from memories.models import Memory, Tombstone
from memories.models.passage import saying
from memories.models.tombstone import TombstoneQuerySet
from memories.people import trust_of
from memories.values.choices import REASONS, Category
from memories.values.keyset import Order
from memories.values.trust import Trust
from memories.web.exports import file_of
from memories.web.facets import carried, counted_facets, filters_of, tabs_of
from memories.web.paging import page_of

EXACT = ("why", "category", "scope", "by", "returned")
FILTERS = (*EXACT, "q", "sort", "lifted")
SORTS = {"": gettext_lazy("Newest first"), "oldest": gettext_lazy("Oldest first")}
OF_BLOCKED = {"returned": gettext_lazy("Most often said again")}
SAID_AGAIN, NOT_SINCE = "said_again", "not_since"
IN_FILES = (
    *("id", "memory_id", "key", "scope", "category", "reason", "by", "at", "hits", "last_hit_at"),
    *("lifted_at", "lifted_by"),
)


@dataclass(frozen=True)
class DismissedList:
    """What a reader asks for. The filter `q`: words of memories that are still there."""

    trust: Trust
    filters: dict[str, str]

    @classmethod
    def of(cls, request: HttpRequest) -> Self:
        return cls(trust_of(request.user), filters_of(request.GET, FILTERS))

    @property
    def is_lifted(self) -> bool:
        return self.filters["lifted"] == "1"

    @property
    def order(self) -> Order:
        sort = self.filters["sort"]
        if sort == "returned" and not self.is_lifted:
            return ("-hits", "-id")
        at = "lifted_at" if self.is_lifted else "at"
        return (at, "id") if sort == "oldest" else (f"-{at}", "-id")

    def rows(self, without: str = "", *, lifted: bool | None = None) -> TombstoneQuerySet:
        """The tombstones that the filters leave, `without` this one of them, in the list's order."""
        of_lifted = self.is_lifted if lifted is None else lifted
        rows = Tombstone.objects.visible_to(self.trust).filter(blocks=True)
        rows = rows.lifted() if of_lifted else rows.standing()
        rows = rows.annotate(why=_why(), returned=_returned())
        rows = rows.filter(**{name: self.filters[name] for name in EXACT if self.filters[name] and name != without})
        if words := self.filters["q"]:
            known = saying(Memory.objects.visible_to(self.trust), words).order_by().values("pk")
            rows = rows.filter(memory_id__in=known)
        return rows.order_by(*self.order if of_lifted == self.is_lifted else ())


def _why() -> Case:
    """The reason of the menu with which the text begins; '' where it is another one."""
    begins = [When(Q(reason=reason) | Q(reason__startswith=f"{reason}:"), then=Value(reason)) for reason in REASONS]
    return Case(*begins, default=Value(""), output_field=TextField())


def _returned() -> Case:
    said_again = When(hits__gt=0, then=Value(SAID_AGAIN))
    return Case(said_again, default=Value(NOT_SINCE), output_field=TextField())


@require_safe
def dismissed(request: HttpRequest) -> HttpResponse:
    asked = DismissedList.of(request)
    titles: dict[str, Any] = {
        "why": (_("Reason"), REASONS),
        "returned": (_("Said again"), (SAID_AGAIN, NOT_SINCE)),
        "category": (_("Category"), Category.values),
        "by": (_("By"), ()),
        "scope": (_("Scope"), ()),
    }
    tabs = {"standing": asked.rows(lifted=False), "lifted": asked.rows(lifted=True)}
    facets, counts = counted_facets(request.GET, titles, asked.rows, tabs)
    page = page_of(request, asked.rows(), asked.order)
    memories = Memory.objects.visible_to(asked.trust).unexpired(timezone.now()).select_related("skill")
    by_id = memories.in_bulk([tombstone.memory_id for tombstone in page.rows if tombstone.memory_id])
    context = {
        "page": page,
        "rows": [(tombstone, by_id.get(tombstone.memory_id)) for tombstone in page.rows],
        "asked": asked,
        "lifted": asked.is_lifted,
        "facets": facets,
        "counts": counts,
        "tabs": tabs_of(
            request.GET,
            "lifted",
            {"": _("Kept out"), "1": _("Allowed again")},
            (counts["standing"], counts["lifted"]),
        ),
        "sorts": list((SORTS if asked.is_lifted else SORTS | OF_BLOCKED).items()),
        "kept": carried(request.GET, "q", "sort"),
        "is_filtered": any(asked.filters[name] for name in (*EXACT, "q")),
    }
    return render(request, "memories/dismissed.html", context)


@require_safe
def dismissed_file(request: HttpRequest, form: str) -> StreamingHttpResponse:
    """The list that is shown, whole, as `csv` or `jsonl`. No claim's words are in it."""
    return file_of("dismissed", form, IN_FILES, DismissedList.of(request).rows().iterator(500))
