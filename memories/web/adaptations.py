"""The page of adaptations: changes of agents' behaviour, active and past, and the same list as a file."""

from typing import Any

from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from memories.models import Adaptation
from memories.models.adaptation import BEHAVIOUR
from memories.values.choices import RevertReason
from memories.web.exports import file_of
from memories.web.facets import TwoTabs
from memories.web.paging import page_of

SORTS = {"": gettext_lazy("Newest first"), "oldest": gettext_lazy("Oldest first")}
IN_FILES = (
    *("id", "memory_id", "memory_key", "plugin", "description", "scope", "uses"),
    *("applied_at", "applied_by", "reverted_at", "reverted_by", "revert_reason"),
)


class AdaptationList(TwoTabs):
    columns = {
        **{"plugin": "plugin", "category": "memory__category", "scope": "scope"},
        **{"applied_by": "applied_by", "revert_reason": "revert_reason"},
    }
    of_the_second = ("revert_reason",)
    tab, moments = "past", ("applied_at", "reverted_at")

    def listed(self, *, second: bool) -> QuerySet[Adaptation]:
        rows = Adaptation.objects.visible_to(self.trust)
        return (rows.past() if second else rows.active()).annotate(category=F("memory__category"))


@require_safe
def adaptations(request: HttpRequest) -> HttpResponse:
    asked = AdaptationList.of(request)
    titles: dict[str, Any] = {
        "plugin": (_("Agent"), ()),
        "category": (_("Kind"), [str(category) for category in BEHAVIOUR]),
        "scope": (_("Scope"), ()),
        "applied_by": (_("Applied by"), ()),
    }
    if asked.is_second:
        titles["revert_reason"] = (_("Ended because"), RevertReason.values)
    context = {
        "page": page_of(request, asked.rows().select_related("memory"), asked.order),
        "sorts": list(SORTS.items()),
        **asked.context(request.GET, titles, _("Active"), _("Past")),
    }
    return render(request, "memories/adaptations.html", context)


@require_safe
def adaptations_file(request: HttpRequest, form: str) -> StreamingHttpResponse:
    """The list that is shown, whole, as `csv` or `jsonl`."""
    rows = AdaptationList.of(request).rows().select_related("memory")
    return file_of("adaptations", form, IN_FILES, rows.iterator(500))
