"""What waits for a person: candidates and contested memories, proposed versions of skills, proposals."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, Func, IntegerField, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Greatest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memories.choices import Status, Type
from memories.ladder import Ladder, may_climb
from memories.models import Memory, Proposal
from memories.models.evidence import with_support
from memories.models.memory import MemoryQuerySet
from memories.trust import Trust
from skills.models import SkillVersion

ORDER = ("-support_count", "-created_at", "-id")
PROPOSALS: tuple[str, ...] = tuple(Proposal.Kind.values)
VERSION = "version"
HELD = (Status.CONFIRMED, Status.APPLIED)
UNDECIDED = (Status.CANDIDATE, Status.CONTESTED)


def waiting(trust: Trust, *, at: datetime, kind: str = "", **asked: str) -> MemoryQuerySet:
    """The memories that wait for a decision within the caller's trust: most supported first, then newest.

    A skill waits as a candidate, and again (kind `version`) when a new version of one that is believed is proposed.
    `asked`: exact values of columns (scope, source, category, company_id).
    """
    update = SkillVersion.objects.filter(skill=OuterRef("pk"), status=SkillVersion.Status.PROPOSED)
    updated = Q(Exists(update), status__in=HELD)
    undecided = Q(status__in=UNDECIDED)
    wanted = updated if kind == VERSION else undecided if kind in Type.values else updated | undecided
    rows = Memory.objects.visible_to(trust).awake(at).unexpired(at).filter(wanted, **_given(asked))
    if kind in Type.values:
        rows = rows.filter(type=kind)
    elif kind in PROPOSALS:
        rows = rows.none()
    rows = with_support(rows.select_related("skill", "performance"))
    return rows.order_by(F("support_count").desc(), "-created_at", "-id")


def proposed(trust: Trust, *, at: datetime, kind: str = "", **asked: str) -> "QuerySet[Proposal]":
    """The open proposals, unordered, with the columns of ORDER: who proposed it is one occasion that speaks for it."""
    rows = Proposal.objects.visible_to(trust).open().awake(at)
    rows = rows.filter(**{f"memory__{name}": value for name, value in _given(asked).items()})
    if kind:
        rows = rows.filter(kind=kind)
    spoken = Func(F("evidence"), function="jsonb_array_length", output_field=IntegerField())
    rows = rows.annotate(support_count=Greatest(spoken, Value(1)), created_at=F("opened_at"))
    return rows.select_related("memory__skill")


def _given(asked: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in asked.items() if value}


def kinds(trust: Trust, *, at: datetime) -> dict[str, int]:
    """How many wait, by kind."""
    ids = waiting(trust, at=at).order_by().values("pk")
    counted: dict[str, int] = {}
    memories = Memory.objects.filter(pk__in=ids).order_by().values("type", "status").annotate(n=Count("pk"))
    for row in memories:
        kind = VERSION if row["status"] in HELD else row["type"]
        counted[kind] = counted.get(kind, 0) + row["n"]
    proposals = Proposal.objects.visible_to(trust).open().awake(at).order_by()
    counted.update(proposals.values_list("kind").annotate(n=Count("pk")))
    return counted


def kind_of(row: Memory | Proposal) -> str:
    if isinstance(row, Proposal):
        return row.kind
    return VERSION if row.status in HELD else row.type


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
    if n <= 0 or not (ladder.applies if believed else ladder.confirms):
        return ""
    if believed:
        return ngettext("%(n)s more confirmation to apply", "%(n)s more confirmations to apply", n) % {"n": n}
    said = ngettext("%(n)s more confirmation to be confirmed", "%(n)s more confirmations to be confirmed", n)
    return said % {"n": n}


def why_proposed(proposal: Proposal) -> str:
    """What is asked for, by whom, and the reason given."""
    verb = str(proposal.change.get("verb", "edit"))
    if proposal.change == {"verb": "edit"}:  # nothing to write: it is only to be looked at
        return proposal.why
    asked: dict[str, Any] = {"who": proposal.made_by, "what": verb}
    said = _("%(who)s may not %(what)s it alone") % asked
    resembles = _("resembles one you dismissed") if proposal.resembles else ""
    return "; ".join(filter(None, (said, proposal.why, resembles)))
