"""Pages of one memory, today and as it stood at an instant, and of its evidence; and of what a person does with it
alone: forget it, reveal its secrets.
"""

from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memories import lifecycle, redaction
from memories.intake.claims import equals_and_near, resemblance_of
from memories.intake.equal_claims import also_known
from memories.lifecycle.revealing import reveal as reveal_memory
from memories.models import Adaptation, AuditEntry, Evidence, FormerState, Memory, Proposal, Relation, Tombstone
from memories.models import injection as injections
from memories.models.as_of import AsOf
from memories.models.evidence import with_doubt, with_support
from memories.models.former_state import with_recorded
from memories.models.memory import MemoryQuerySet
from memories.models.withholding import tombstones_against
from memories.people import permitted, trust_of
from memories.search.subjects import subjects_in_memory
from memories.values.choices import LIVE, ActorKind, Permission, Status, Type
from memories.values.exceptions import Conflict, Invalid, NotAllowed, NotFound
from memories.values.field_errors import parse_instant
from memories.values.trust import Trust
from memories.web import charts
from memories.web.grounds import attach_compared, contests_of
from memories.web.paging import LATEST, page_of

RUNS_ON_THE_PAGE = 12
DECISIONS_ON_THE_PAGE, MOST_DECISIONS = 30, 1_000  # the latest; all of them where the address asks for them
EQUALS_ON_THE_PAGE, NEAR_ON_THE_PAGE = 10, 2
RECENT = timedelta(minutes=15)  # in which a decision of somebody else is told of
PROPOSALS_ON_THE_PAGE = 20


