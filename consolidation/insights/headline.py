"""What a lead asks first: do runs end well more often with memory than without, what waits, what does it cost."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Q, Sum
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from consolidation.insights.figures import Figures, of_share
from consolidation.insights.flows import ENDED, OTHER_AGENTS
from consolidation.llm.tokens import cost
from consolidation.models import DailyCount
from consolidation.models.daily_counts import OTHER_SCOPES
from memories.values.chance import wilson
from memories.values.trust import Trust

AGES = ("day", "week", "month", "older")
LEAST_IN_PERCENT = 20  # cases below which a share is told without a percentage
LEAST_COMPARED = 5  # cases on both sides
WEEK = 7  # days
MOST_ROWS = 12


@dataclass
class Ends:
    """How many runs ended well and ill."""

    well: int = 0
    ill: int = 0

    @property
    def runs(self) -> int:
        return self.well + self.ill

    @property
    def percent(self) -> int | None:
        """None where the runs are too few for one."""
        return round(100 * self.well / self.runs) if self.runs >= LEAST_IN_PERCENT else None

    @property
    def text(self) -> str:
        """'31 of 40', or that nobody knows yet."""
        share = of_share(self.well, self.runs, _("%(part)s of %(whole)s"))
        return share or _("not known yet")

    def add(self, end: str, n: int) -> None:
        setattr(self, end, getattr(self, end) + n)

    def change_from(self, former: "Ends") -> str:
        """Beside the period before."""
        if not self.runs:
            return ""
        if not former.runs:
            return _("No data for the period before.")
        if self.percent is None or former.percent is None:
            return _("The period before: %(share)s.") % {"share": former.text}
        points = self.percent - former.percent
        facts = {"n": f"{points:+d}".replace("-", "−"), "share": former.text}
        return _("%(n)s points against the period before (%(share)s).") % facts


@dataclass
class ArmComparison:
    """Runs with memory beside those without: `withheld` are the ones among `without` that did without by lot."""

    name: str
    given: Ends
    without: Ends
    withheld: Ends

    @property
    def runs(self) -> int:
        return self.given.runs + self.without.runs

    @property
    def verdict(self) -> str:
        """Whether memory helps, in a sentence: only where the intervals of both shares do not meet."""
        if min(self.given.runs, self.without.runs) < LEAST_COMPARED:
            return _("Whether memory helps is not known yet: too few runs with or without it have a known outcome.")
        given, without = (wilson(tally.well, tally.ill) for tally in (self.given, self.without))
        if given[0] > without[1]:
            return _("Runs with memory end well more often than runs without it.")
        if given[1] < without[0]:
            return _("Runs with memory end well less often than runs without it.")
        return _("No difference between runs with memory and runs without it is measured yet.")


def _arm_comparison(name: str) -> ArmComparison:
    return ArmComparison(name, Ends(), Ends(), Ends())


@dataclass(frozen=True)
class Headline:
    """Of a window and the one before. `by_agent` and `by_scope`: the largest first."""

    now: ArmComparison
    former: ArmComparison
    by_agent: list[ArmComparison]
    by_scope: list[ArmComparison]
    figures: Figures

    @property
    def given_change(self) -> str:
        return self.now.given.change_from(self.former.given)

    @property
    def without_change(self) -> str:
        return self.now.without.change_from(self.former.without)

    @property
    def waiting(self) -> int:
        return int(sum(n or 0 for n in self.figures.now("waiting", AGES)))

    @property
    def oldest(self) -> str:
        """How long what waits longest has waited, roughly."""
        _day, _week, month, older = self.figures.now("waiting", AGES)
        for n, text in (
            (older, _("%(n)s of them for over a month.")),
            (month, _("%(n)s of them for over a week.")),
        ):
            if n:
                return text % {"n": n}
        return _("None for longer than a week.") if self.waiting else ""

    @property
    def trend(self) -> str:
        return trend(self.figures)

    @property
    def tokens(self) -> int:
        return self.figures.total("model", "tokens_read", "tokens_written")

    @property
    def cost(self) -> float | None:
        """In the currency of the prices that are set; None: none is."""
        read, written = (self.figures.total("model", label) for label in ("tokens_read", "tokens_written"))
        return cost(read, written)


def trend(figures: Figures) -> str:
    """By how much the queue grew a day, over what was counted of the last week; '' where only one day was."""
    lengths = figures.by_counted_day("waiting")
    days = sorted(day for day in lengths if day >= figures.today - timedelta(days=WEEK))
    if len(days) < 2:
        return ""
    passed = (days[-1] - days[0]).days
    change = round((lengths[days[-1]] - lengths[days[0]]) / passed)
    if not change:
        text = ngettext(
            "The queue has hardly changed in %(n)d day.", "The queue has hardly changed in %(n)d days.", passed
        )
        return text % {"n": passed}
    text = _("The queue grows by %(n)d a day.") if change > 0 else _("The queue shrinks by %(n)d a day.")
    return text % {"n": abs(change)}


def headline(figures: Figures, trust: Trust, *, scope: str | None) -> Headline:
    """One statement over the daily counts of two windows."""
    window, first = len(figures.days), figures.days[0]
    rows = DailyCount.objects.visible_to(trust).within(first - timedelta(days=window), figures.today)
    rows = rows.filter(name__in=ENDED) if scope is None else rows.filter(name__in=ENDED, scope=scope)
    whole = {True: _arm_comparison(""), False: _arm_comparison("")}
    agents: dict[str, ArmComparison] = {}
    scopes: dict[str, ArmComparison] = {}
    groups = rows.order_by().values("name", "label", "scope", recent=Q(day__gte=first)).annotate(total=Sum("n"))
    for row in groups:
        at = [whole[row["recent"]]]
        if row["recent"]:
            at.append(agents.setdefault(row["label"], _arm_comparison(_name_of_agent(row["label"]))))
            at.append(scopes.setdefault(row["scope"], _arm_comparison(name_of_scope(row["scope"]))))
        _count(at, row["name"], row["total"])
    return Headline(whole[True], whole[False], _largest(agents), _largest(scopes), figures)


def _count(places: Iterable[ArmComparison], name: str, n: int) -> None:
    arm, end = ENDED[name]
    for place in places:
        (place.given if arm == "with" else place.without).add(end, n)
        if arm == "withheld":
            place.withheld.add(end, n)


def _largest(rows: Mapping[str, ArmComparison]) -> list[ArmComparison]:
    return sorted(rows.values(), key=lambda one: (-one.runs, one.name))[:MOST_ROWS]


def _name_of_agent(label: str) -> str:
    return _("all other agents") if label == OTHER_AGENTS else label


def name_of_scope(scope: str) -> str:
    return _("all other scopes") if scope == OTHER_SCOPES else scope or _("without a scope")
