"""Template tags of the queue: the place of a memory among those that wait, and what somebody did with it."""

from datetime import datetime
from typing import Any

from django import template
from django.http import QueryDict
from django.template import Context
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memories.models import AuditEntry, Memory, Proposal
from memories.people import trust_of
from memos_site import review
from memos_site.templatetags.page import type_name
from memos_site.web import inbox_rows, snoozing
from memos_site.web.fragments import fragment
from memos_site.web.words import in_words
from skills.models import SkillVersion

register = template.Library()

MOST_WALKED = 1_000  # rows of the queue within which the next and the previous one are known
DONE_BY = {
    "promote": gettext_lazy("%(who)s promoted this"),
    "dismiss": gettext_lazy("%(who)s dismissed this"),
    "demote": gettext_lazy("%(who)s demoted this"),
    "restore": gettext_lazy("%(who)s restored this"),
    "revise": gettext_lazy("%(who)s edited this"),
    "snooze": gettext_lazy("%(who)s snoozed this"),
    "undo": gettext_lazy("%(who)s took a decision about this back"),
    "merge": gettext_lazy("%(who)s merged this"),
    "supersede": gettext_lazy("%(who)s replaced this"),
    "publish": gettext_lazy("%(who)s published this"),
    "reject": gettext_lazy("%(who)s rejected the proposed version"),
    "retire": gettext_lazy("%(who)s retired this"),
    "propose": gettext_lazy("%(who)s proposed another version"),
}
OF_A_SKILL = DONE_BY | {  # to promote one is to publish it
    "promote": gettext_lazy("%(who)s published this"),
}


@register.filter
def done_by(entry: AuditEntry, skill: object = None) -> str:
    """Say who did what, as in `anna dismissed this`. `skill`: what it was done to, if it is one."""
    words = (OF_A_SKILL if skill else DONE_BY).get(entry.action)
    facts = {"who": entry.actor, "what": in_words(entry.action)}
    return str(words) % facts if words else _("%(who)s changed this (%(what)s)") % facts


@register.filter
def is_snoozed(row: Memory | Proposal) -> bool:
    """Return whether a row is out of the inbox until its time comes."""
    return bool(row.snoozed_until and row.snoozed_until > timezone.now())


@register.filter
def day(at: datetime | None) -> str:
    """Return the day of an instant with its name."""
    return snoozing.day(at)


@register.filter
def kind_name(memory: Memory, version: SkillVersion | None) -> str:
    """Return what waits: a skill with the number of its proposed version, else what the memory is."""
    if version and version.number > 1:
        return _("skill, version %(n)s") % {"n": version.number}
    return _("new skill") if version else type_name(memory)


@register.simple_tag
def filter_choice(choice: inbox_rows.Choice, any: str) -> SafeString:
    """Render the filter of a column; `any` is the option without a value."""
    facts = {"name": choice.name, "label": str(choice.label), "chosen": choice.chosen, "is_cut": choice.is_cut}
    return fragment("inbox/_choice.html", values=tuple(choice.values), any=str(any), **facts)


@register.simple_tag
def snooze_choices() -> list[dict[str, Any]]:
    """Return until when something can be snoozed."""
    return snoozing.choices(timezone.now())


@register.simple_tag
def reason_menu(label: str, verb: str, key: str = "", attribute: str = "does") -> SafeString:
    """Render the menu of reasons for a dismissal or rejection; each row of the queue has it."""
    facts = {"label": str(label), "verb": verb, "key": key, "attribute": attribute}
    return fragment("inbox/_reason_menu.html", **facts)


@register.simple_tag
def snooze_menu(attribute: str = "does") -> SafeString:
    """Render the menu of days until which something is snoozed; each row of the queue has it."""
    day_there = {"today": timezone.localdate(), "zone": timezone.get_current_timezone_name()}
    return fragment("inbox/_snooze_menu.html", attribute=attribute, **day_there)


@register.simple_tag(takes_context=True)
def queue_query(context: Context) -> str:
    """Return the query by which a page of a row finds back to the queue as it is shown."""
    given = context["request"].GET.copy()
    for name in ("cursor", "queue"):
        given.pop(name, None)
    query = QueryDict(mutable=True)
    query["queue"] = given.urlencode()
    return query.urlencode() if given else "queue"


@register.inclusion_tag("inbox/_place.html", takes_context=True)
def queue_place(context: Context, memory: Memory) -> dict[str, Any]:
    """Render the way back to the queue as it was narrowed, and to the rows before and after this one in it."""
    request = context["request"]
    given = QueryDict(request.GET.get("queue", ""))
    back = "?".join(filter(None, (reverse("inbox"), given.urlencode())))
    if "queue" not in request.GET:
        return {"back": back}
    filters = inbox_rows.filters_of(given.dict())
    order = inbox_rows.order_of(filters["kind"], given.get("sort", ""))
    waiting = review.waiting_memories(trust_of(request.user), at=timezone.now(), **filters)
    ids = list(waiting.order_by(*order).values_list("pk", flat=True)[:MOST_WALKED])
    place = ids.index(memory.pk) if memory.pk in ids else None
    following = ids[place + 1 : place + 2] if place is not None else ids[:1]
    before = ids[place - 1 : place] if place else []
    return {
        "back": back,
        "query": request.GET.urlencode(),
        "number": place + 1 if place is not None else None,
        "total": len(ids),
        "is_more": len(ids) == MOST_WALKED,
        "next_id": next(iter(following), None),
        "previous_id": next(iter(before), None),
    }
