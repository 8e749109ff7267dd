"""Snooze in the inbox until a morning, pin against fading, and edit the words."""

from datetime import datetime, timedelta
from typing import Annotated

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop, pgettext
from pydantic import Field

from memories.lifecycle import salience
from memories.models import Memory, Proposal
from memories.values.choices import LIVE
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_errors import parse_instant
from memories.values.field_types import Instant
from memos_site.review.verbs.verb import Because, Decision, Offer, Verb, Words

MORNING = 9
SUNDAY = 6
ENDS = {"tomorrow": _("until tomorrow"), "week": _("until Monday")}
WAKING = (_("Wake %(n)s"), _("Waking %(n)s"), _("Woken: %(n)s"))
Flag = Annotated[bool, Field(strict=True)]


class Snoozing(Because):
    until: Annotated[datetime | None, *Instant.__metadata__]
    """In the future; null wakes it"""


def snooze(memory: Memory, decision: Decision) -> None:
    """Snooze a memory in the inbox

    It is hidden in the inbox until then.
    """
    until = decision.options.get("until")
    check_end(until, at=decision.at)
    memory.snooze(until, **decision.audit)


def check_end(until: datetime | None, *, at: datetime) -> None:
    """Refuse a snooze that is over when it begins."""
    if until is not None and until <= at:
        raise Invalid(FieldError("/until", "out_of_range", "must be in the future"))


def end_of_snooze(end_name: str, now: datetime) -> datetime | None:
    """Return 9 in the morning of tomorrow or next Monday, in the reader's time zone; None for `wake`.

    On a Sunday next Monday is not tomorrow, which is offered as such. Invalid: another word.
    """
    local = timezone.localtime(now)
    days_to_monday = 7 - local.weekday() + (7 if local.weekday() == SUNDAY else 0)
    days = {"tomorrow": 1, "week": days_to_monday, "wake": 0}.get(end_name)
    if days is None:
        raise Invalid(FieldError("/until", "unknown_value", "must be tomorrow, week or wake"))
    morning = (local + timedelta(days=days)).replace(hour=MORNING, minute=0, second=0, microsecond=0)
    return morning if days else None


def named_day(at: datetime | None) -> str:
    """Return the day of an instant with its name, as in `Mon 23 Nov`; '' for None."""
    return date_format(timezone.localtime(at), pgettext("format of a day with its name", "D j M")) if at else ""


def ends_of_snooze(now: datetime) -> list[Offer]:
    """Return what a menu offers: until when, with the day."""
    return [
        Offer(f"snooze {end_name}", label, named_day(end_of_snooze(end_name, now))) for end_name, label in ENDS.items()
    ]


def is_snoozed(row: Memory | Proposal, now: datetime) -> bool:
    """Return whether a row is out of the inbox until its time comes."""
    return bool(row.snoozed_until and row.snoozed_until > now)


def _snoozes(memory: Memory, now: datetime) -> list[Offer]:
    offers = [Offer(end.decision, f"{SNOOZE.words.label} {end.label}", end.note) for end in ends_of_snooze(now)]
    return [*offers, Offer("snooze wake", _("Wake it now"))] if is_snoozed(memory, now) else offers


class Pinning(Because):
    pinned: Flag = True


def pin(memory: Memory, decision: Decision) -> None:
    """Pin a memory, so that it does not fade

    A pinned memory does not fade and is never pruned; an unpinned one fades again from now on.
    """
    salience.pin(memory, decision.options.get("pinned", True), **decision.audit)


def _pinnings(memory: Memory, _now: datetime) -> list[Offer]:
    return [Offer("pin off", _("Unpin: let it fade")) if memory.pinned else Offer("pin", _("Pin: it does not fade"))]


def edit(_memory: Memory, decision: Decision) -> None:
    """Check that there is an edit, which is written before any verb is applied."""
    if decision.edit is None:
        raise Invalid(FieldError("", "required", "say what is to be changed"))


SNOOZE = Verb(
    gettext_noop("snooze"),
    snooze,
    Words(
        _("snoozed until %(day)s"),
        _("%(who)s snoozed this"),
        _("Snooze"),
        _("Snoozed until %(day)s"),
        (_("Snooze %(n)s until %(day)s"), _("Snoozing %(n)s until %(day)s"), _("Snoozed %(n)s until %(day)s")),
        tally=_("snoozed"),
    ),
    variants={
        "wake": Words(_("woken"), _("%(who)s snoozed this"), _("Wake now"), _("Back in the queue"), WAKING),
    },
    variant=lambda options: "" if options.get("until", True) else "wake",
    statuses=frozenset(LIVE),
    options=lambda rest, now: {"until": end_of_snooze(rest, now)},
    stored_options=lambda stored: {"until": parse_instant(stored.get("snoozed_until") or stored.get("until"))},
    offers=_snoozes,
    body=Snoozing,
    example={"until": "2999-01-01T09:00:00Z"},
    of_many=True,
    is_tallied=True,
    keys=("s",),
    choices=len(ENDS),
)
PIN = Verb(
    gettext_noop("pin"),
    pin,
    Words(_("pinned"), toast=_("Pinned")),
    variants={"unpin": Words(_("unpinned"), toast=_("No longer pinned"))},
    variant=lambda options: "" if options.get("pinned", True) else "unpin",
    statuses=frozenset(LIVE),
    options=lambda rest, _now: {"pinned": rest != "off"},
    stored_options=lambda stored: {"pinned": stored.get("pinned", True)},
    offers=_pinnings,
    body=Pinning,
    example={"pinned": True},
    audited=("pin", "unpin"),
    of_experience=True,
    of_many=True,
    keeps_row=True,
)
EDIT = Verb(
    gettext_noop("edit"),
    edit,
    Words(_("edited"), _("%(who)s edited this"), _("Edit"), _("Saved")),
    statuses=frozenset(LIVE),
    audited=("revise",),
    is_tallied=True,
    keeps_row=True,
    keys=("i",),
)
