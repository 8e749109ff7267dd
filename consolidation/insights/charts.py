"""The charts of the page of insights, from daily counts within the reader's trust."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from consolidation.insights.day_counts import WEEKS_AHEAD
from consolidation.insights.figures import Figures, by_day, of_share
from consolidation.insights.headline import trend
from consolidation.llm import tokens
from memories.intake.episodes.agreement import LEAST_OF_MODEL, Agreement, agreements, verdicts_that_came_true
from memories.models import Agent
from memories.values.choices import Outcome, Status
from memories.web.charts import Chart, Form, Series, Tone

WINDOWS: tuple[Literal[30, 90], ...] = (30, 90)  # days
CLOSED = (Status.DISMISSED, Status.SUPERSEDED, Status.RETRACTED)


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
    return by_day(figures, "memories", _("Memories"), series, note)


def throughput(figures: Figures) -> Chart:
    series = [
        Series(_("came in"), Tone.WARN, figures.by_day("arrived", "")),
        Series(_("decided by people"), Tone.ACCENT, figures.by_day("decided", "taken", "changed", "refused")),
        Series(_("promoted by rules"), Tone.GOOD, figures.by_day("decided", "climbed")),
    ]
    note = _("New knowledge and proposals, and what was decided about them.")
    return replace(by_day(figures, "throughput", _("Inbox: in and out"), series, note), form=Form.LINE)


def age(figures: Figures) -> Chart:
    ages = [
        (_("under a day"), Tone.GOOD, "day"),
        (_("under a week"), Tone.ACCENT, "week"),
        (_("under a month"), Tone.WARN, "month"),
        (_("older"), Tone.BAD, "older"),
    ]
    series = [Series(name, tone, figures.by_day("waiting", label)) for name, tone, label in ages]
    note = _("Items waiting for a decision at the end of each day, by how long they had waited.")
    note = " ".join([trend(figures) or _("The growth of the queue is shown once two days are counted."), note])
    return by_day(figures, "age", _("Inbox: how long things wait"), series, note)


def agreement(figures: Figures) -> Chart:
    decisions = [
        (_("accepted as proposed"), Tone.GOOD, "taken"),
        (_("reworded"), Tone.WARN, "changed"),
        (_("refused"), Tone.BAD, "refused"),
        (_("taken back"), Tone.QUIET, "undone"),
    ]
    series = [Series(name, tone, figures.by_day("decided", label)) for name, tone, label in decisions]
    taken, refused = figures.total("decided", "taken"), figures.total("decided", "refused")
    note = of_share(taken, taken + refused, _("People took %(part)s of the %(whole)s suggestions that they decided."))
    return by_day(figures, "agreement", _("Review agreement"), series, note)


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
    note = _("All live memories and experience, by current salience: it fades unless they are used again.")
    return Chart("salience", _("Salience"), _("Salience"), ranges, series, Form.BARS, note)


def retrievals(figures: Figures) -> Chart:
    series = [
        Series(_("asked for"), Tone.QUIET, figures.by_day("retrieved", "all")),
        Series(_("with a memory"), Tone.ACCENT, figures.by_day("retrieved", "hit")),
    ]
    hits, whole = figures.total("retrieved", "hit"), figures.total("retrieved", "all")
    note = of_share(hits, whole, _("%(part)s of %(whole)s contexts given to agents contained at least one memory."))
    return replace(by_day(figures, "retrievals", _("Retrievals"), series, note), form=Form.LINE)


def offered(figures: Figures) -> Chart:
    series = [
        Series(_("reviewed, or the agent's own"), Tone.GOOD, figures.by_day("offered", "reviewed")),
        Series(_("unreviewed"), Tone.WARN, figures.by_day("offered", "unreviewed")),
    ]
    unreviewed, whole = figures.total("offered", "unreviewed"), figures.total("offered", "reviewed", "unreviewed")
    text = _("%(part)s of %(whole)s memories in contexts were unreviewed: only one other agent had reported them.")
    note = of_share(unreviewed, whole, text)
    return by_day(figures, "offered", _("What was offered to agents"), series, note)


def skills(figures: Figures) -> Chart:
    outcomes = [
        (_("worked"), Tone.GOOD, Outcome.SUCCESS),
        (_("failed"), Tone.BAD, Outcome.FAILURE),
        (_("partly"), Tone.WARN, Outcome.PARTIAL),
    ]
    series = [Series(name, tone, figures.by_day("used", label)) for name, tone, label in outcomes]
    good, bad = (figures.total("used", label) for label in (Outcome.SUCCESS, Outcome.FAILURE))
    note = of_share(
        good, good + bad, _("%(part)s of %(whole)s uses of skills succeeded; partial outcomes are not counted here.")
    )
    return by_day(figures, "skills", _("Skills in use"), series, note)


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
    return by_day(figures, "guidance", _("Guidance"), series, note)


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
    note = _("Unless used or repeated: experience is removed, memories expire, idle claims lose confidence.")
    return Chart("forecast", _("What will fade"), _("When"), labels, series, Form.BARS, note)


def model(figures: Figures) -> Chart:
    series = [
        Series(_("tokens read"), Tone.ACCENT, figures.by_day("model", "tokens_read")),
        Series(_("tokens written"), Tone.GOOD, figures.by_day("model", "tokens_written")),
    ]
    failed, calls = figures.total("model", "failed"), figures.total("model", "calls")
    note = of_share(failed, calls, _("%(part)s of %(whole)s calls failed; failed calls cost tokens too."))
    price = tokens.cost(figures.total("model", "tokens_read"), figures.total("model", "tokens_written"))
    if price is not None and calls:
        note = f"{note} " + _("In all: %(amount)s.") % {"amount": number_format(price, 2, force_grouping=True)}
    empty = _("No language model was called in this time. None is needed.")
    return replace(by_day(figures, "model", _("Language model"), series, note), unit=_("tokens"), empty=empty)


WEEK = 7  # days


def outcome_sources(figures: Figures) -> Chart:
    """How often each source of outcomes says what people say; not by day, and over the whole store."""
    agreed = agreements()
    series = [
        Series(_("said the same as a person"), Tone.GOOD, [agreement.agreeing_labels for agreement in agreed]),
        Series(_("said otherwise"), Tone.BAD, [agreement.labels - agreement.agreeing_labels for agreement in agreed]),
    ]
    labels = [str(agreement.source.label) for agreement in agreed]
    note = " ".join(filter(None, [*map(_agreed, agreed), *(_left_out(one) for of in agreed for one in of.left_out)]))
    empty = _("No person has judged a run whose outcome another source reported. Runs to judge are at Outcomes.")
    return Chart(
        "outcomes", _("How runs ended: who is right"), _("Source"), labels, series, Form.BARS, note, empty=empty
    )


def _agreed(agreement: Agreement) -> str:
    share = of_share(agreement.agreeing_labels, agreement.labels, _("%(part)s of %(whole)s")) or _("no run yet")
    facts = {"source": agreement.source.label, "share": share}
    if agreement.is_distrusted:
        return (
            _("%(source)s agreed with people in %(share)s, which is too few: its outcomes do not count in learning.")
            % facts
        )
    if agreement.is_off:
        return _("Outcomes from %(source)s do not count in learning: COUNT_INFERRED_OUTCOMES is off.") % facts
    if agreement.is_untried and agreement.labels:
        text = _(
            "%(source)s agreed with people in %(share)s: its outcomes count in learning once people have judged "
            "%(least)s."
        )
        return text % {**facts, "least": LEAST_OF_MODEL}
    return _("%(source)s agreed with people in %(share)s.") % facts if agreement.labels else ""


def _left_out(agreement: Agreement) -> str:
    """Say that an agent's reports do not count; of an agent that is gone no name."""
    agent = Agent.objects.identified(agreement.agent).first()
    share = of_share(agreement.agreeing_labels, agreement.labels, _("%(part)s of %(whole)s"))
    text = _(
        "Outcomes reported by %(who)s agreed with people in %(share)s, which is too few: they do not count in learning."
    )
    return text % {"who": agent.name if agent else _("one agent"), "share": share}


