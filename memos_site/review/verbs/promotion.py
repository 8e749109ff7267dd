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
from memos_site.review.verbs.verb import Because, Decision, Offer, Verb, Why, Words
from skills import publishing
from skills.models import SkillVersion

PROMOTING = (_("Promote %(n)s"), _("Promoting %(n)s"), _("Promoted %(n)s"))


class Promotion(Because):
    to: Literal["confirmed", "applied"] = "confirmed"
    why: Why = ""
    """The reason; required where the scan of a skill's version has a critical finding"""


def promote(memory: Memory, decision: Decision) -> None:
    """Promote a memory

    A candidate becomes confirmed, or applied. Promoting a skill publishes its proposed version.
    """
    audit, number, to = decision.audit, decision.options.get("number"), decision.options.get("to") or Status.CONFIRMED
    if number is None and (not _has_version(memory) or (to == Status.APPLIED and not _waits(memory))):
        memory.promote(to=to, **audit)
        return
    with transaction.atomic():  # both or neither
        publishing.publish(memory, number=number, **audit)
        if to == Status.APPLIED:
            memory.promote(to=to, **audit)


def _has_version(memory: Memory) -> bool:
    versions = SkillVersion.objects.filter(skill=memory.pk, status__in=publishing.SINGLE_STATUSES)
    return memory.type == Type.COMPETENCE and versions.exists()


def _waits(memory: Memory) -> bool:
    proposals = SkillVersion.objects.filter(skill=memory.pk, status=SkillVersion.Status.PROPOSED)
    return memory.status in publishing.UNDECIDED or proposals.exists()


def _status(statuses: Collection[Status]) -> Callable[[str, datetime], Json]:
    def parse(rest: str, _now: datetime) -> Json:
        if rest and rest not in statuses:
            raise Invalid(FieldError("/to", "unknown_value", f"must be one of {', '.join(statuses)}"))
        return {"to": Status(rest) if rest else None}

    return parse


def _stored_status(fields: Json) -> Json:
    return {"to": fields.get("status") or fields.get("to")}


def _variant(options: Mapping[str, Any]) -> str:
    return "apply" if options.get("to") == Status.APPLIED else "publish" if options.get("of_skill") else ""


class Demotion(Because):
    to: Literal["candidate", "confirmed"] = "candidate"


def demote(memory: Memory, decision: Decision) -> None:
    """Demote a memory

    An applied memory becomes confirmed or a candidate, a confirmed one a candidate. Rules no longer promote it.
    """
    memory.demote(to=decision.options.get("to") or Status.CANDIDATE, **decision.audit)


def _demotions(memory: Memory, _now: datetime) -> list[Offer]:
    labels = {Status.CONFIRMED: _("Demote to confirmed"), Status.CANDIDATE: _("Demote to candidate")}
    return [Offer(f"demote {to}", label) for to, label in labels.items() if memory.status in DEMOTABLE[to]]


def reject(memory: Memory, decision: Decision) -> None:
    """Reject the proposed version of a skill."""
    if not _has_version(memory):
        raise Conflict("it is not a skill with a version that can be rejected")
    publishing.reject(memory, number=decision.options.get("number"), **decision.audit)


def retire(memory: Memory, decision: Decision) -> None:
    """Withdraw the published version of a skill from agents."""
    if memory.type != Type.COMPETENCE or not SkillVersion.objects.filter(skill=memory.pk).exists():
        raise Conflict("it is not a skill with a version that can be retired")
    publishing.retire(memory, **decision.audit)


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
    stored_options=_stored_status,
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
    stored_options=_stored_status,
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
    Words(_("retired"), _("%(who)s retired this"), toast=_("Retired: agents no longer get it")),
    statuses=frozenset(LIVE),
    offers=_retirement,
)
