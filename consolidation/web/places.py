"""Pages of places: repositories and folders in which agents ran commands, what works in one, and its AGENTS.md."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from consolidation.pipelines import facts
from consolidation.places import PlaceKnowledge, knowledge_of, known_places
from consolidation.places.agents_md import agents_md
from consolidation.places.knowledge import PlaceCommand
from consolidation.places.known_places import BUILD, CHECKS, SET_UP
from memories.models import Episode
from memories.people import permitted
from memories.values.choices import Outcome, Permission
from memories.values.exceptions import Conflict
from memories.values.trust import Trust

MOST_RUNS = 5  # that a line names
TITLES = {
    "tests": _("Tests"),
    **dict.fromkeys(BUILD, _("Build")),
    **dict.fromkeys(CHECKS, _("Checks")),
    **dict.fromkeys(SET_UP, _("Set-up")),
}


@dataclass(frozen=True)
class CommandRuns:
    """A command as its line shows it: `well` of the `ended` runs that showed it ended in success."""

    command: PlaceCommand
    instead: list[str]
    latest: list[Episode]
    well: int
    ended: int


@dataclass(frozen=True)
class PlaceSection:
    title: str | Promise
    lines: list[CommandRuns]


@require_safe
def places(request: HttpRequest) -> HttpResponse:
    """The places with something to tell, those with most runs first."""
    rows = [(place, address_of(place.name, place.scope)) for place in known_places(_reader(request))]
    return render(request, "consolidation/places.html", {"places": rows})


@require_safe
def place(request: HttpRequest) -> HttpResponse:
    """What works in one place, and what does not, with the runs that say so."""
    trust = _reader(request)
    known, scope = _asked(request.GET, trust)
    context: dict[str, Any] = {
        "known": known,
        "scope": scope,
        "working": _sections(known, trust),
        "failing": list(_with_runs(known.failing, known, trust)),
        "text": agents_md(known, title=scope),
        "file": f"{reverse('agents-md')}?{urlencode({'name': known.name, 'scope': scope})}",
    }
    return render(request, "consolidation/place.html", context)


@require_POST
def dismiss(request: HttpRequest) -> HttpResponse:
    """Dismiss what is counted of a line that no fact states; what a fact states is dismissed at that."""
    trust = permitted(request.user, Permission.REVIEW, "dismissing a line needs the permission review")
    known, scope = _asked(request.POST, trust)
    form = request.POST.get("form", "")
    line = next((one for one in (*known.starting, *known.failing) if one.form == form and one.memory is None), None)
    if line is None:
        raise Http404
    trust.scope_to_write(line.fact.scope)
    try:
        facts.dismiss_unstated(line.fact, {form: line.starts}, by=trust.actor, at=timezone.now())
    except Conflict as conflict:
        messages.warning(request, str(conflict))
    else:
        messages.success(request, gettext("Dismissed. You can restore it on the page Dismissed."))
    return redirect(address_of(known.name, scope) if len(known.starting + known.failing) > 1 else "places")


@require_safe
def agents_md_file(request: HttpRequest) -> HttpResponse:
    known, scope = _asked(request.GET, _reader(request))
    headers = {"Content-Disposition": 'attachment; filename="AGENTS.md"'}
    return HttpResponse(agents_md(known, title=scope), content_type="text/markdown; charset=utf-8", headers=headers)


def address_of(name: str, scope: str) -> str:
    """The address of a place's page."""
    return f"{reverse('place')}?{urlencode({'name': name, 'scope': scope})}"


def _reader(request: HttpRequest) -> Trust:
    return permitted(request.user, Permission.READ, "places need the permission read")


def _asked(asked: QueryDict, trust: Trust) -> tuple[PlaceKnowledge, str]:
    """The place of this very name in a scope. Http404: nothing is known of it."""
    name, scope = (asked.get(field, "") for field in ("name", "scope"))
    known = knowledge_of([name], trust.narrowed(scopes=[scope]), at=timezone.now())
    if known.is_empty:
        raise Http404("nothing is known of this place")
    return known, scope


def _sections(known: PlaceKnowledge, trust: Trust) -> list[PlaceSection]:
    lines = _with_runs(known.starting, known, trust)
    return [
        PlaceSection(title, list(group)) for title, group in groupby(lines, lambda one: TITLES[one.command.purpose])
    ]


def _with_runs(commands: Iterable[PlaceCommand], known: PlaceKnowledge, trust: Trust) -> Iterator[CommandRuns]:
    """The commands with those of their runs that the person may see."""
    listed = list(commands)
    wanted = {pk for command in listed for pk in command.episodes}
    outcomes = dict(Episode.objects.visible_to(trust).filter(pk__in=wanted).values_list("pk", "outcome"))
    shown = {pk for command in listed for pk in command.episodes[:MOST_RUNS]}
    rows = Episode.objects.visible_to(trust).select_related("memory").defer("environment", "artifacts").in_bulk(shown)
    for command in listed:
        ends = [end for pk in command.episodes if (end := outcomes.get(pk))]
        latest = [rows[pk] for pk in command.episodes[:MOST_RUNS] if pk in rows]
        yield CommandRuns(command, known.instead_of(command), latest, ends.count(Outcome.SUCCESS), len(ends))
