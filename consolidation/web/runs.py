"""The pages of background runs: what is under way, what has been done, what it cost and wrote, and a person's verbs."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Case, Count, QuerySet, Sum, When
from django.db.models.functions import TruncDate
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from consolidation import llm, ordering, reembedding_run, run_queue, set_aside
from consolidation.extraction.queue import Choice
from consolidation.models import BulkOrder, ImportFile, LLMCall, Run, RunStep
from consolidation.models.runs import TITLES
from consolidation.ordering import without_foreign_figures
from consolidation.web import scheduling
from memories.indexing import reembedding
from memories.models import AuditEntry, Memory
from memories.people import administers, trust_of
from memories.values.choices import Permission
from memories.values.exceptions import Conflict, NotAllowed, NotFound
from memories.values.keyset import Page
from memories.values.trust import Trust
from memories.web.paging import LATEST, page_of
from skills.models import SkillVersion
from skills.publishing import VERSION

MOST_ASIDE = 20  # of each kind: enough to see what is wrong
MOST_UNFINISHED = 20
MOST_STEPS, MOST_CALLS = 200, 200
STEPS_AT_FIRST = 40
COST_DAYS = timedelta(days=14)
URGENCY = (RunStep.Status.FAILED, RunStep.Status.RUNNING, RunStep.Status.PENDING)
CHOICES: dict[str, list[tuple[str, Any]]] = {  # what the list of runs is narrowed by
    "kind": list(TITLES.items()),
    "status": [
        (status.value, status.label) for status in (Run.Status.FAILED, Run.Status.SUCCEEDED, Run.Status.SKIPPED)
    ],
}


@dataclass(frozen=True)
class Cost:
    day: date
    purpose: str
    model: str
    calls: int
    failed: int
    tokens_in: int
    tokens_out: int


@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    trust, at = trust_of(request.user), timezone.now()
    orders = trust.may(Permission.REVIEW) and trust.scopes is None  # such work is over every scope
    visible = Run.objects.visible_to(trust)
    shown = visible.with_model_use().with_orders()
    unfinished = list(shown.unfinished().order_by("created_at", "id")[:MOST_UNFINISHED])
    filters = {name: request.GET.get(name, "") for name in ("kind", "status")}
    filters = {name: value if value in dict(CHOICES[name]) else "" for name, value in filters.items()}
    narrowed = shown.filter(**{name: value for name, value in filters.items() if value})
    page = page_of(request, narrowed, limit=20)
    for row in (*page.rows, *unfinished):
        without_foreign_figures(row, trust)
    context = {
        "page": page,
        "filters": filters,
        "choices": CHOICES,
        "unfinished": unfinished,
        "live": any(run.status != Run.Status.PAUSED for run in unfinished),
        "kinds": [(kind, TITLES[kind]) for kind in run_queue.OVER_EVERYTHING] if orders else [],
        "aside": _aside(set_aside.items(trust, most=MOST_ASIDE)),
        "jobs": scheduling.jobs(),
        "administers": administers(request.user),
        "costs": _costs(trust, at=at),
        **(_unread(trust, at=at) if orders and llm.configured() else {}),
    }
    return render(request, "consolidation/runs.html", context)


def _unread(trust: Trust, *, at: datetime) -> dict[str, Any]:
    backlog, waiting = ordering.unread(trust, Choice(), at=at)
    return {"backlog": backlog, "reading": waiting if waiting.queued + waiting.running + waiting.paused else None}


def _aside(items: list[set_aside.Item]) -> dict[str, list[set_aside.Item]]:
    """By the kind of run that reads them again."""
    run_of = {source.kind: source.run for source in set_aside.SOURCES}
    groups: dict[str, list[set_aside.Item]] = {}
    for item in items:
        groups.setdefault(run_of[item.kind], []).append(item)
    return groups


def _costs(trust: Trust, *, at: datetime) -> list[Cost]:
    """Of the last two weeks, newest day first: the calls of runs that the caller may see, and those of no run."""
    calls = LLMCall.objects.visible_to(trust).filter(at__gt=at - COST_DAYS).annotate(day=TruncDate("at"))
    groups = calls.values("day", "purpose", "model").annotate(
        calls=Count("pk"), failed=Count("pk", filter=LLMCall.FAILED), tin=Sum("tokens_in"), tout=Sum("tokens_out")
    )
    columns = ("day", "purpose", "model", "calls", "failed", "tin", "tout")
    return [Cost(*row) for row in groups.order_by("-day", "purpose", "model").values_list(*columns)]


@require_safe
def run(request: HttpRequest, run_id: UUID) -> HttpResponse:
    trust = trust_of(request.user)
    row = Run.objects.visible_to(trust).with_model_use().filter(pk=run_id).first()
    if row is None:
        raise Http404
    without_foreign_figures(row, trust)
    steps = RunStep.objects.filter(run=row).visible_to(trust).defer("answer")
    calls = LLMCall.objects.filter(run=row).select_related("run").order_by("ok", "at", "pk")[:MOST_CALLS]
    live = row.is_unfinished and row.status != Run.Status.PAUSED
    page, written = page_of_run(request, row, trust)
    trail = {"page": page, "written": written, "no_trail": not written}
    context = {"run": row, "calls": calls, "live": live, **trail, **_steps(steps, whole="steps" in request.GET)}
    context["has_subject"] = has_subject(row, trust)
    if live and row.kind == reembedding_run.KIND:
        context["model_change"] = reembedding.model_change()
    return render(request, "consolidation/run.html", context)


def _steps(steps: QuerySet[RunStep], *, whole: bool) -> dict[str, Any]:
    """The steps that the page shows, first those that failed or are under way; how many have which status; whether
    it shows all that it ever does, which is not each of a run over very many scopes."""
    urgency = Case(*(When(status=status, then=n) for n, status in enumerate(URGENCY)), default=len(URGENCY))
    rows = list(steps.order_by(urgency, "position")[:MOST_STEPS])
    counts = Counter(row.status for row in rows)
    if len(rows) == MOST_STEPS:
        counts = Counter(dict(steps.order_by().values_list("status").annotate(n=Count("pk"))))
    whole = whole or len(rows) <= STEPS_AT_FIRST
    return {
        "steps": rows if whole else rows[:STEPS_AT_FIRST],
        "counts": [(status, counts[status]) for status in RunStep.Status.values if counts[status]],
        "step_count": counts.total(),
        "shown_count": len(rows),
        "whole": whole,
    }


@require_POST
def start(request: HttpRequest) -> HttpResponse:
    kind, again = request.POST.get("kind", ""), "retry_set_aside" in request.POST
    trust, subject = trust_of(request.user), request.POST.get("subject", "")
    order = partial(ordering.start, kind, trust, trigger=Run.Trigger.PAGE, at=timezone.now(), retry_set_aside=again)
    about, scope = UUID(subject) if _is_id(subject) else None, request.POST.get("scope", "")
    return decided(request, lambda: order(about=about, scope=scope), _("Queued: a worker takes it now."))


@require_POST
def decide(request: HttpRequest, run_id: UUID, verb: ordering.Verb) -> HttpResponse:
    words = {
        "retry": _("Queued again: it continues at the step that failed."),
        "pause": _("Paused: it stops after its current batch."),
        "resume": _("Queued: it continues."),
    }
    if verb not in words:
        raise Http404
    trust = trust_of(request.user)
    return decided(request, lambda: ordering.decide(verb, run_id, trust, why="", at=timezone.now()), words[verb])


def decided(request: HttpRequest, verb: Callable[[], Any], text: str | Callable[[Any], str]) -> HttpResponse:
    """Do it, say so, and go back to the page that it was ordered from. `text`: may be made of what the verb returns."""
    if not trust_of(request.user).may(Permission.REVIEW):
        raise PermissionDenied
    try:
        done = verb()
    except NotFound:
        raise Http404 from None
    except (Conflict, NotAllowed) as refusal:
        messages.warning(request, str(refusal))
    else:
        if isinstance(done, Run) and done.status == Run.Status.SKIPPED:
            messages.warning(request, done.error)
        else:
            messages.success(request, text if isinstance(text, str) else text(done))
    return _back(request)


def _back(request: HttpRequest) -> HttpResponse:
    """To the page that it was ordered from."""
    for page, name in (("run", "run"), ("memory", "subject")):
        if _is_id(back := request.POST.get(name, "")):
            return redirect(page, back)
    if "scope" in request.POST:
        return redirect(f"{reverse('lessons')}?{urlencode({'scope': request.POST['scope']})}")
    return redirect("runs")


def _is_id(value: str) -> bool:
    try:
        UUID(value)
    except ValueError:
        return False
    return True


ENTRIES_AT_ONCE = 25  # entries of the trail of a run


@dataclass(frozen=True)
class RunEntry:
    """One entry. `memory`: what it is about, or the skill of a version, where the reader may see it."""

    entry: AuditEntry
    memory: Memory | None

    @property
    def is_version(self) -> bool:
        return self.entry.subject_kind == VERSION


def has_subject(run: Run, trust: Trust) -> bool:
    """Whether what a run is about is still there, and the reader has a page of it: a file is its person's alone."""
    rows: dict[str, QuerySet[Any]] = {
        "import": ImportFile.objects.of(trust.actor),
        "bulk": BulkOrder.objects.all(),
    }
    known = rows.get(run.kind, Memory.objects.visible_to(trust))
    return run.subject is not None and known.filter(pk=run.subject).exists()


def page_of_run(request: HttpRequest, run: Run, trust: Trust) -> tuple[Page[AuditEntry], list[RunEntry]]:
    """The page of entries that the URL's cursor asks for, the latest first, as far as the reader may see them."""
    page = page_of(request, AuditEntry.objects.visible_to(trust).filter(run=run.pk), LATEST, limit=ENTRIES_AT_ONCE)
    memories = _memories(page.rows, trust) if page.rows else {}
    return page, [RunEntry(entry, memories.get(entry.subject_id)) for entry in page.rows]


def _memories(entries: list[AuditEntry], trust: Trust) -> dict[UUID, Memory]:
    """The memory that the subject of each entry leads to."""
    versions = [entry.subject_id for entry in entries if entry.subject_kind == VERSION]
    skills: dict[UUID, UUID] = {}
    if versions:
        shown = SkillVersion.objects.visible_to(trust).filter(pk__in=versions)
        skills = dict(shown.values_list("pk", "skill__memory"))
    about = {*(entry.subject_id for entry in entries), *skills.values()}
    rows = Memory.objects.filter(trust.visible(), pk__in=about).select_related("skill").in_bulk()
    return rows | {version: rows[memory] for version, memory in skills.items() if memory in rows}
