"""Which places a caller may know, which of them the name of a repository means, and which counted facts may be told."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, F, Max, Q, QuerySet

from consolidation.learning.commands.purposes import TESTS
from consolidation.learning.effects.command_starts import CONSISTENT, LEAST_CASES, LEAST_RUNS
from consolidation.learning.effects.option_tries import OPTIONS_OF
from consolidation.learning.effects.places import repository
from consolidation.models.commands import CommandAttempt, CommandFact
from memories import scanning
from memories.models import Tombstone
from memories.values.choices import LIVE
from memories.values.trust import SHARED_SCOPES, Trust

MOST_PLACES = 200
MOST_OWNERS = 5
BUILD, CHECKS, SET_UP = ("build",), ("lint", "types", "format"), ("packages",)
SHOWN_PURPOSES = (TESTS, *BUILD, *CHECKS, *SET_UP)  # of others only what does not start is worth a line


def tellable(rows: "QuerySet[CommandFact]", trust: Trust) -> Iterator[CommandFact]:
    """Yield those of these facts that the caller may be told, with their memories.

    A fact that was never written down has no memory and no words; one with words and without a memory was forgotten.
    """
    stated = Q(memory__status__in=LIVE, memory__flags=[]) & trust.offered.q("memory__")
    unstated = Q(memory=None, words="", due=False)
    facts = list(rows.visible_to(trust).filter(stated | unstated).select_related("memory"))  # type: ignore[attr-defined]
    keys = {key for fact in facts for key in fact.names}
    closed = Tombstone.objects.standing().filter(blocks=True, key__in=keys).values_list("scope", "key")
    dismissed = set(closed) if keys else set()
    for fact in facts:
        scopes = (fact.scope, *SHARED_SCOPES)
        if not any((scope, key) in dismissed for scope in scopes for key in fact.names):
            yield fact


def is_safe(*names: str) -> bool:
    """Whether the words of names (places, forms of commands) read as no order to a model and hold no credential."""
    return not scanning.flags(*(name.replace("-", " ").replace("_", " ").replace("/", " ") for name in names), *names)


@dataclass(frozen=True)
class KnownPlace:
    """A place of one scope. `name`: '' where the runs name none, and it holds for the whole scope."""

    name: str
    scope: str
    lines: int
    runs: int
    last_at: datetime


def known_places(trust: Trust) -> list[KnownPlace]:
    """The places with something to tell, those with most runs first, at most MOST_PLACES."""
    shown: Counter[tuple[str, str]] = Counter()
    of_fact = Counter(fact for fact, _ in _consistent_forms(trust))
    for fact in tellable(CommandFact.objects.filter(pk__in=of_fact), trust):
        shown[fact.scope, fact.place] += of_fact[fact.pk]
    scopes, names = {scope for scope, _ in shown}, {name for _, name in shown}
    attempts = CommandAttempt.objects.visible_to(trust).filter(fact__scope__in=scopes, fact__place__in=names)
    by_place = attempts.order_by().values_list("fact__scope", "fact__place")
    counted = by_place.annotate(runs=Count("episode_id", distinct=True), last=Max("at"))
    rows = [
        KnownPlace(name, scope, shown[scope, name], runs, last)
        for scope, name, runs, last in counted
        if (scope, name) in shown
    ]
    return sorted(rows, key=lambda place: (-place.runs, place.name, place.scope))[:MOST_PLACES]


def _consistent_forms(trust: Trust) -> Iterable[tuple[UUID, str]]:
    """Forms that nearly always start, or nearly never: (fact, form) with enough runs of enough cases."""
    consistent = Q(fact__purpose__in=SHOWN_PURPOSES, started_in__gte=CONSISTENT * F("runs"))
    consistent |= Q(started_in__lte=F("runs") * (1 - CONSISTENT))
    rows = CommandAttempt.objects.visible_to(trust).exclude(fact__purpose__startswith=OPTIONS_OF)
    counted = (
        rows.order_by()
        .values("fact", "form")
        .annotate(runs=Count("pk"), cases=Count("case", distinct=True), started_in=Count("pk", filter=Q(started=True)))
    )
    consistent &= Q(runs__gte=LEAST_RUNS, cases__gte=LEAST_CASES)
    return [(row["fact"], row["form"]) for row in counted.filter(consistent)]


def names_of(address: str, trust: Trust) -> list[str]:
    """The names under which runs know this repository (its address, `owner/name`, or a folder's name), its own first.

    Runs know it by owner and name, or by the folder that their commands name: both mean it. A bare name means a
    repository with an owner only where one owner alone is known.
    """
    here = repository(address)
    if not here:
        return []
    bare = here.rsplit("/", 1)[-1]
    wanted = Q(place__iexact=here) | Q(place__iexact=bare)
    wanted |= Q(place__iendswith=f"/{bare}") if here == bare else Q()
    known = CommandFact.objects.visible_to(trust).filter(wanted).order_by().values_list("place", flat=True).distinct()
    names = list(known[: 2 * MOST_OWNERS])
    owned = [name for name in names if "/" in name]
    if here == bare and len(owned) > 1:
        names = [name for name in names if name not in owned]
    return sorted(names, key=lambda name: (name.lower() != here.lower(), name))
