"""The words for a bulk decision: before it, while a run carries it out, and after it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consolidation.models import BulkOrder, Run
from consolidation.models.bulk_orders import UNDO
from memos_site.web import snoozing
from memos_site.web.words import in_words

REDO = "redo"  # an undo of an undo
TO_DO = {
    "promote": gettext_lazy("Promote %(n)s"),
    "dismiss": gettext_lazy("Dismiss %(n)s as %(reason)s"),
    "snooze": gettext_lazy("Snooze %(n)s until %(day)s"),
    "wake": gettext_lazy("Wake %(n)s"),
    UNDO: gettext_lazy("Undo %(n)s"),
}
UNDER_WAY = {
    "promote": gettext_lazy("Promoting %(n)s"),
    "dismiss": gettext_lazy("Dismissing %(n)s as %(reason)s"),
    "snooze": gettext_lazy("Snoozing %(n)s until %(day)s"),
    "wake": gettext_lazy("Waking %(n)s"),
    UNDO: gettext_lazy("Undoing %(n)s"),
    REDO: gettext_lazy("Doing again %(n)s"),
}


def to_do(verb: str, number: int, *, why: str, until: datetime | None) -> str:
    """Say what is asked about, as in `Dismiss 10,000 as noise`."""
    return _say(TO_DO, _("Decide about %(n)s"), verb, number, why=why, until=until)


def done(verb: str, number: int, until: datetime | None) -> str:
    """Say what was done, as in `Dismissed 1,200`."""
    words = {
        "promote": _("Promoted %(n)s"),
        "dismiss": _("Dismissed %(n)s"),
        "snooze": _("Snoozed %(n)s until %(day)s") if until else _("Woken: %(n)s"),
        UNDO: _("Undone: %(n)s"),
        REDO: _("Done again: %(n)s"),
    }
    return words.get(verb, _("Decided %(n)s")) % {"n": grouped(number), "day": snoozing.day(until)}


def of_order(order: BulkOrder) -> str:
    """Say what an order does or, once its run has ended, what it did and how many it left."""
    text = title_of_order(order)
    if order.run.status != Run.Status.SUCCEEDED or not order.refused_count:
        return text
    return f"{text}. " + _("%(n)s not: see why on the page of the run") % {"n": grouped(order.refused_count)}


def title_of_order(order: BulkOrder, *, is_redo: bool = False) -> str:
    """Say what an order does or did, for its own page, which lists what it left. `is_redo`: it takes an undo back."""
    until, verb = order.verdict_options.get("until"), REDO if is_redo else order.verb
    if order.run.is_unfinished:
        return _say(UNDER_WAY, _("Deciding about %(n)s"), verb, order.total, why=order.why, until=until)
    text = done(verb, order.done_count, until)
    if order.run.status != Run.Status.SUCCEEDED:
        facts = {"done": text, "n": grouped(order.total)}
        return _("%(done)s of %(n)s, then it stopped") % facts
    return text


def _say(words: Mapping[str, Any], other: str, verb: str, number: int, *, why: str, until: datetime | None) -> str:
    name = "wake" if verb == "snooze" and until is None else verb
    facts = {"n": grouped(number), "reason": in_words(why.partition(":")[0]), "day": snoozing.day(until)}
    return str(words.get(name, other)) % facts


def grouped(number: int) -> str:
    """Write a number with separators of thousands."""
    return number_format(number, force_grouping=True)
