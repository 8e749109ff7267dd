"""Why something waits for a person, in words."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memories.lifecycle.ladder import Ladder, may_climb
from memories.models import Memory, Proposal
from memories.values.choices import Status
from memos_site.review.waiting import HELD


def why(memory: Memory) -> str:
    """Why a row of `waiting` stands before a person, in one or two sentences."""
    return "; ".join(filter(None, (_reason(memory), _resembles(memory), to_go(memory))))


def _reason(memory: Memory) -> str:
    if memory.status in HELD:
        return _("a new version of this skill is proposed")
    if memory.status == Status.CONTESTED:
        return _("it is contested")
    performance = getattr(memory, "performance", None)
    if performance is not None:
        said = _("%(good)s successful and %(bad)s failed runs did it this way")
        return said % {"good": performance.successes, "bad": performance.failures}
    if memory.decay_steps:
        return _("it has faded: nobody used or confirmed it for a long time")
    n = getattr(memory, "evidence_count", 0)
    return ngettext("%(n)s occasion speaks for it", "%(n)s occasions speak for it", n) % {"n": n}


def _resembles(memory: Memory) -> str:
    return _("resembles one you dismissed") if memory.resembles else ""


def to_go(memory: Memory) -> str:
    """What the rules wait for before they believe or apply this by themselves; '' where they never will."""
    facts = {"flagged": bool(memory.flags), "resembling": memory.resembles is not None}
    if memory.status not in (Status.CANDIDATE, Status.CONFIRMED):
        return ""
    if not may_climb(type=memory.type, hold=memory.hold, **facts):
        return ""
    ladder = Ladder.of_settings()
    believed = memory.status == Status.CONFIRMED or memory.confidence >= ladder.confirm_at
    least, times = (ladder.apply_at, ladder.apply_after) if believed else (ladder.confirm_at, 0)
    n = max(-(-(least - memory.confidence) // ladder.gain), times - memory.times_confirmed)
    if not (ladder.applies if believed else ladder.confirms):
        return ""
    if n <= 0:
        return _voices_to_go(memory, ladder) if believed else ""
    if believed:
        return ngettext("%(n)s more confirmation to apply", "%(n)s more confirmations to apply", n) % {"n": n}
    return _("%(n)s more to be confirmed") % {"n": n}


def _voices_to_go(memory: Memory, ladder: Ladder) -> str:
    n = ladder.apply_agents - memory.evidence.voices() if ladder.apply_agents > 1 else 0
    said = ngettext("%(n)s more agent or session to apply", "%(n)s more agents or sessions to apply", n)
    return said % {"n": n} if n > 0 else ""


def why_proposed(proposal: Proposal) -> str:
    """What is asked for, by whom, and the reason given."""
    verb = str(proposal.change.get("verb", "edit"))
    if proposal.change == {"verb": "edit"} or proposal.kind == Proposal.Kind.FAILING:  # it is to be looked at
        return proposal.why
    asked: dict[str, Any] = {"who": proposal.made_by, "what": verb}
    said = _("%(who)s may not %(what)s it alone") % asked
    resembles = _("resembles one you dismissed") if proposal.resembles else ""
    return "; ".join(filter(None, (said, proposal.why, resembles)))
