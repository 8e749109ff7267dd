"""What a skill is worth, on its page and in the inbox: how runs that would be led to it ended, and what offers add."""

from typing import Any

from django import template
from django.utils.translation import gettext as _

from consolidation.guidance.holdback import arms
from consolidation.models.worth import SkillWorth
from memories.models import Memory

register = template.Library()


@register.inclusion_tag("consolidation/_worth.html")
def worth_of(memory: Memory) -> dict[str, Any]:
    """Nothing where no run would be led to it."""
    worth: SkillWorth | None = getattr(memory, "worth", None)
    if worth is None or not worth.routed:
        return {}
    return {"memory": memory, "worth": worth, "arms": arms(memory.pk)}


@register.filter
def worth_line(memory: Memory) -> str:
    """One sentence for the inbox; '' where nothing was measured."""
    worth: SkillWorth | None = getattr(memory, "worth", None)
    if worth is None or not worth.routed:
        return ""
    said = _("Of the last %(runs)s runs %(routed)s would be routed here.") % vars(worth)
    if worth.followed:
        did = _("Of those that did what it says %(well)s of %(all)s ended well")
        said += " " + did % {"well": worth.followed_well, "all": worth.followed}
        if worth.otherwise:
            other = _("; of those that did otherwise %(well)s of %(all)s")
            said += other % {"well": worth.otherwise_well, "all": worth.otherwise}
        said += "."
    return said