@require_safe
def memory(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    trust = trust_of(request.user)
    rows = with_doubt(with_support(_visible(trust))).annotate(**_annotations(trust, memory_id))
    rows = rows.select_related("performance", "skill", "skill_lines", "worth")
    row = get_object_or_404(rows, pk=memory_id)
    if row.type == Type.EPISODIC:
        return redirect("episode", episode_id=row.pk)
    evidence = Evidence.objects.filter(memory=row).visible_to(trust)
    evidence = evidence.order_by("-at", "-pk")
    if row.type == Type.COMPETENCE:
        shown_evidence: Any = evidence.with_runs(trust)[:RUNS_ON_THE_PAGE]
    else:
        shown_evidence = evidence.with_episodes(trust, most=RUNS_ON_THE_PAGE)
    history = AuditEntry.objects.visible_to(trust).with_rationale(trust).with_state(trust)
    history = history.with_others().about("memory", row.pk).reverse()
    most = MOST_DECISIONS if request.GET.get("history") == "all" else DECISIONS_ON_THE_PAGE
    decisions = list(history[: most + 1])
    opponents, contested_memories = contests_of(row, trust) if getattr(row, "is_contest", False) else ([], [])
    context = {
        "memory": row,
        "payload": redaction.redacted_payload(row, trust),
        "evidence": shown_evidence,
        "history": decisions[:most],
        "has_older": len(decisions) > most,
        "contest_entry": next((entry for entry in decisions if entry.action == "contest"), None),
        "contexts": (contexts := injections.contexts_of(row, trust=trust) if row.times_used else []),
        "ends": injections.ends_of(contexts),
        **_related_rows(row, trust),
        "opponents": opponents,
        "contested_memories": contested_memories,
        "withholding": _withholding(row, trust),
        "resemblance": resemblance_of(row, trust) if row.status in LIVE else None,
        "fading": charts.curve(row, at=timezone.now()),
        "faster": _recent_decision(decisions, request),
    }
    return render(request, "memories/memory.html", context)


def _annotations(trust: Trust, memory_id: UUID) -> dict[str, Any]:
    """Annotations that save queries: the subjects, and whether there are contests, adaptations and proposals."""
    return {
        "named_subjects": subjects_in_memory(memory_id, trust=trust, at=timezone.now()),
        "is_contest": Relation.objects.contesting(OuterRef("pk")),
        "has_adaptations": Exists(Adaptation.objects.visible_to(trust).filter(memory=memory_id)),
        "has_proposals": Exists(Proposal.objects.visible_to(trust).among([memory_id]).open()),
    }


def _recent_decision(decisions: list[AuditEntry], request: HttpRequest) -> AuditEntry | None:
    """The latest decision, if another person took it within RECENT; else None."""
    latest = decisions[0] if decisions else None
    if latest is None or latest.actor_kind != ActorKind.PERSON or timezone.now() - latest.at > RECENT:
        return None
    return latest if latest.actor != trust_of(request.user).actor.name else None


def _visible(trust: Trust) -> MemoryQuerySet:
    return Memory.objects.visible_to(trust).unexpired(timezone.now())


def _related_rows(memory: Memory, trust: Trust) -> dict[str, Any]:
    """Adaptations, proposals, similar claims and tombstones of a memory."""
    rows = Proposal.objects.visible_to(trust).among([memory.pk]).open()
    has_proposals = getattr(memory, "has_proposals", False)
    proposals = list(
        rows.select_related("memory__skill").order_by("opened_at")[: PROPOSALS_ON_THE_PAGE * has_proposals]
    )
    attach_compared(proposals, trust)
    has_adaptations = getattr(memory, "has_adaptations", False)
    adaptations = memory.adaptations.visible_to(trust).order_by("-applied_at")[:10] if has_adaptations else []
    tombstones = Tombstone.objects.visible_to(trust).filter(memory_id=memory.pk)
    tombstone = tombstones.order_by("-at", "-pk").first() if memory.status == Status.DISMISSED else None
    compares = memory.status in LIVE and memory.status != Status.CONTESTED  # that has its opponents
    equals, near = equals_and_near(memory, _visible(trust).live()) if compares else ([], [])
    is_standing = tombstone is not None and tombstone.lifted_at is None
    elsewhere = also_known(memory, trust, why=tombstone.reason, at=timezone.now()) if tombstone and is_standing else []
    return {
        "also_known": elsewhere,
        "proposals": proposals,
        "adaptations": adaptations,
        "tombstone": tombstone,
        "equal_claims": equals[:EQUALS_ON_THE_PAGE],
        "nearest": near[:NEAR_ON_THE_PAGE],
    }


def _withholding(memory: Memory, trust: Trust) -> list[Tombstone]:
    """The dismissals that withhold a shared memory from their scopes, of those that the reader may see."""
    stones = tombstones_against(memory, memory.content) if memory.withheld_from else ()
    return [stone for stone in stones if trust.sees(stone)]


@require_safe
def evidence(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """All evidence of a memory, page by page."""
    trust = trust_of(request.user)
    row = get_object_or_404(with_support(_visible(trust)).select_related("skill"), pk=memory_id)
    rows = Evidence.objects.filter(memory=row).visible_to(trust).with_runs(trust)
    page = page_of(request, rows, LATEST, limit=40)
    return render(request, "memories/evidence.html", {"memory": row, "page": page})


@require_http_methods(["GET", "HEAD", "POST"])
def forget(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Ask for confirmation, then forget a memory; this cannot be undone."""
    trust = permitted(request.user, Permission.REVIEW, "forgetting needs the permission review")
    at = timezone.now()
    memory = get_object_or_404(Memory.objects.visible_to(trust).unexpired(at).select_related("skill"), pk=memory_id)
    why = request.POST.get("why", "").strip()[:2000]
    try:
        receipt = lifecycle.forget(memory, trust=trust, at=at, why=why, dry_run=request.method != "POST")
    except (Conflict, NotAllowed, NotFound) as refusal:
        return render(request, "memories/forget.html", {"memory": memory, "refusal": refusal}, status=409)
    if request.method == "POST":
        messages.success(request, _("Forgotten. Only the history records that it existed."))
        return redirect("memories" if memory.is_claim else "episodes")
    return render(request, "memories/forget.html", {"memory": memory, "receipt": receipt})


@never_cache
@require_POST
def reveal(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Show what is masked of a memory or an episode. The audit trail says who asked, and when."""
    trust, at = trust_of(request.user), timezone.now()
    memory = get_object_or_404(Memory.objects.visible_to(trust).unexpired(at).select_related("episode"), pk=memory_id)
    texts = reveal_memory(memory, trust=trust, at=at)
    response: Any = render(request, "memories/revealed.html", {"memory": memory, "texts": texts})
    response.shows_secrets = True
    return response  # type: ignore[no-any-return]


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
    today = get_object_or_404(_rows_then(trust, None, now), pk=memory_id)
    context: dict[str, Any] = {"memory": today, "as_of": text}
    try:
        moment = AsOf.of(_instant(text), max_sensitivity=trust.max_sensitivity, now=now)
    except Invalid:
        moment = None
    if moment is None:
        context["error"] = _("Not a time in the past: %(text)s") % {"text": text or _("none was given")}
        return render(request, "memories/memory_as_of.html", context, status=400)
    then = with_recorded(_rows_then(trust, moment, moment.at), moment).filter(pk=memory_id).first()
    if then is not None and then.type == Type.EPISODIC:
        raise Http404
    context |= {"then": then, "moment": moment, **_steps(today, moment, trust)}
    if then is not None:
        context |= {"payload": redaction.redacted_payload(then, trust), "differences": differences(then, today)}
    return render(request, "memories/memory_as_of.html", context)


def _rows_then(trust: Trust, moment: AsOf | None, at: datetime) -> Any:
    return Memory.objects.visible_to(trust).as_of(moment).unexpired(at).select_related("skill")


def _instant(text: str) -> datetime | None:
    """Parse an instant; one without a zone, as the form sends it, is in the site's zone. None: it is no instant."""
    if instant := parse_instant(text):
        return instant
    try:
        return parse_instant(timezone.make_aware(datetime.fromisoformat(text)).isoformat())
    except (ValueError, OverflowError):
        return None


def _steps(memory: Memory, moment: AsOf, trust: Trust) -> dict[str, datetime]:
    """Instants of the neighbouring states: `earlier`, if the person may see that state, and `later`."""
    states = FormerState.objects.filter(memory=memory)
    earlier = states.filter(until__lte=moment.at, sensitivity__lte=trust.max_sensitivity).order_by("-until").first()
    current = states.filter(until__gt=moment.at).order_by("until").first()
    steps = {"earlier": earlier.until - timedelta(microseconds=1)} if earlier else {}
    return steps | ({"later": current.until} if current else {})


def differences(then: Memory, today: Memory) -> list[Difference]:
    """The facts of a memory, then and today."""
    return [Difference(label, *(_display(row, name) for row in (then, today))) for name, label in _labels().items()]


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


def _display(row: Memory, name: str) -> str:
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
