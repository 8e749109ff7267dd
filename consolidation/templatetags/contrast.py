"""The order to let the language model compare a skill's cases, on its page, with the price before it is paid."""

from typing import Any

from django import template
from django.template import Context

from consolidation import contrast_run
from consolidation.model_lines.case_pairs import pairs_of, price, refusal
from consolidation.models import Run
from memories.models import Memory
from memories.people import trust_of
from memories.values.choices import Permission

register = template.Library()


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
