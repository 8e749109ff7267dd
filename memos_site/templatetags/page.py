"""Template tags for values: times, names, numbers, JSON, form fields."""

import re
from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from typing import Any, Literal

from django import template
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.messages.storage.base import Message
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import escape, format_html, strip_tags
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from consolidation.learning.runs.errors import looks_failed
from memories.intake.reports.conversation import LONGEST_CONTENT
from memories.models import Event, Memory, Performance, Proposal
from memories.models.episode import LONGEST_SHOWN, LONGEST_START
from memories.models.evidence import LONGEST_SNAPSHOT
from memories.people import trust_of
from memories.scanning import credentials
from memories.values.choices import Sensitivity
from memories.values.text import as_text
from memos_site import review
from memos_site.web import reader
from memos_site.web.fragments import fragment, row_url
from memos_site.web.inbox_rows import MAX_COUNTED
from memos_site.web.memory_links import short_name
from memos_site.web.responses import Steps
from memos_site.web.sentences import sentence
from memos_site.web.words import as_list, in_words

register = template.Library()
register.simple_tag(row_url)

MINUTE, HOUR = 60, 3_600  # seconds
MAX_NAME = 160
MAX_UNFOLDED = 1_200  # characters of a text that a page shows whole
CUTS = (LONGEST_SHOWN, LONGEST_START, LONGEST_SNAPSHOT, LONGEST_CONTENT)  # where long texts end that are shown
_LAST_WORD = re.compile(r"\S{1,400}\Z")
_BACKTICKS = re.compile(r"`([^`\n]+)`")


@register.filter
def name(memory: Memory) -> str:
    """Return the title of a skill, or the beginning of another memory's content."""
    return short_name(memory, MAX_NAME)


@register.filter
def attribute(row: object, name: str) -> Any:
    """Return an attribute of a row, or None. For lists: a template's `memory.skill` that does not exist is slow, as
    Django then collects the names of all attributes for its error.
    """
    return getattr(row, name, None)


@register.filter
def type_name(memory: Memory) -> str:
    """Return what a memory is: a skill, else its category, else its type."""
    return _("skill") if getattr(memory, "skill", None) else in_words(memory.category or memory.type)


