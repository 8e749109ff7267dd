"""Lists of two tabs, of what holds and what has ended: adaptations (changes of agents' behaviour), and dismissed and
forgotten claims (why, by whom, how often each was reported again).

A tombstone whose memory is gone, or above the reader, is shown without its content.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from django.db.models import Case, F, Q, QuerySet, TextField, Value, When
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from memories.models import Adaptation, Memory, Tombstone
from memories.models.adaptation import BEHAVIOUR
from memories.models.passage import with_words
from memories.people import trust_of
from memories.values.choices import REASONS, Category, RevertReason
from memories.values.keyset import Order
from memories.values.trust import Trust
from memories.web.facets import facets_with_counts, filters_of, hidden_fields, tabs_of
from memories.web.paging import page_of

SORTS = {"": gettext_lazy("Newest first"), "oldest": gettext_lazy("Oldest first")}
OF_BLOCKED = {"returned": gettext_lazy("Most often said again")}
SAID_AGAIN, NOT_SINCE = "said_again", "not_since"


@dataclass(frozen=True)
class TwoTabs:
    """The request for a list with two tabs: what holds, and what has ended. Filter `q`: words of the memories."""

    columns: ClassVar[Mapping[str, str]]  # by the parameter of the address
    of_the_second: ClassVar[Sequence[str]] = ()  # parameters that the first tab does not know
    tab: ClassVar[str]  # the parameter that is 1 on the second tab
    moments: ClassVar[tuple[str, str]]  # columns by which the tabs are sorted

    trust: Trust
    filters: dict[str, str]

    @classmethod
    def of(cls, request: HttpRequest) -> Self:
        return cls(trust_of(request.user), filters_of(request.GET, (*cls.columns, "q", "sort", cls.tab)))

    @property
    def is_second(self) -> bool:
        return self.filters[self.tab] == "1"

    @property
    def order(self) -> Order:
        at = self.moments[self.is_second]
        return (at, "id") if self.filters["sort"] == "oldest" else (f"-{at}", "-id")

    def all_rows(self, *, second: bool) -> QuerySet[Any]:
        """All that the reader may see of a tab."""
        raise NotImplementedError

    def rows(self, without: str = "", *, second: bool | None = None) -> QuerySet[Any]:
        """The rows that match the filters, except the filter `without`; in the list's order if it is the open tab."""
        for_second = self.is_second if second is None else second
        ignored_names = (without, *(() if for_second else self.of_the_second))
        values = {column: self.filters[name] for name, column in self.columns.items() if name not in ignored_names}
        rows = self.all_rows(second=for_second).filter(**{column: value for column, value in values.items() if value})
        if words := self.filters["q"]:
            matching_ids = with_words(Memory.objects.visible_to(self.trust), words).order_by().values("pk")
            rows = rows.filter(memory_id__in=matching_ids)
        return rows.order_by(*self.order if for_second == self.is_second else ())

    def context(
        self, parameters: QueryDict, titles: Mapping[str, tuple[str, Sequence[str]]], first: str, second: str
    ) -> dict[str, Any]:
        """The page's context. `titles`: by column, the title of its facet and all its values if they are fixed."""
        tabs = {"first": self.rows(second=False), "second": self.rows(second=True)}
        facets, counts = facets_with_counts(parameters, titles, self.rows, tabs)
        return {
            "asked": self,
            self.tab: self.is_second,
            "facets": facets,
            "counts": counts,
            "tabs": tabs_of(parameters, self.tab, {"": first, "1": second}, (counts["first"], counts["second"])),
            "kept": hidden_fields(parameters, "q", "sort"),
            "is_filtered": any(self.filters[name] for name in (*self.columns, "q")),
        }


class AdaptationList(TwoTabs):
    columns = {
        **{"plugin": "plugin", "category": "memory__category", "scope": "scope"},
        **{"applied_by": "applied_by", "revert_reason": "revert_reason"},
    }
    of_the_second = ("revert_reason",)
    tab, moments = "past", ("applied_at", "reverted_at")

    def all_rows(self, *, second: bool) -> QuerySet[Adaptation]:
        rows = Adaptation.objects.visible_to(self.trust)
        return (rows.past() if second else rows.active()).annotate(category=F("memory__category"))


@require_safe
def adaptations(request: HttpRequest) -> HttpResponse:
    listing = AdaptationList.of(request)
    titles: dict[str, Any] = {
        "plugin": (_("Agent"), ()),
        "category": (_("Kind"), [str(category) for category in BEHAVIOUR]),
        "scope": (_("Scope"), ()),
        "applied_by": (_("Applied by"), ()),
    }
    if listing.is_second:
        titles["revert_reason"] = (_("Reason of its end"), RevertReason.values)
    context = {
        "page": page_of(request, listing.rows().select_related("memory"), listing.order),
        "sorts": list(SORTS.items()),
        **listing.context(request.GET, titles, _("Active"), _("Past")),
    }
    return render(request, "memories/adaptations.html", context)


class DismissedList(TwoTabs):
    columns = {name: name for name in ("why", "category", "scope", "by", "returned")}
    tab, moments = "lifted", ("at", "lifted_at")

    @property
    def order(self) -> Order:
        by_returns = self.filters["sort"] == "returned" and not self.is_second
        return ("-hits", "-id") if by_returns else super().order

    def all_rows(self, *, second: bool) -> QuerySet[Tombstone]:
        rows = Tombstone.objects.visible_to(self.trust).filter(blocks=True)
        return (rows.lifted() if second else rows.standing()).annotate(why=_reason(), returned=_return_state())


def _reason() -> Case:
    """SQL for the reason from the menu with which the text begins; '' for any other."""
    begins = [When(Q(reason=reason) | Q(reason__startswith=f"{reason}:"), then=Value(reason)) for reason in REASONS]
    return Case(*begins, default=Value(""), output_field=TextField())


def _return_state() -> Case:
    said_again = When(hits__gt=0, then=Value(SAID_AGAIN))
    return Case(said_again, default=Value(NOT_SINCE), output_field=TextField())


@require_safe
def dismissed(request: HttpRequest) -> HttpResponse:
    listing = DismissedList.of(request)
    titles: dict[str, Any] = {
        "why": (_("Reason"), REASONS),
        "returned": (_("Said again"), (SAID_AGAIN, NOT_SINCE)),
        "category": (_("Category"), Category.values),
        "by": (_("By"), ()),
        "scope": (_("Scope"), ()),
    }
    page = page_of(request, listing.rows(), listing.order)
    memories = Memory.objects.visible_to(listing.trust).unexpired(timezone.now()).select_related("skill")
    by_id = memories.in_bulk([tombstone.memory_id for tombstone in page.rows if tombstone.memory_id])
    context = {
        "page": page,
        "rows": [(tombstone, by_id.get(tombstone.memory_id)) for tombstone in page.rows],
        "sorts": list((SORTS if listing.is_second else SORTS | OF_BLOCKED).items()),
        **listing.context(request.GET, titles, _("Blocked"), _("Allowed again")),
    }
    return render(request, "memories/dismissed.html", context)
