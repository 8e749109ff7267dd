"""Template tags of the queue: the place of a memory among those that wait, and what somebody did with it."""

from datetime import datetime
from typing import Any

from django import template
from django.contrib.auth.models import AnonymousUser, User
from django.http import QueryDict
from django.template import Context
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from memories.models import AuditEntry, Memory, Proposal
from memories.people import trust_of
from memos_site import review
from memos_site.review import judging
from memos_site.review.verbs import VERBS, Offer, Verb, attention
from memos_site.templatetags.page import type_name
from memos_site.web import action_words, inbox_rows
from memos_site.web.fragments import fragment
from skills.models import SkillVersion

register = template.Library()

IMPORTS = ("import", "import-file")
WITHIN = {  # entry of the rail -> other pages on which it is the current one
    "memories": ("teach", "dismissed", "packs", *IMPORTS),
    "subjects": ("subject", "places", "place"),
    "episodes": ("episode", "helped"),
    "skills": ("lessons",),
}
MOST_WALKED = 1_000  # rows of the queue within which the next and the previous one are known


@register.simple_tag(takes_context=True)
def rail_counts(context: Context) -> dict[str, Any]:
    """Return what waits for a decision and the `runs` to judge, as the rail shows them, and whether the store
    `is_empty`, by one query for a page.
    """
    request = context["request"]
    if not hasattr(request, "counts_of_rail"):
        trust, most = trust_of(request.user), (inbox_rows.MAX_COUNTED, judging.MOST_COUNTED)
        *numbers, is_empty = review.rail_counts(trust, at=timezone.now(), most=most[0])
        texts = [f"{top}+" if n > top else str(n) for n, top in zip(numbers, most, strict=True)]
        request.counts_of_rail = {"waiting": texts[0], "runs": texts[1], "is_empty": is_empty}
    counts: dict[str, Any] = request.counts_of_rail
    return counts


@register.simple_tag(takes_context=True)
def rail_link(context: Context, name: str, title: str, *, key: str = "") -> SafeString:
    """Render a link of the rail; it is current on its own page, and on the pages WITHIN it."""
    match = context["request"].resolver_match
    page = match.url_name if match else ""
    within = page in WITHIN.get(name, ()) and not (page in IMPORTS and (context.get("rail") or {}).get("is_empty"))
    if (memory := context.get("memory")) and page != "helped":
        within |= name == ("skills" if getattr(memory, "skill", None) else "memories")
    current = "page" if page == name else "true" if within else ""
    return fragment("components/_rail_link.html", name=name, title=str(title), key=key, current=current)


@register.simple_tag
def judging_count(user: User | AnonymousUser) -> str:
    """Return how many runs wait to be judged; above MOST_COUNTED as in 99+."""
    return judging.shown_count(trust_of(user))


@register.filter
def done_by(entry: AuditEntry, skill: object = None) -> str:
    """Say who did what, as in `anna dismissed this`. `skill`: what it was done to, if it is one."""
    return action_words.done_by(entry, of_skill=bool(skill))


@register.simple_tag
def key_of(verb: str) -> SafeString:
    """Render the key that presses a verb."""
    return format_html("<kbd>{}</kbd>", VERBS[verb].keys[0])


@register.filter
def label(verb: str, skill: object = None) -> str:
    """Return what the button of a verb says. `skill`: what it is about, if it is one."""
    return str(VERBS[verb].words_of({"of_skill": bool(skill)}).label)


@register.filter
def allows(memory: Memory, verb: str) -> bool:
    """Return whether the status of a memory allows a verb."""
    return memory.status in VERBS[verb].statuses


@register.filter
def offers(memory: Memory) -> list[Offer]:
    """Return the buttons of all verbs in the menu of a memory's page, first those that a key is for."""
    verbs = sorted(VERBS.values(), key=lambda verb: not verb.keys)
    return [offer for verb in verbs for offer in verb.offers(memory, timezone.now())]


@register.simple_tag
def verbs_with_keys() -> list[Verb]:
    """Return the verbs that keys press, for the list of keys."""
    return [verb for verb in VERBS.values() if verb.keys]


@register.filter
def is_snoozed(row: Memory | Proposal) -> bool:
    """Return whether a row is out of the inbox until its time comes."""
    return attention.is_snoozed(row, timezone.now())


@register.filter
def day(at: datetime | None) -> str:
    """Return the day of an instant with its name."""
    return attention.named_day(at)


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
def snooze_choices() -> list[Offer]:
    """Return until when something can be snoozed."""
    return attention.ends_of_snooze(timezone.now())


@register.simple_tag
def reason_menu(verb: str, does: str = "", attribute: str = "does", label: str = "") -> SafeString:
    """Render the menu of reasons of a verb; each row of the queue has it. `does`: the verb whose key opens it."""
    key = VERBS[does].keys[0] if does else ""
    facts = {"label": str(label or VERBS[verb].words.label), "verb": verb, "key": key, "does": does}
    return fragment("inbox/_reason_menu.html", attribute=attribute, **facts)


@register.simple_tag
def snooze_menu(attribute: str = "does") -> SafeString:
    """Render the menu of days until which something is snoozed; each row of the queue has it."""
    day_there = {"today": timezone.localdate(), "zone": timezone.get_current_timezone_name()}
    return fragment("inbox/_snooze_menu.html", attribute=attribute, **day_there)


@register.simple_tag(takes_context=True)
def queue_query(context: Context) -> str:
    """Return the query string that gives the page of a row the filters and order of the queue (`queue_place`)."""
    parameters = context["request"].GET.copy()
    for name in ("cursor", "queue"):
        parameters.pop(name, None)
    query = QueryDict(mutable=True)
    query["queue"] = parameters.urlencode()
    return query.urlencode() if parameters else "queue"


@register.inclusion_tag("inbox/_place.html", takes_context=True)
def queue_place(context: Context, memory: Memory) -> dict[str, Any]:
    """Render the way back to the queue as it was narrowed, and to the rows before and after this one in it."""
    request = context["request"]
    parameters = QueryDict(request.GET.get("queue", ""))
    back = "?".join(filter(None, (reverse("inbox"), parameters.urlencode())))
    if "queue" not in request.GET:
        return {"back": back}
    filters = inbox_rows.filters_of(parameters.dict())
    order = inbox_rows.order_of(filters["kind"], parameters.get("sort", ""))
    trust = trust_of(request.user)
    last = review.crowding(review.values_of_waiting(trust, [review.MAKER], at=timezone.now()))
    rows = review.waiting_memories(trust, at=timezone.now(), last=last, **filters)
    ids = list(rows.order_by(*order).values_list("pk", flat=True)[:MOST_WALKED])
    place = ids.index(memory.pk) if memory.pk in ids else None
    next_ids = ids[place + 1 : place + 2] if place is not None else ids[:1]
    previous_ids = ids[place - 1 : place] if place else []
    return {
        "back": back,
        "query": request.GET.urlencode(),
        "number": place + 1 if place is not None else None,
        "total": len(ids),
        "is_more": len(ids) == MOST_WALKED,
        "next_id": next(iter(next_ids), None),
        "previous_id": next(iter(previous_ids), None),
    }