@register.filter
def steps_of(plan: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the nodes of a plan, each with its number, the steps before it and the source of each argument."""
    numbers = {node["id"]: number for number, node in enumerate(plan["nodes"], start=1)}
    before: dict[str, set[int]] = {node: set() for node in numbers}
    for edge in plan.get("edges", []):
        before[edge["to"]].add(numbers[edge["from"]])
    return [
        {
            "number": numbers[node["id"]],
            "op": node.get("op") or node["id"],
            "after": sorted(before[node["id"]]),
            "arguments": [_argument(name, value, numbers) for name, value in node.get("params", {}).items()],
            "repeat": node.get("repeat"),
        }
        for node in plan["nodes"]
    ]


def _argument(name: str, value: Any, numbers: dict[str, int]) -> dict[str, Any]:
    reference = value if isinstance(value, dict) and len(value) == 1 else {}
    sources: Any = reference.get("from")
    source_names = sources if isinstance(sources, list) else []
    steps = [numbers[source] for source in source_names if isinstance(source, str) and source in numbers]
    return {"name": name, "value": value, "steps": steps, "input": isinstance(reference.get("input"), str)}


@register.simple_tag
def icon(name: str, size: int | None = None) -> SafeString:
    """Render an icon of the sprite, of `size` pixels where the style sheets do not say which."""
    return fragment("components/_icon.html", name=name, size=size)


@register.simple_tag
def status(name: str, *, icon: str = "", word: str = "") -> SafeString:
    """Render a status as colour, shape and word; `icon` and `word` where they are not those of its name."""
    return fragment("components/_status.html", status=str(name), icon=icon, word=str(word))


@register.simple_tag
def keys(may_review: bool) -> SafeString:
    """Render the help overlay with the keys, of a reviewer all of them."""
    return fragment("components/_keys.html", may_review=bool(may_review))


@register.simple_tag
def select(*, name: str, label: str, options: Iterable[tuple[Any, Any]], chosen: Any, any: str) -> SafeString:
    """Render a labelled <select>; `any` is the option without a value."""
    shown = tuple((value, str(word)) for value, word in options)
    return fragment("components/_select.html", name=name, label=str(label), options=shown, chosen=chosen, any=str(any))


@register.inclusion_tag("components/_text_field.html")
def text_field(*, name: str, label: str, value: str, placeholder: str) -> dict[str, str]:
    """Render a labelled <input> of one line."""
    return {"name": name, "label": label, "value": value, "placeholder": placeholder}


@register.simple_tag
def comma_list(*texts: Any) -> str:
    """Join the values that are not empty with commas."""
    return as_list(str(text) for text in texts if text)


@register.filter
def undo_steps(message: Message) -> Steps:
    """Return what a message offers to undo and to redo."""
    return Steps.read(message.extra_tags or "")


@register.filter
def ago(at: datetime | Literal[""] | None) -> SafeString | str:
    """Render a <time>: relative text, absolute time in the title; '' for None or ''."""
    if not at:
        return ""
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', at.isoformat(), reader.absolute(at), reader.distance(at)
    )


@register.filter
def percent(share: float | None) -> str:
    """Return a share as percentage without sign, rounded down as in SKILL.md: 0.714 -> 71, 399 of 400 -> 99."""
    return "–" if share is None else str(int(share * 100 + 1e-9))


@register.filter
def as_json(value: Any) -> str:
    """Return a text unchanged, anything else as indented JSON."""
    return as_text(value, indent=2)


@register.filter
def one_line(args: Any) -> str:
    """Return the arguments of a call on one line, as in `user_id: mia_li, count: 2`."""
    if not isinstance(args, dict):
        return "" if args is None else str(args)
    return ", ".join(f"{name}: {as_text(value)}" for name, value in args.items())


@register.filter
def masked(text: Any) -> Any:
    """Return a text with its secrets masked, before it is cut: MaskedAnswers sees only what is left of it.

    A text that was cut already may end within a secret: its last word goes too.
    """
    if not isinstance(text, str):
        return text
    masked_text = credentials.masked(text)
    return _LAST_WORD.sub("…", masked_text) if len(text) in CUTS else masked_text


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
    return _up_to(MAX_COUNTED, review.waiting_count(trust_of(user), at=timezone.now(), most=MAX_COUNTED))


def _up_to(most: int, n: int) -> str:
    return f"{most}+" if n > most else str(n)


@register.filter
def sensitivity_label(level: int) -> str:
    """Return the word for a sensitivity level."""
    return in_words(Sensitivity(level).label)


@register.filter
def word(value: object) -> str:
    """Return a stored value as a word: plan_graph -> plan graph, in the reader's language."""
    return in_words(value)


@register.filter(name="sentence")
def sentence_of(text: object) -> str:
    """Return an English sentence of ours, raised or stored, in the reader's language."""
    return sentence(str(text or ""))


@register.filter
def reason(text: str) -> str:
    """Return why somebody decided: a reason that the pages offer as a word, with the note; else as `sentence`."""
    reason_name, _colon, note = text.partition(": ")
    if reason_name in review.REASONS:
        return (
            _("%(reason)s: %(note)s") % {"reason": in_words(reason_name), "note": note}
            if note
            else in_words(reason_name)
        )
    return sentence(text)


@register.filter
def until(start: datetime, end: datetime) -> str:
    """Return the time between two instants in the largest unit that fits."""
    seconds = max((end - start).total_seconds(), 0)
    if seconds < MINUTE:
        return _("%(n)s s") % {"n": round(seconds) if seconds >= 1 else f"{seconds:.1g}"}
    if seconds < HOUR:
        return _("%(n)s min") % {"n": round(seconds / MINUTE)}
    return _("%(n)s h") % {"n": round(seconds / HOUR)}


@register.simple_block_tag
def folded(content: str) -> str:
    """Render a text; a long one cut, with all of it behind "Show all"."""
    is_long = len(strip_tags(content)) > MAX_UNFOLDED
    return render_to_string("components/_folded.html", {"content": content}) if is_long else content


@register.filter
def words(values: Iterable[object]) -> str:
    """Return stored values as a list of words."""
    return as_list(map(in_words, values))


@register.filter(name="listed")
def listed_texts(texts: Iterable[object]) -> str:
    """Return texts as a list in a sentence."""
    return as_list(map(str, texts))


register.simple_tag(lambda: review.REASONS, name="dismissal_reasons")  # what a dismissal offers
