"""Template tags for values: times, names, numbers, JSON, form fields."""

import json
import re
from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from typing import Any, Literal

from django import template
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.messages.storage.base import Message
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from consolidation.learning.errors import looks_failed
from memories.intake.reports.conversation import LONGEST_CONTENT
from memories.models import Event, Memory, Performance, Proposal
from memories.models.episode import LONGEST_SHOWN, LONGEST_START
from memories.models.evidence import LONGEST_SNAPSHOT
from memories.people import trust_of
from memories.scanning import credentials
from memories.values.choices import Sensitivity
from memos_site import review
from memos_site.web.memory_links import short_name
from memos_site.web.responses import Steps

register = template.Library()

MAX_COUNTED = 999
MAX_NAME = 160
CUTS = (LONGEST_SHOWN, LONGEST_START, LONGEST_SNAPSHOT, LONGEST_CONTENT)  # where long texts end that are shown
_LAST_WORD = re.compile(r"\S{1,400}\Z")
_BACKTICKS = re.compile(r"`([^`]+)`")


@register.filter
def name(memory: Memory) -> str:
    """Return the title of a skill, or the beginning of another memory's content."""
    return short_name(memory, MAX_NAME)


@register.inclusion_tag("components/_select.html")
def select(*, name: str, label: str, options: Iterable[tuple[Any, Any]], chosen: Any, any: str) -> dict[str, Any]:
    """Render a labelled <select>; `any` is the option without a value."""
    return {"name": name, "label": label, "options": options, "chosen": chosen, "any": any}


@register.inclusion_tag("components/_text_field.html")
def text_field(*, name: str, label: str, value: str, placeholder: str) -> dict[str, str]:
    """Render a labelled <input> of one line."""
    return {"name": name, "label": label, "value": value, "placeholder": placeholder}


@register.simple_tag
def comma_list(*texts: Any) -> str:
    """Join the values that are not empty with commas."""
    return ", ".join(str(text) for text in texts if text)


@register.filter
def undo_steps(message: Message) -> Steps:
    """Return what a message offers to undo and to redo."""
    return Steps.read(message.extra_tags or "")


@register.filter
def ago(at: datetime | Literal[""] | None) -> SafeString | str:
    """Render a <time>: relative text, absolute time in the title; '' for None or ''."""
    if not at:
        return ""
    local = timezone.localtime(at)
    title = f"{date_format(local, 'j M Y, H:i:s')} {local.tzname()}"
    return format_html('<time datetime="{}" title="{}">{}</time>', at.isoformat(), title, _distance(at, local))


def _distance(at: datetime, local: datetime) -> str:
    seconds = (timezone.now() - at).total_seconds()
    if seconds < 60:
        return _("just now")
    minutes, hours, days = int(seconds // 60), int(seconds // 3600), int(seconds // 86_400)
    if minutes < 60:
        return ngettext("%(n)d min ago", "%(n)d min ago", minutes) % {"n": minutes}
    if hours < 24:
        return ngettext("%(n)d h ago", "%(n)d h ago", hours) % {"n": hours}
    if days < 30:
        return ngettext("%(n)d day ago", "%(n)d days ago", days) % {"n": days}
    return date_format(local, "j M Y")


@register.filter
def percent(share: float | None) -> str:
    """Return a share as percentage without sign, rounded down as in SKILL.md: 0.714 -> 71, 399 of 400 -> 99."""
    return "–" if share is None else str(int(share * 100 + 1e-9))


@register.filter
def as_json(value: Any) -> str:
    """Return a text unchanged, anything else as indented JSON."""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


@register.filter
def one_line(args: Any) -> str:
    """Return the arguments of a call on one line, as in `user_id: mia_li, count: 2`."""
    if not isinstance(args, dict):
        return "" if args is None else str(args)
    return ", ".join(f"{name}: {_word(value)}" for name, value in args.items())


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@register.filter
def masked(text: str, reveal: bool = False) -> str:
    """Return a text of an episode with its secrets masked.

    `reveal`: the reader has asked for them. A text that was cut may end within a secret: its last word goes too.
    """
    if reveal or not isinstance(text, str):
        return text
    shown = credentials.masked(text)
    return _LAST_WORD.sub("…", shown) if len(text) in CUTS else shown


@register.filter
def code_spans(text: str) -> SafeString:
    """Escape a text and render what stands between backticks as <code>."""
    return mark_safe(_BACKTICKS.sub(r"<code>\1</code>", escape(text)))  # noqa: S308 - escaped before


@register.filter
def failed(event: Event) -> bool:
    """Return whether a call failed: as recorded, else as the beginning of its result says."""
    if event.ok is not None:
        return not event.ok
    start: str = getattr(event, "result_start", None) or ""
    return looks_failed(start.removeprefix('"'))


@register.inclusion_tag("components/_scale.html")
def success_scale(performance: Performance) -> dict[str, float]:
    """Render the success rate with its interval on a line from 0 to 100."""
    low, high = performance.interval
    rate = performance.success_rate or 0.0
    return {"low": low * 100, "width": (high - low) * 100, "at": rate * 98.5}


@register.filter
def grouped_calls(events: list[Event]) -> list[dict[str, Any]]:
    """Group consecutive calls of the same tool, with their number; failed ones apart from the others."""
    groups = (list(group) for _key, group in groupby(events, key=lambda event: (event.tool, failed(event))))
    return [{"event": group[0], "times": len(group), "failed": failed(group[0])} for group in groups]


@register.filter
def shown_version(row: Memory | Proposal) -> str:
    """Return the version token that a form sends along, so that nobody decides about an unseen change."""
    return review.version_token(row)


@register.simple_tag
def waiting_count(user: User | AnonymousUser) -> str:
    """Return how many decisions wait for a person; above MAX_COUNTED as in 999+."""
    trust, at = trust_of(user), timezone.now()
    memories = review.waiting_memories(trust, at=at).order_by().values("pk")[: MAX_COUNTED + 1]
    proposals = review.open_proposals(trust, at=at).order_by().values("pk")[: MAX_COUNTED + 1]
    n = memories.union(proposals, all=True).count()  # one statement, for every page
    return f"{MAX_COUNTED}+" if n > MAX_COUNTED else str(n)


@register.filter
def sensitivity_label(level: int) -> str:
    """Return the label of a sensitivity level."""
    return str(Sensitivity(level).label)


@register.filter
def nonzero(counters: dict[str, int]) -> list[tuple[str, int]]:
    """Return the counters that are not 0, with readable names: episodes_read -> episodes read."""
    return [(name.replace("_", " "), n) for name, n in counters.items() if n]


@register.simple_tag
def dismissal_reasons() -> tuple[str, ...]:
    """Return the reasons that a dismissal offers."""
    return review.REASONS
