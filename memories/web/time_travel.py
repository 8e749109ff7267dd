"""The page of a memory as it stood at an instant."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memories import redaction
from memories.models import FormerState, Memory
from memories.models.as_of import AsOf
from memories.models.former_state import with_recorded
from memories.people import trust_of
from memories.values.choices import Type
from memories.values.exceptions import Invalid
from memories.values.field_errors import parse_instant
from memories.values.trust import Trust


class Difference(NamedTuple):
    """One column of a memory, then and today."""

    label: str
    then: str
    today: str

    @property
    def changed(self) -> bool:
        return self.then != self.today


@require_safe
def memory_as_of(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Show a memory as it stood; 400 with the form again for what is no instant of the past."""
    trust, now, text = trust_of(request.user), timezone.now(), request.GET.get("as_of", "")
    today = get_object_or_404(_rows(trust, None, now), pk=memory_id)
    context: dict[str, Any] = {"memory": today, "as_of": text}
    try:
        moment = AsOf.of(_instant(text), max_sensitivity=trust.max_sensitivity, now=now)
    except Invalid:
        moment = None
    if moment is None:
        context["error"] = _("This is no time that has passed: %(text)s") % {"text": text or _("none was given")}
        return render(request, "memories/memory_as_of.html", context, status=400)
    then = with_recorded(_rows(trust, moment, moment.at), moment).filter(pk=memory_id).first()
    if then is not None and then.type == Type.EPISODIC:
        raise Http404
    context |= {"then": then, "moment": moment, **_steps(today, moment, trust)}
    if then is not None:
        context |= {"payload": redaction.redacted_payload(then, trust), "differences": differences(then, today)}
    return render(request, "memories/memory_as_of.html", context)


def _rows(trust: Trust, moment: AsOf | None, at: datetime) -> Any:
    return Memory.objects.visible_to(trust).as_of(moment).unexpired(at).select_related("skill")


def _instant(text: str) -> datetime | None:
    """An instant with its zone, or as the form sends it without one: then that of the site."""
    if instant := parse_instant(text):
        return instant
    try:
        return parse_instant(timezone.make_aware(datetime.fromisoformat(text)).isoformat())
    except (ValueError, OverflowError):
        return None


def _steps(memory: Memory, moment: AsOf, trust: Trust) -> dict[str, datetime]:
    """The ends of the states before and of this one, as far as the person may see what stood there."""
    states = FormerState.objects.filter(memory=memory)
    ended = states.filter(until__lte=moment.at, sensitivity__lte=trust.max_sensitivity).order_by("-until").first()
    ends = states.filter(until__gt=moment.at).order_by("until").first()
    steps = {"earlier": ended.until - timedelta(microseconds=1)} if ended else {}
    return steps | ({"later": ends.until} if ends else {})


def differences(then: Memory, today: Memory) -> list[Difference]:
    """The facts of a memory, then and today."""
    return [Difference(label, *(_shown(row, name) for row in (then, today))) for name, label in _labels().items()]


def _labels() -> dict[str, str]:
    return {
        "status": _("Status"),
        "confidence": _("Confidence"),
        "category": _("Category"),
        "tags": _("Tags"),
        "sensitivity": _("Sensitivity"),
        "pinned": _("Pinned"),
        "expires_at": _("Expires"),
        "version": _("Version"),
    }


def _shown(row: Memory, name: str) -> str:
    value = getattr(row, name)
    if name == "sensitivity":
        value = row.get_sensitivity_display()
    if isinstance(value, datetime):
        return timezone.localtime(value).strftime("%Y-%m-%d %H:%M")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list):
        return ", ".join(value) or "–"
    return _(value) if isinstance(value, str) and value else "–" if value in (None, "") else str(value)