def verdicts(figures: Figures) -> Chart:
    """What runs of which nobody had said how they ended were judged by runs like them, by the day of the verdict."""
    levels = [
        (_("probably failed"), Tone.BAD, "high"),
        (_("uncertain"), Tone.WARN, "medium"),
        (_("probably ended well"), Tone.GOOD, "low"),
    ]
    series = [Series(name, tone, figures.by_day("verdicts", label)) for name, tone, label in levels]
    facts = {
        "part": figures.total("verdicts", "high"),
        "whole": figures.total("verdicts", "low", "medium", "high"),
        "week": sum(n or 0 for n in figures.by_day("verdicts", "high")[-WEEK:]),
    }
    text = _(
        "%(whole)s runs without a reported outcome resemble other runs: %(part)s have probably failed, %(week)s "
        "of them in the last week."
    )
    note = text % facts if facts["whole"] else ""
    came_true = verdicts_that_came_true()
    texts = {
        "high": _("Of runs rated so whose outcome is known, %(part)s of %(whole)s failed."),
        "low": _("Of runs rated likely to end well, %(part)s of %(whole)s did."),
    }
    sentences = [note, *(of_share(*came_true[level], text) for level, text in texts.items())]
    return by_day(figures, "verdicts", _("How runs probably ended"), series, " ".join(filter(None, sentences)))


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
    "verdicts": verdicts,
    "guidance": guidance,
    "forecast": forecast,
    "model": model,
}
