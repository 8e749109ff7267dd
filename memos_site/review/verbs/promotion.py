"""Promote, which publishes a skill, and demote; of a skill reject a proposed version, retire the published one."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any, Literal

from django.db import transaction
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from memories.api.shapes import Json
from memories.models import Memory
from memories.models.reviewable import DEMOTABLE, PROMOTABLE
from memories.values.choices import LIVE, Status, Type
from memories.values.exceptions import Conflict, FieldError, Invalid
from memos_site.review.verbs.verb import Because, Offer, Verb, Verdict, Why, Words
from skills import publishing
from skills.models import SkillVersion

PROMOTING = (_("Promote %(n)s"), _("Promoting %(n)s"), _("Promoted %(n)s"))


class Promotion(Because):
    to: Literal["confirmed", "applied"] = "confirmed"
    why: Why = ""
    """Required where the scan of a skill's version found something critical"""


def promote(memory: Memory, verdict: Verdict) -> None:
    """Promote a memory

    A candidate becomes confirmed, or applied. Of a skill the proposed version is published.
    """
    audit, to = verdict.audit, verdict.to or Status.CONFIRMED
    by_number = verdict.number is not None
    if not by_number and (not _has_version(memory) or (to == Status.APPLIED and not _waits(memory))):
        memory.promote(to=to, **audit)
        return
    with transaction.atomic():  # both or neither
        publishing.publish(memory, number=verdict.number, **audit)
        if to == Status.APPLIED:
            memory.promote(to=to, **audit)


def _has_version(memory: Memory) -> bool:
    versions = SkillVersion.objects.filter(skill=memory.pk, status__in=publishing.SINGLE_STATUSES)
    return memory.type == Type.COMPETENCE and versions.exists()


def _waits(memory: Memory) -> bool:
    proposed = SkillVersion.objects.filter(skill=memory.pk, status=SkillVersion.Status.PROPOSED)
    return memory.status in publishing.UNDECIDED or proposed.exists()


def _status(known: Collection[Status]) -> Callable[[str, datetime], Json]:
    def read(rest: str, _now: datetime) -> Json:
        if rest and rest not in known:
            raise Invalid(FieldError("/to", "unknown_value", f"must be one of {', '.join(known)}"))
        return {"to": Status(rest) if rest else None}

    return read


def _variant(options: Mapping[str, Any]) -> str:
    return "apply" if options.get("to") == Status.APPLIED else "publish" if options.get("of_skill") else ""


class Demotion(Because):
    to: Literal["candidate", "confirmed"] = "candidate"


def demote(memory: Memory, verdict: Verdict) -> None:
    """Demote a memory

    An applied one becomes confirmed or a candidate, a confirmed one a candidate. Rules move it no more.
    """
    memory.demote(to=verdict.to or Status.CANDIDATE, **verdict.audit)


def _demotions(memory: Memory, _now: datetime) -> list[Offer]:
    labels = {Status.CONFIRMED: _("Demote to confirmed"), Status.CANDIDATE: _("Demote to candidate")}
    return [Offer(f"demote {to}", label) for to, label in labels.items() if memory.status in DEMOTABLE[to]]


def reject(memory: Memory, verdict: Verdict) -> None:
    """Reject the proposed version of a skill."""
    if not _has_version(memory):
        raise Conflict("it is no skill with a version that could be rejected")
    publishing.reject(memory, number=verdict.number, **verdict.audit)


def retire(memory: Memory, verdict: Verdict) -> None:
    """Withdraw the published version of a skill from agents."""
    if memory.type != Type.COMPETENCE or not SkillVersion.objects.filter(skill=memory.pk).exists():
        raise Conflict("it is no skill with a version that could be retired")
    publishing.retire(memory, **verdict.audit)


def _retirement(memory: Memory, _now: datetime) -> list[Offer]:
    skill: Any = getattr(memory, "skill", None)
    return [Offer("retire", _("Retire: agents stop getting it"))] if skill and skill.published else []


PROMOTE = Verb(
    gettext_noop("promote"),
    promote,
    Words(_("promoted"), _("%(who)s promoted this"), _("Promote"), _("Promoted"), PROMOTING),
    variants={
        "apply": Words(_("applied"), _("%(who)s promoted this"), _("Apply"), _("Applied"), PROMOTING),
        "publish": Words(_("published"), _("%(who)s published this"), _("Publish"), _("Published"), PROMOTING),
    },
    variant=_variant,
    statuses=frozenset({status for statuses in PROMOTABLE.values() for status in statuses}),
    options=_status(PROMOTABLE),
    body=Promotion,
    example={"to": "confirmed", "why": "checked against the handbook"},
    of_many=True,
    is_tallied=True,
    keys=("a", "e"),
)
DEMOTE = Verb(
    gettext_noop("demote"),
    demote,
    Words(_("demoted"), _("%(who)s demoted this"), toast=_("Demoted")),
    statuses=frozenset({status for statuses in DEMOTABLE.values() for status in statuses}),
    options=_status(DEMOTABLE),
    offers=_demotions,
    body=Demotion,
    example={"to": "candidate", "why": "only true of one customer"},
    of_many=True,
    keeps_row=True,
)
REJECT = Verb(
    gettext_noop("reject"),
    reject,
    Words(_("rejected"), _("%(who)s rejected the proposed version"), _("Reject"), _("Version rejected as %(reason)s")),
    statuses=frozenset(LIVE),
    needs_reason=True,
    is_tallied=True,
)
RETIRE = Verb(
    gettext_noop("retire"),
    retire,
    Words(_("retired"), _("%(who)s retired this"), toast=_("Retired: agents do not get it any more")),
    statuses=frozenset(LIVE),
    offers=_retirement,
)
