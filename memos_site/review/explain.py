"""Sentences that say why a memory or proposal waits for a person, for the pages and the API."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from consolidation.models.lessons import is_lesson
from consolidation.models.policies import is_policy
from memories.lifecycle.ladder import LEARNED, USER, Ladder, may_climb
from memories.models import Memory, Performance, Proposal
from memories.scanning import credentials
from memories.values.choices import Review, Status, Type
from memories.values.speakers import review_of, speakers_of
from memories.values.trust import Trust
from memos_site.review.waiting import IN_FORCE

MAX_QUOTE = 280
MADE_BY = {  # why a version is proposed, where no run speaks for it
    "upload": gettext_lazy("Uploaded. Agents use version %(before)s until this one is published."),
    "edit": gettext_lazy("Edited by a person. Agents use version %(before)s until this one is published."),
    "restore": gettext_lazy(
        "An old version, proposed again. Agents use version %(before)s until this one is published."
    ),
    "merge": gettext_lazy("Two skills merged. Agents use version %(before)s until this one is published."),
    "extraction": gettext_lazy("Read from a conversation. Agents use version %(before)s until this one is published."),
}
MAX_DOUBT = 160


@dataclass(frozen=True)
class Explanation:
    """Sentences about a waiting row, each '' where there is nothing to say.

    `reason`: why it waits; `resemblance`: it is like a dismissed claim; `withheld`: where it is dismissed; `remaining`:
    what is missing until rules decide.
    """

    reason: str
    resemblance: str = ""
    withheld: str = ""
    remaining: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.reason, self.resemblance, self.withheld, self.remaining)))


def explain(row: Memory | Proposal, trust: Trust) -> Explanation:
    """Explain to the caller why a memory or a proposal waits in the inbox.

    A memory's evidence and contest are used as far as its query annotated them (`with_support`, `with_doubt`).
    """
    resemblance = _("It resembles one you dismissed.") if row.resembles else ""
    if isinstance(row, Proposal):
        return Explanation(_reason_of_proposal(row), resemblance)
    return Explanation(_reason_of_memory(row), resemblance, _withheld(row, trust), _remaining(row))


def _withheld(memory: Memory, trust: Trust) -> str:
    """Say where what a shared memory claims was dismissed; of a scope that the caller does not see no name."""
    if not memory.withheld_from:
        return ""
    if scopes := trust.names_of(memory.withheld_from):
        return _("It was dismissed in %(scopes)s and is not offered there.") % {"scopes": ", ".join(scopes)}
    return _("It was dismissed in a scope that you do not see, and is not offered there.")


def _reason_of_proposal(proposal: Proposal) -> str:
    """Say who proposes the change, and the reason given; the change itself is shown next to it."""
    if proposal.change == {"verb": "edit"} or proposal.kind == Proposal.Kind.FAILING:  # it is to be looked at
        return proposal.why
    if "words" in proposal.change:  # found by comparing memories
        contradicting = proposal.kind == Proposal.Kind.CONFLICT
        return _("They cannot both be true.") if contradicting else _("They say the same.")
    reason = _("%(who)s may not do this alone.") % {"who": proposal.made_by}
    return f"{reason} {_quote(proposal.why, MAX_QUOTE)}" if proposal.why else reason


def _reason_of_memory(memory: Memory) -> str:
    if memory.status == Status.CONTESTED:
        return _contest(memory)
    if memory.status in IN_FORCE:
        return _new_version(memory)
    performance: Performance | None = getattr(memory, "performance", None)
    if performance is not None:
        return _track_record(performance)
    if memory.type == Type.COMPETENCE:
        return _unused_skill(memory)
    if memory.decay_steps:
        return _("It has faded: nobody used or confirmed it for a long time.")
    row = "lesson" if is_lesson(memory) else "policy" if is_policy(memory) else ""
    statement = getattr(memory, row, None) if row else None
    return str(statement.measured) if statement else _occasions(memory)


def _contest(memory: Memory) -> str:
    """Explain a contested memory, with the words that contest it where the query annotated them."""
    doubt: str = getattr(memory, "doubt", None) or ""
    if not doubt:
        return _("It is contested: is it still true?")
    facts = {"who": getattr(memory, "doubted_by", ""), "words": _quote(credentials.masked(doubt), MAX_DOUBT)}
    return _("%(who)s contests it: %(words)s. Is it still true?") % facts


def _new_version(memory: Memory) -> str:
    skill: Any = getattr(memory, "skill", None)
    if skill is None or skill.published is None:
        return _("A new version of this skill is proposed.")
    if skill.proposed and (reason := MADE_BY.get(skill.proposed.made_by)):
        return str(reason) % {"before": skill.published.number}
    return _(
        "Proposed because later runs work differently from version %(before)s, "
        "which agents use until this one is published."
    ) % {"before": skill.published.number}


def _track_record(performance: Performance) -> str:
    counts = {"good": performance.successes, "bad": performance.failures}
    if not performance.failures:
        return _("Proposed because %(good)s distinct runs reached their goal this way, and none failed.") % counts
    reason = ngettext(
        "Proposed because %(good)s run reached its goal this way; %(bad)s with the same tools did not.",
        "Proposed because %(good)s distinct runs reached their goal this way; %(bad)s with the same tools did not.",
        performance.successes,
    )
    return reason % counts


def _unused_skill(memory: Memory) -> str:
    skill: Any = getattr(memory, "skill", None)
    if skill is not None and skill.proposed and skill.proposed.made_by == "upload":
        return _("%(who)s uploaded it; no run has used it yet.") % {"who": memory.created_by}
    return _("No run has used it yet.")


def _occasions(memory: Memory) -> str:
    n: int = getattr(memory, "evidence_count", 0)
    if not n:
        return _("Reported by %(who)s; nothing else supports it yet.") % {"who": first_speaker(memory)}
    facts = {"who": first_speaker(memory), "times": n}
    alone = n > 1 and review_of(memory) == Review.ONE_AGENT
    if memory.origin in LEARNED:
        if alone and speakers_of(memory):
            return _("Read in %(times)s runs, all of one agent.") % facts
        return ngettext("Read in %(times)s run.", "Read in %(times)s runs.", n) % facts
    if alone and not memory.speakers:
        return _("Reported %(times)s times, by %(who)s alone.") % {**facts, "who": memory.created_by}
    return ngettext("Reported once, by %(who)s.", "Reported %(times)s times, first by %(who)s.", n) % facts


def first_speaker(memory: Memory) -> str:
    """The name of who said a memory first: of an agent the source that it reported, else who created it."""
    return memory.created_by if memory.source in ("", USER) or memory.origin in LEARNED else memory.source


def _quote(text: str, longest: int) -> str:
    return f"“{text if len(text) <= longest else text[: longest - 1] + '…'}”"


def _remaining(memory: Memory) -> str:
    """Say what is missing until rules confirm or apply the claim; '' where they never will."""
    if memory.status not in (Status.CANDIDATE, Status.CONFIRMED) or not may_climb(memory):
        return ""
    ladder = Ladder.of_settings()
    is_believed = memory.status == Status.CONFIRMED or memory.confidence >= ladder.confirm_at
    least, times = (ladder.apply_at, ladder.apply_after) if is_believed else (ladder.confirm_at, 0)
    n = max(-(-(least - memory.confidence) // ladder.gain), times - memory.times_confirmed)
    may_confirm = ladder.confirms or memory.status == Status.CONFIRMED  # a candidate climbs both steps or none
    if not may_confirm or (is_believed and not ladder.applies):
        return ""
    if n <= 0:
        return _remaining_agents(memory, ladder) if is_believed else ""
    if is_believed:
        return ngettext(
            "Applied automatically once it is reported %(n)s more time.",
            "Applied automatically once it is reported %(n)s more times.",
            n,
        ) % {"n": n}
    return ngettext(
        "Confirmed automatically once it is reported %(n)s more time.",
        "Confirmed automatically once it is reported %(n)s more times.",
        n,
    ) % {"n": n}


def _remaining_agents(memory: Memory, ladder: Ladder) -> str:
    n = ladder.apply_agents - memory.evidence.agents_or_sessions() if ladder.apply_agents > 1 else 0
    if n <= 0:
        return ""
    return ngettext(
        "Applied automatically once %(n)s more agent or session reports it.",
        "Applied automatically once %(n)s more agents or sessions report it.",
        n,
    ) % {"n": n}
