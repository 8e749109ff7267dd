"""A chart for a page: drawn by static/js/charts.js, readable as a table without it, and downloadable as CSV.

    chart = Chart("uses", _("Uses"), _("Day"), labels=days, series=[Series(_("worked"), Tone.GOOD, counts)])
    {% include "components/_chart.html" with chart=chart %}

The page loads css/charts.css and, with `{% include "components/_chart_scripts.html" %}`, the scripts.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from io import StringIO
from typing import Any

from django.http import HttpResponse

from memories.models import Memory
from memories.values.choices import LIVE
from memories.web.exports import safe_cell

BYTE_ORDER_MARK = "\ufeff"  # by which spreadsheets know UTF-8
Number = int | float | None


class Tone(StrEnum):
    """A colour by its meaning: a custom property of tokens.css. Each series has a pattern or dash of its own too."""

    ACCENT = "accent"
    GOOD = "good"
    BAD = "bad"
    WARN = "warn"
    QUIET = "edge"


class Form(StrEnum):
    LINE = "line"
    BARS = "bars"
    STACK = "stack"


@dataclass(frozen=True)
class Series:
    """One value for each label of the chart; None where there is none. `drawn` false: in table and file only."""

    name: str
    tone: Tone
    values: Sequence[Number]
    drawn: bool = True


@dataclass(frozen=True)
class Chart:
    """`id`: unique on its page. `column`: heading of the labels. `note`: what is counted, in a sentence or two.
    `most`: upper end of the axis. `newest_first`: rows of the table, when labels are times.
    """

    id: str
    title: str
    column: str
    labels: Sequence[str]
    series: Sequence[Series]
    form: Form = Form.LINE
    note: str = ""
    unit: str = ""
    most: float | None = None
    csv_address: str = ""
    newest_first: bool = False
    empty: str = ""

    @property
    def is_empty(self) -> bool:
        return not any(value for curve in self.series for value in curve.values)

    @property
    def data(self) -> dict[str, Any]:
        """What charts.js draws."""
        series = [
            {"name": curve.name, "tone": curve.tone, "values": list(curve.values)}
            for curve in self.series
            if curve.drawn
        ]
        return {
            "form": self.form,
            "labels": list(self.labels),
            "series": series,
            "unit": self.unit,
            "most": self.most,
        }

    @property
    def rows(self) -> list[tuple[str, list[Number]]]:
        """Rows of the table: a label with a value of each series."""
        columns = [curve.values for curve in self.series]
        rows = [(label, list(values)) for label, *values in zip(self.labels, *columns, strict=True)]
        shown = [row for row in rows if any(value is not None and value for value in row[1])]
        return shown[::-1] if self.newest_first else shown

    def csv_lines(self) -> Iterator[list[str]]:
        """Every label, also those without a value, in the order of the chart."""
        yield [safe_cell(text) for text in (self.column, *(curve.name for curve in self.series))]
        for label, *values in zip(self.labels, *(curve.values for curve in self.series), strict=True):
            yield [safe_cell(label), *("" if value is None else str(value) for value in values)]


def csv_response(chart: Chart) -> HttpResponse:
    """The chart's numbers as a file for spreadsheets."""
    text = StringIO()
    text.write(BYTE_ORDER_MARK)
    csv.writer(text).writerows(chart.csv_lines())
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{chart.id}.csv"'
    return response


HALVINGS = 3  # half-lives that the curve shows at least
STEPS = 24
WIDTH, HEIGHT = 100, 24


@dataclass(frozen=True)
class Curve:
    """`now`: the salience in percent; `points`: an SVG polyline from now on; `until`: the end of the curve."""

    now: int
    points: str
    until: datetime
    half_life: timedelta
    is_level: bool  # it does not fall: pinned


def curve(memory: Memory, *, at: datetime) -> Curve | None:
    """Return the curve of a live memory; None for a closed one."""
    if memory.status not in LIVE:
        return None
    half_life = timedelta(seconds=min(memory.half_life, timedelta(days=36_500).total_seconds()))
    until = max(memory.fades_at or at, at + HALVINGS * half_life)
    span = until - at
    values = [memory.salience_on(at + span * step / STEPS) for step in range(STEPS + 1)]
    points = " ".join(f"{WIDTH * n / STEPS:.1f},{HEIGHT * (1 - value):.1f}" for n, value in enumerate(values))
    return Curve(round(values[0] * 100), points, until, half_life, memory.pinned)
