"""Template tags of episodes: titles, what an event reports, the graph of tools, times, and who says how it ended."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from memories.lexicon.tool_words import without_server
from memories.models import Episode, Event, Memory
from memories.models.ending import EndStatement
from memories.models.episode import UNKNOWN, node_id
from memories.models.former_state import made_at
from memories.values.choices import Outcome, OutcomeSource
from memories.web.tool_graph import Call, graph
from memos_site.templatetags.page import as_json, failed, one_line
from memos_site.web.words import as_list, in_words

register = template.Library()
register.filter(without_server)

KIND_AND_REF = re.compile(r"([a-z]+(?:_[a-z]+)+) (\S.*)")  # what is stored of an event that nobody summarised
LEADING_TAGS = re.compile(r"^(?:\s*<[A-Za-z][\w:-]{0,40}>)+\s*(?=\S)")


@register.filter
def recorded_at(episode: Episode) -> datetime:
    """Return when an episode was stored, which for an imported one is later than its events."""
    return made_at(episode.pk)


@register.filter
def headline(memory: Memory) -> str:
    """Return the title of an episode; of an event that has none its kind in words: Plugin run: mail-1."""
    return str(memory.episode.title or _opening(memory.content))


@register.filter
def run_name(episode: Episode | None) -> str:
    """Return a name of an episode, on one line: its title, else its opening; '' for none.

    `episode`: of `with_opening`.
    """
    if episode is None:
        return ""
    return str(episode.title or _opening(" ".join(getattr(episode, "opening", "").split())) or episode.source)


@register.filter
def says_more(words: str, episode: Episode | None) -> bool:
    """Whether words of an episode differ from its title, and from the opening that `run_name` takes."""
    text, name = _plain(words), run_name(episode)
    by_its_title = episode is None or bool(episode.title)
    return bool(text) and (text != name if by_its_title else not text.startswith(name))


def _plain(words: str) -> str:
    """The words on one line, without the tags that harnesses put around a task: <pr_description>."""
    return LEADING_TAGS.sub("", " ".join(words.split()), count=1)


def _opening(content: str) -> str:
    event = KIND_AND_REF.fullmatch(content)
    return capfirst(pair(event[1], event[2])) if event else LEADING_TAGS.sub("", content, count=1)


@register.filter
def event_name(event: Event) -> str:
    """Return the kind of an event in words and what it is about: Plugin run: mail-1."""
    return capfirst(pair(event.kind, event.ref))


@register.simple_tag
def event_address(episode_id: UUID, position: int | None) -> str:
    """Return the address of an event on the page of its episode; without a position that of the page."""
    path = reverse("episode", args=[episode_id])
    return f"{path}?at={position}#{node_id(episode_id, position)}" if position else path


@register.filter
def reported(context: dict[str, Any]) -> str:
    """Return what an event reports on one line, its names as words: run hour: 8, user edited: yes."""
    return as_list(pair(name, reported_value(value)) for name, value in context.items())


@register.filter
def reported_value(value: Any) -> str:
    """Return a reported value as a text; true and false as words."""
    return _("yes") if value is True else _("no") if value is False else as_json(value)


def pair(name: str, value: str) -> str:
    return _("%(name)s: %(n)s") % {"name": in_words(name), "n": value}


@register.simple_tag
def tool_code(tool: str) -> str:
    """Write the name of a tool, of MCP without its server, which the name tells where the pointer rests on it."""
    short = without_server(tool)
    if short == tool:
        return format_html("<code>{}</code>", tool)
    return format_html('<code title="{}">{}</code>', tool, short)


@register.inclusion_tag("memories/_tool_graph.html")
def tool_graph(calls: Sequence[Event], most: int) -> dict[str, Any]:
    """Draw which tool was called after which; `most`: events that were read for it."""
    return {"graph": graph([Call(event.tool, failed(event)) for event in calls]), "most": most}


@register.filter
def since(at: datetime, first: datetime) -> str:
    """Return the time since the first event, as in `+2 min 5 s`, on one line; '' for none."""
    return f"+{duration(at - first)}".replace(" ", "\u00a0") if at > first else ""


@register.filter
def duration(span: timedelta) -> str:
    """Return a span of time in its two largest units."""
    seconds = int(span.total_seconds())
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86_400
    if days:
        return _("%(days)d d %(hours)d h") % {"days": days, "hours": hours % 24}
    if hours:
        return _("%(hours)d h %(minutes)d min") % {"hours": hours, "minutes": minutes % 60}
    if minutes:
        return _("%(minutes)d min %(seconds)d s") % {"minutes": minutes, "seconds": seconds % 60}
    return _("%(seconds)d s") % {"seconds": seconds}


@register.filter
def milliseconds(ms: float) -> str:
    """Return a latency, from a second on in seconds."""
    return _("%(seconds).1f s") % {"seconds": ms / 1000} if ms >= 1000 else _("%(ms)d ms") % {"ms": round(ms)}


@register.filter
def as_printed(value: Any) -> str:
    """Return texts of several lines as they stand, after the other fields of their object; anything else as JSON."""
    texts = {name: text for name, text in value.items() if _has_lines(text)} if isinstance(value, dict) else {}
    if not texts:
        return as_json(value)
    rest = one_line({name: field for name, field in value.items() if name not in texts})
    parts = texts.values() if len(texts) == 1 else (f"{name}:\n{text}" for name, text in texts.items())
    return "\n\n".join(filter(None, [rest, *parts]))


def _has_lines(value: Any) -> bool:
    return isinstance(value, str) and "\n" in value.strip()


@dataclass(frozen=True)
class ShownStatement:
    """What one source says. `quote`: the words that it was read from; `reason`: a model's. '' for none."""

    sentence: str
    at: datetime | None
    quote: str = ""
    reason: str = ""


