"""Charts of how runs ended: whose word on it is right, and what the verdicts on runs were worth."""

from django.utils.translation import gettext as _

from consolidation.insights.figures import Figures, by_day, of_share
from memories.intake.episodes.agreement import LEAST_OF_MODEL, Agreement, agreements, verdicts_that_came_true
from memories.web.charts import Chart, Form, Series, Tone

WEEK = 7  # days


def outcome_sources(figures: Figures) -> Chart:
    """How often each source of outcomes says what people say; not by day, and over the whole store."""
    agreed = agreements()
    series = [
        Series(_("said the same as a person"), Tone.GOOD, [agreement.agreed for agreement in agreed]),
        Series(_("said otherwise"), Tone.BAD, [agreement.labels - agreement.agreed for agreement in agreed]),
    ]
    labels = [str(agreement.source.label) for agreement in agreed]
    note = " ".join(filter(None, [_agreed(agreement) for agreement in agreed]))
    empty = _("No person has judged a run of which another source says how it ended. Runs to judge are at Outcomes.")
    return Chart(
        "outcomes", _("How runs ended: who is right"), _("Source"), labels, series, Form.BARS, note, empty=empty
    )


def _agreed(agreement: Agreement) -> str:
    share = of_share(agreement.agreed, agreement.labels, _("%(part)s of %(whole)s")) or _("no run yet")
    facts = {"source": agreement.source.label, "share": share}
    if agreement.is_distrusted:
        return _("%(source)s agreed with people in %(share)s, which is too few: it does not count in learning.") % facts
    if agreement.is_off:
        return _("%(source)s does not count in learning: COUNT_INFERRED_OUTCOMES is off.") % facts
    if agreement.is_untried and agreement.labels:
        text = _("%(source)s agreed with people in %(share)s: it counts in learning once they have judged %(least)s.")
        return text % {**facts, "least": LEAST_OF_MODEL}
    return _("%(source)s agreed with people in %(share)s.") % facts if agreement.labels else ""


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
        "Nobody had said how %(whole)s runs ended that are like others: %(part)s have probably failed, %(week)s of "
        "them in the last week."
    )
    note = text % facts if facts["whole"] else ""
    came_true = verdicts_that_came_true()
    texts = {
        "high": _("Of those called so, and known since, %(part)s of %(whole)s had failed."),
        "low": _("Of those called likely to end well, %(part)s of %(whole)s had."),
    }
    sentences = [note, *(of_share(*came_true[level], text) for level, text in texts.items())]
    return by_day(figures, "verdicts", _("How runs probably ended"), series, " ".join(filter(None, sentences)))
