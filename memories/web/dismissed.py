"""The page of dismissed and forgotten claims: why, by whom, how often each was reported again; and the list as a file.

A tombstone whose memory is gone, or above the reader, is shown without its content.
"""

from typing import Any

from django.db.models import Case, Q, QuerySet, TextField, Value, When
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from memories.models import Memory, Tombstone
from memories.values.choices import REASONS, Category
from memories.values.keyset import Order
from memories.web.exports import file_of
from memories.web.facets import TwoTabs
from memories.web.paging import page_of

SORTS = {"": gettext_lazy("Newest first"), "oldest": gettext_lazy("Oldest first")}
OF_BLOCKED = {"returned": gettext_lazy("Most often said again")}
SAID_AGAIN, NOT_SINCE = "said_again", "not_since"
IN_FILES = (
    *("id", "memory_id", "key", "scope", "category", "reason", "by", "at", "hits", "last_hit_at"),
    *("lifted_at", "lifted_by"),
)


class DismissedList(TwoTabs):
    columns = {name: name for name in ("why", "category", "scope", "by", "returned")}
    tab, moments = "lifted", ("at", "lifted_at")

    @property
    def order(self) -> Order:
        by_returns = self.filters["sort"] == "returned" and not self.is_second
        return ("-hits", "-id") if by_returns else super().order

    def listed(self, *, second: bool) -> QuerySet[Tombstone]:
        rows = Tombstone.objects.visible_to(self.trust).filter(blocks=True)
        return (rows.lifted() if second else rows.standing()).annotate(why=_why(), returned=_returned())


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
    page = page_of(request, asked.rows(), asked.order)
    memories = Memory.objects.visible_to(asked.trust).unexpired(timezone.now()).select_related("skill")
    by_id = memories.in_bulk([tombstone.memory_id for tombstone in page.rows if tombstone.memory_id])
    context = {
        "page": page,
        "rows": [(tombstone, by_id.get(tombstone.memory_id)) for tombstone in page.rows],
        "sorts": list((SORTS if asked.is_second else SORTS | OF_BLOCKED).items()),
        **asked.context(request.GET, titles, _("Kept out"), _("Allowed again")),
    }
    return render(request, "memories/dismissed.html", context)


@require_safe
def dismissed_file(request: HttpRequest, form: str) -> StreamingHttpResponse:
    """The list that is shown, whole, as `csv` or `jsonl`. No claim's words are in it."""
    return file_of("dismissed", form, IN_FILES, DismissedList.of(request).rows().iterator(500))
