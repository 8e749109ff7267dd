"""The counts that charts are drawn from, of the days of a window, within the reader's trust."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from django.db.models import Q
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from consolidation.models import DailyCount
from consolidation.models.daily_counts import COUNTED, OTHER_SCOPES, day_of, start_of
from memories.values.trust import Trust
from memories.web.charts import Chart, Form, Number, Series


@dataclass(frozen=True)
class Figures:
    """The counts of a window: name and label -> day -> n. `counted_at`: None before the first count.

    `iso_days`: days are named for programs.
    """

    days: Sequence[date]
    scopes: Sequence[str]
    counted_at: datetime | None
    counts: Mapping[tuple[str, str], Mapping[date, int]] = field(default_factory=dict)
    iso_days: bool = False

    @property
    def today(self) -> date:
        return self.days[-1]

    @property
    def is_empty(self) -> bool:
        return not any(name != COUNTED for name, _label in self.counts)

    @property
    def day_names(self) -> list[str]:
        short = pgettext("format of a day of this year", "j M")
        return [day.isoformat() if self.iso_days else date_format(day, short) for day in self.days]

    def by_day(self, name: str, *labels: str) -> list[Number]:
        return [sum(self._of(name, label).get(day, 0) for label in labels) for day in self.days]

    def total(self, name: str, *labels: str) -> int:
        return sum(n for label in labels for n in self._of(name, label).values())

    def now(self, name: str, labels: Iterable[str]) -> list[Number]:
        """The latest count of each label: of today, or of yesterday before today's first."""
        latest = max(self.by_counted_day(name), default=None)
        return [self._of(name, label).get(latest, 0) if latest else 0 for label in labels]

    def by_counted_day(self, name: str) -> Mapping[date, int]:
        """The sum of all labels on each day that a job has counted: one without a row had none."""
        sums = dict.fromkeys(self._of(COUNTED, ""), 0)
        for (one, _label), counts in self.counts.items():
            for day, n in counts.items() if one == name else ():
                sums[day] = sums.get(day, 0) + n
        return sums

    def _of(self, name: str, label: str) -> Mapping[date, int]:
        return self.counts.get((name, label), {})


def read(trust: Trust, *, at: datetime, window: int, scope: str | None = None) -> Figures:
    """Two statements, however large the store is. `scope`: only of this one; OTHER_SCOPES: of those without a name."""
    today = day_of(at)
    days = [today - timedelta(days=n) for n in reversed(range(window))]
    visible = DailyCount.objects.visible_to(trust).within(days[0], today)
    rows = visible.exclude(name=COUNTED)
    scopes = sorted(
        set(rows.order_by().values_list("scope", flat=True).distinct()), key=lambda one: (one == OTHER_SCOPES, one)
    )
    counts: dict[tuple[str, str], dict[date, int]] = defaultdict(dict)
    for name, label, day, n in visible.filter(Q() if scope is None else Q(scope=scope) | Q(name=COUNTED)).totals():
        counts[name, label][day] = n
    last = max(marks.items(), default=None) if (marks := counts.get((COUNTED, ""))) else None
    counted_at = start_of(last[0]) + timedelta(seconds=last[1]) if last else None
    return Figures(days, scopes, counted_at, counts)


def of_share(part: int, whole: int, text: str) -> str:
    """A share as "3 of 4" in a sentence with %(part)s and %(whole)s; nothing without a whole."""
    return text % {"part": part, "whole": whole} if whole else ""


def by_day(figures: Figures, id: str, title: str, series: list[Series], note: str) -> Chart:
    return Chart(id, title, _("Day"), figures.day_names, series, Form.STACK, note, newest_first=True)