@register.filter
def end_statements(episode: Episode) -> list[ShownStatement]:
    """Return what each source says of how a run ended, the one that holds first."""
    statements = sorted(episode.statements().values(), key=lambda statement: statement.source.rank, reverse=True)
    return [_statement_row(statement) for statement in statements]


@register.filter
def statements_before_judging(episode: Episode) -> list[ShownStatement]:
    """Return the statements to show before a person has judged, without those of a model whose judgements do not
    count yet, which would bias the person."""
    statements = sorted(episode.statements().values(), key=lambda statement: statement.source.rank, reverse=True)
    visible_statements = [
        statement for statement in statements if statement.source != OutcomeSource.MODEL or episode.outcome_counts
    ]
    return [_statement_row(statement) for statement in visible_statements]


def _statement_row(statement: EndStatement) -> ShownStatement:
    quote, reason = (str(statement.details.get(name, "")) for name in ("quote", "reason"))
    return ShownStatement(_sentence(statement), statement.at, quote, reason)


@register.simple_tag
def judgements() -> tuple[str, ...]:
    """Return what a person may say of how a run ended."""
    return (*Outcome.values, UNKNOWN)


@register.filter
def how_inferred(episode: Episode) -> str:
    """Return how an inferred outcome was inferred; '' for one that somebody told."""
    statement = episode.statements().get(episode.outcome_source)
    return _sentence(statement) if statement and statement.source.is_inferred else ""


def _sentence(statement: EndStatement) -> str:
    if statement.source == OutcomeSource.PERSON and statement.outcome is None:
        return _("%(name)s looked, and cannot tell") % {"name": statement.by}
    texts = {
        OutcomeSource.CHECKS: _("%(outcome)s, by its last check (%(name)s): inferred"),
        OutcomeSource.USER: _("%(outcome)s, by what the user said next: inferred"),
        OutcomeSource.MODEL: _("%(outcome)s, a language model judged: inferred"),
    }
    text = texts.get(statement.source) or _("%(outcome)s, says %(name)s")
    return text % {"outcome": in_words(statement.outcome), "name": statement.by}
