"""The charts of the page of insights, from daily counts within the reader's trust."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from consolidation.insights.days import day_of, start_of
from consolidation.insights.snapshots import WEEKS_AHEAD
from consolidation.models import DailyCount
from consolidation.models.daily_counts import COUNTED, OTHER_SCOPES
from memories.intake.episodes.agreement import Agreement, agreements
from memories.values.choices import Outcome, Status
from memories.values.trust import Trust
from memories.web.charts import Chart, Form, Number, Series, Tone

WINDOWS = (30, 90)  # days
CLOSED = (Status.DISMISSED, Status.SUPERSEDED, Status.RETRACTED)


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
        latest = max(
            (day for (one, _label), counts in self.counts.items() if one == name for day in counts), default=None
        )
        return [self._of(name, label).get(latest, 0) if latest else 0 for label in labels]

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
    for name, label, day, n in (visible if scope is None else visible.filter(scope=scope)).totals():
        counts[name, label][day] = n
    marks = DailyCount.objects.filter(name=COUNTED).order_by("-day").values_list("day", "n").first()
    counted_at = start_of(marks[0]) + timedelta(seconds=marks[1]) if marks else None
    return Figures(days, scopes, counted_at, counts)


def of_share(part: int, whole: int, text: str) -> str:
    """A share as "3 of 4" in a sentence with %(part)s and %(whole)s; nothing without a whole."""
    return text % {"part": part, "whole": whole} if whole else ""


def memories(figures: Figures) -> Chart:
    by_status = [
        (_("candidate"), Tone.WARN, (Status.CANDIDATE,)),
        (_("contested"), Tone.BAD, (Status.CONTESTED,)),
        (_("confirmed"), Tone.GOOD, (Status.CONFIRMED,)),
        (_("applied"), Tone.ACCENT, (Status.APPLIED,)),
        (_("closed"), Tone.QUIET, CLOSED),
    ]
    series = [Series(name, tone, figures.by_day("status", *labels)) for name, tone, labels in by_status]
    note = _("All knowledge by status at the end of each day; closed is dismissed, superseded or retracted.")
    return _by_day(figures, "memories", _("Memories"), series, note)


def throughput(figures: Figures) -> Chart:
    series = [
        Series(_("came in"), Tone.WARN, figures.by_day("arrived", "")),
        Series(_("decided by people"), Tone.ACCENT, figures.by_day("decided", "taken", "changed", "refused")),
        Series(_("promoted by rules"), Tone.GOOD, figures.by_day("decided", "climbed")),
    ]
    note = _("New knowledge and proposals, and what was decided about them.")
    return replace(_by_day(figures, "throughput", _("Inbox: in and out"), series, note), form=Form.LINE)


def age(figures: Figures) -> Chart:
    ages = [
        (_("under a day"), Tone.GOOD, "day"),
        (_("under a week"), Tone.ACCENT, "week"),
        (_("under a month"), Tone.WARN, "month"),
        (_("older"), Tone.BAD, "older"),
    ]
    series = [Series(name, tone, figures.by_day("waiting", label)) for name, tone, label in ages]
    note = _("What waited for a decision at the end of each day, by how long it had waited; snoozed ones too.")
    return _by_day(figures, "age", _("Inbox: how long things wait"), series, note)


def agreement(figures: Figures) -> Chart:
    decisions = [
        (_("taken as proposed"), Tone.GOOD, "taken"),
        (_("reworded"), Tone.WARN, "changed"),
        (_("refused"), Tone.BAD, "refused"),
        (_("taken back"), Tone.QUIET, "undone"),
    ]
    series = [Series(name, tone, figures.by_day("decided", label)) for name, tone, label in decisions]
    taken, refused = figures.total("decided", "taken"), figures.total("decided", "refused")
    note = of_share(taken, taken + refused, _("People took %(part)s of the %(whole)s suggestions that they decided."))
    return _by_day(figures, "agreement", _("Review agreement"), series, note)


def confidence(figures: Figures) -> Chart:
    labels = [str(n) for n in range(10)]
    series = [Series(_("memories"), Tone.ACCENT, figures.now("confidence", labels))]
    ranges = [f"{n}0–{n}9" if n else "0–9" for n in range(9)] + ["90–100"]
    note = _("Live knowledge by how sure it is, today.")
    return Chart("confidence", _("Confidence"), _("Confidence"), ranges, series, Form.BARS, note)


def salience(figures: Figures) -> Chart:
    labels = [str(n) for n in range(10)]
    series = [Series(_("memories"), Tone.GOOD, figures.now("salience", labels))]
    ranges = [f"0.{n}–{(n + 1) / 10:.1f}" for n in range(10)]
    note = _("Everything live, experience included, by how present it is today: it fades unless it is used again.")
    return Chart("salience", _("Salience"), _("Salience"), ranges, series, Form.BARS, note)


def retrievals(figures: Figures) -> Chart:
    series = [
        Series(_("asked for"), Tone.QUIET, figures.by_day("retrieved", "all")),
        Series(_("with a memory"), Tone.ACCENT, figures.by_day("retrieved", "hit")),
    ]
    hits, whole = figures.total("retrieved", "hit"), figures.total("retrieved", "all")
    note = of_share(hits, whole, _("%(part)s of %(whole)s contexts for agents held at least one memory."))
    return replace(_by_day(figures, "retrievals", _("Retrievals"), series, note), form=Form.LINE)


def offered(figures: Figures) -> Chart:
    series = [
        Series(_("reviewed, or the agent's own"), Tone.GOOD, figures.by_day("offered", "reviewed")),
        Series(_("unreviewed"), Tone.WARN, figures.by_day("offered", "unreviewed")),
    ]
    unreviewed, whole = figures.total("offered", "unreviewed"), figures.total("offered", "reviewed", "unreviewed")
    text = _("%(part)s of %(whole)s memories in contexts were unreviewed: another agent alone had said them.")
    note = of_share(unreviewed, whole, text)
    return _by_day(figures, "offered", _("What agents were offered"), series, note)


def skills(figures: Figures) -> Chart:
    outcomes = [
        (_("worked"), Tone.GOOD, Outcome.SUCCESS),
        (_("failed"), Tone.BAD, Outcome.FAILURE),
        (_("partly"), Tone.WARN, Outcome.PARTIAL),
    ]
    series = [Series(name, tone, figures.by_day("used", label)) for name, tone, label in outcomes]
    good, bad = (figures.total("used", label) for label in (Outcome.SUCCESS, Outcome.FAILURE))
    note = of_share(
        good, good + bad, _("%(part)s of %(whole)s uses of skills worked; partial ones are not counted here.")
    )
    return _by_day(figures, "skills", _("Skills in use"), series, note)


def outcome_sources(figures: Figures) -> Chart:
    """How often each source of outcomes says what people say; not by day, and over the whole store."""
    found = agreements()
    series = [
        Series(_("said the same as a person"), Tone.GOOD, [one.agreed for one in found]),
        Series(_("said otherwise"), Tone.BAD, [one.labels - one.agreed for one in found]),
    ]
    labels = [str(one.source.label) for one in found]
    note = " ".join(filter(None, [_agreed(one) for one in found]))
    empty = _("No person has judged a run of which another source says how it ended. Runs to judge are at Outcomes.")
    return Chart(
        "outcomes", _("How runs ended: who is right"), _("Source"), labels, series, Form.BARS, note, empty=empty
    )


def _agreed(one: Agreement) -> str:
    share = of_share(one.agreed, one.labels, _("%(part)s of %(whole)s")) or _("no run yet")
    facts = {"source": one.source.label, "share": share}
    if one.is_distrusted:
        return _("%(source)s agreed with people in %(share)s, which is too few: it does not count in learning.") % facts
    if one.is_off:
        return _("%(source)s does not count in learning: COUNT_INFERRED_OUTCOMES is off.") % facts
    return _("%(source)s agreed with people in %(share)s.") % facts if one.labels else ""


def guidance(figures: Figures) -> Chart:
    answers = [
        (_("answered"), Tone.GOOD, "answered"),
        (_("unsure"), Tone.QUIET, "unsure"),
        (_("withheld to measure"), Tone.WARN, "withheld"),
    ]
    series = [Series(name, tone, figures.by_day("guidance", label)) for name, tone, label in answers]
    against = figures.by_day("guidance", "advised_against")
    series.append(Series(_("advised against the call"), Tone.BAD, against, drawn=False))  # of the same questions
    good = figures.total("guidance", "answered")
    whole = good + figures.total("guidance", "unsure", "withheld")
    note = of_share(good, whole, _("%(part)s of %(whole)s questions got an answer."))
    if whole:
        n = figures.total("guidance", "advised_against")
        warned = ngettext("%(n)d call was advised against.", "%(n)d calls were advised against.", n) % {"n": n}
        note = f"{note} {warned}"
    return _by_day(figures, "guidance", _("Guidance"), series, note)


def forecast(figures: Figures) -> Chart:
    weeks = [str(n) for n in range(WEEKS_AHEAD)]
    series = [
        Series(_("experience fades"), Tone.QUIET, figures.now("fades", weeks)),
        Series(_("memories expire"), Tone.BAD, figures.now("expires", weeks)),
        Series(_("claims weaken"), Tone.WARN, figures.now("weakens", weeks)),
    ]
    labels = [
        _("this week"),
        *(ngettext("in %(n)d week", "in %(n)d weeks", n) % {"n": n} for n in range(1, WEEKS_AHEAD)),
    ]
    note = _("Unless used or said again: experience is removed, memories reach their end, idle claims lose confidence.")
    return Chart("forecast", _("What will fade"), _("When"), labels, series, Form.BARS, note)


def model(figures: Figures) -> Chart:
    series = [
        Series(_("tokens read"), Tone.ACCENT, figures.by_day("model", "tokens_read")),
        Series(_("tokens written"), Tone.GOOD, figures.by_day("model", "tokens_written")),
    ]
    failed, calls = figures.total("model", "failed"), figures.total("model", "calls")
    note = of_share(failed, calls, _("%(part)s of %(whole)s calls failed; failed ones cost too."))
    empty = _("No language model was called in this time. None is needed.")
    return replace(_by_day(figures, "model", _("Language model"), series, note), unit=_("tokens"), empty=empty)


def _by_day(figures: Figures, id: str, title: str, series: list[Series], note: str) -> Chart:
    return Chart(id, title, _("Day"), figures.day_names, series, Form.STACK, note, newest_first=True)


CHARTS: dict[str, Callable[[Figures], Chart]] = {
    "memories": memories,
    "throughput": throughput,
    "age": age,
    "agreement": agreement,
    "confidence": confidence,
    "salience": salience,
    "retrievals": retrievals,
    "offered": offered,
    "skills": skills,
    "outcomes": outcome_sources,
    "guidance": guidance,
    "forecast": forecast,
    "model": model,
}
