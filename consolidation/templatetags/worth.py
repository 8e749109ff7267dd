"""What a skill is worth, on its page and in the inbox: how runs that would be led to it ended, and what offers add; and
the order to let the language model compare its cases, with the price before it is paid."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django import template
from django.template import Context
from django.utils.translation import gettext as _

from consolidation import contrast_run
from consolidation.guidance import line_runs, offer_benefit
from consolidation.learning.effects.effects import FILE_TOOLS, is_edit
from consolidation.model_lines.case_pairs import pairs_of, price, refusal
from consolidation.models import Pattern, PlanShape, Run
from consolidation.models.worth import LEAST_COMPARED, SkillLines, SkillWorth
from memories.models import Memory
from memories.people import trust_of
from memories.values.choices import Permission
from skills.models import SkillVersion
from skills.templatetags.skill import step_label

MOST_PLANS = 5
register = template.Library()


@register.inclusion_tag("consolidation/_worth.html", takes_context=True)
def worth_of(context: Context, memory: Memory) -> dict[str, Any]:
    """What was measured, unless no run would be led to it; and the runs behind each line. Only runs that the person
    may see are named."""
    worth: SkillWorth | None = getattr(memory, "worth", None)
    kept: SkillLines | None = getattr(memory, "skill_lines", None)
    worth = worth if worth and worth.routed else None
    lines = line_runs.of_version(kept.lines, memory.skill.current) if kept else []
    seen = line_runs.visible([*lines, *_examples(worth)], trust_of(context["request"].user))
    return {
        "memory": memory,
        "worth": worth,
        "cases": [case for case in worth.cases if UUID(case[0]) in seen] if worth else [],
        "examples": bool(worth and {worth.well_example, worth.ill_example} <= seen.keys()),
        "offers": _measured_offers(memory),
        "sections": line_runs.sections(lines, seen),
    }


@register.filter
def telling_steps(recipe: Sequence[Mapping[str, Any]] | None) -> Sequence[Mapping[str, Any]]:
    """The steps of a recipe without how every coding agent looks at files and changes them, where there are others."""
    told = [step for step in recipe or () if (label := step_label(step)) not in FILE_TOOLS and not is_edit(label)]
    return told or recipe or ()


@register.inclusion_tag("consolidation/_plans.html", takes_context=True)
def plans_of(context: Context, memory: Memory) -> dict[str, Any]:
    """The plans of runs with the effects of a skill, the most frequent first, as far as the person may see them."""
    effects = memory.payload.get("effects") or []
    rows = PlanShape.objects.with_effects(effects, scope=memory.scope, sensitivity=memory.sensitivity)
    seen = Memory.objects.visible_to(trust_of(context["request"].user))
    return {"plans": list(rows.filter(memory__in=seen)[:MOST_PLANS]) if effects else []}


@register.inclusion_tag("consolidation/_contrast.html", takes_context=True)
def contrast_of(context: Context, memory: Memory) -> dict[str, Any]:
    """Nothing without a language model, or for who may not review; nothing is read for it then."""
    trust = trust_of(context["request"].user)
    if refusal(memory) or not trust.may(Permission.REVIEW):
        return {}
    runs = Run.objects.visible_to(trust).filter(kind=contrast_run.KIND, subject=memory.pk)
    return {
        "memory": memory,
        "csrf_token": context.get("csrf_token"),
        "price": price(pairs_of(memory)),
        "run": runs.order_by("-created_at", "-id").first(),
    }


def _examples(worth: SkillWorth | None) -> list[line_runs.LineRuns]:
    if worth is None:
        return []
    named = [UUID(case[0]) for case in worth.cases] + [worth.well_example, worth.ill_example]
    return [line_runs.LineRuns("", "", [line for line in named if line], len(named))]


def _measured_offers(memory: Memory) -> offer_benefit.Worth | None:
    """What the offers of its published version tell: nothing else is offered. None while none was made."""
    published: SkillVersion | None = memory.skill.published
    measured = offer_benefit.worth(memory.pk, published.number) if published else None
    return measured if measured and (measured.offered.runs or measured.withheld.runs) else None


@register.filter
def worth_line(memory: Memory) -> str:
    """One sentence for the inbox; '' where nothing was measured."""
    worth: SkillWorth | None = getattr(memory, "worth", None)
    if worth is None or not worth.routed:
        return ""
    sentence = _("Of the last %(runs)s runs %(routed)s would be routed here.") % vars(worth)
    if worth.followed:
        did = _("Of those that did what it says %(well)s of %(all)s ended well")
        sentence += " " + did % {"well": worth.followed_well, "all": worth.followed}
        if worth.otherwise:
            other = _("; of those that did otherwise %(well)s of %(all)s")
            sentence += other % {"well": worth.otherwise_well, "all": worth.otherwise}
        sentence += "."
    return sentence


@register.filter
def is_nothing_to_publish(memory: Memory) -> bool:
    """Whether the proposed version is what runs without a change taught. That is a lesson of the scope, which guidance
    gives by itself (`no_action`): as a skill it is never offered, unless a person wrote its version."""
    proposed: SkillVersion | None = memory.skill.proposed if hasattr(memory, "skill") else None
    taught = {"pattern": Pattern.Kind.EFFECTS, "effects": []}
    is_learned = proposed is not None and proposed.made_by == SkillVersion.MadeBy.CONSOLIDATION
    return is_learned and taught.items() <= memory.payload.items()


@register.filter
def publish_verdict(memory: Memory) -> str:
    """What the recorded runs say about publishing a skill, in one sentence."""
    if is_nothing_to_publish(memory):
        return _("The lesson is to change nothing: guidance gives it to agents by itself, so it is not published.")
    worth: SkillWorth | None = getattr(memory, "worth", None)
    if worth is None or min(worth.followed, worth.otherwise) < LEAST_COMPARED:
        return _("Whether it helps is not known yet: too few recorded runs did this, or did otherwise.")
    helps = _(
        "Runs that did this ended well in %(well)s of %(all)s, others like them in %(other)s of %(others)s: publish."
    )
    no_benefit = _(
        "Runs that did this ended well in %(well)s of %(all)s, others like them in %(other)s of %(others)s: no benefit."
    )
    text = no_benefit if worth.is_weak else helps
    counts = {"well": worth.followed_well, "all": worth.followed}
    return text % {**counts, "other": worth.otherwise_well, "others": worth.otherwise}
