"""Template tags of outcomes: who or what says how a run ended, in sentences."""

from dataclasses import dataclass
from datetime import datetime

from django import template
from django.utils.translation import gettext as _

from memories.models import Episode
from memories.models.ending import EndStatement
from memories.models.episode import UNKNOWN
from memories.values.choices import Outcome, OutcomeSource
from memos_site.web.words import in_words

register = template.Library()


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
    statements = sorted(episode.statements().values(), key=lambda one: one.source.rank, reverse=True)
    return [_shown(statement) for statement in statements]


@register.filter
def statements_before_judging(episode: Episode) -> list[ShownStatement]:
    """Return what is shown before a person has judged: what a model says that nobody has tried yet is not, or people
    would agree with what they have just read."""
    statements = sorted(episode.statements().values(), key=lambda one: one.source.rank, reverse=True)
    tried = [statement for statement in statements if statement.source != OutcomeSource.MODEL or episode.outcome_counts]
    return [_shown(one) for one in tried]


def _shown(told: EndStatement) -> ShownStatement:
    quote, reason = (str(told.details.get(name, "")) for name in ("quote", "reason"))
    return ShownStatement(_sentence(told), told.at, quote, reason)


@register.simple_tag
def judgements() -> tuple[str, ...]:
    """Return what a person may say of how a run ended."""
    return (*Outcome.values, UNKNOWN)


@register.filter
def how_inferred(episode: Episode) -> str:
    """Return how an inferred outcome was inferred; '' for one that somebody told."""
    held = episode.statements().get(episode.outcome_source)
    return _sentence(held) if held and held.source.is_inferred else ""


def _sentence(told: EndStatement) -> str:
    if told.source == OutcomeSource.PERSON and told.outcome is None:
        return _("%(name)s looked, and it cannot be told") % {"name": told.by}
    texts = {
        OutcomeSource.CHECKS: _("%(outcome)s, by its last check (%(name)s): inferred"),
        OutcomeSource.USER: _("%(outcome)s, by what the user said next: inferred"),
        OutcomeSource.MODEL: _("%(outcome)s, a language model judged: inferred"),
    }
    text = texts.get(told.source) or _("%(outcome)s, says %(name)s")
    return text % {"outcome": in_words(told.outcome), "name": told.by}
