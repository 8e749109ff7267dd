"""Runs for people to judge: nobody has said how they ended, or most runs like them ended otherwise than is said of
them. What a label teaches most comes first."""

from collections.abc import Collection, Iterable
from functools import reduce
from math import log1p
from operator import or_
from uuid import UUID

from django.db.models import Max, Q

from consolidation.models import GuidanceCurve
from memories.models import Episode
from memories.models.episode import CONTRADICTED, TO_JUDGE, EpisodeQuerySet
from memories.values.choices import Outcome
from memories.values.trust import Trust

MOST_COUNTED = 99
NEWEST = 1_000  # runs without an outcome that are looked through
NEWEST_DOUBTED = 200  # that are said to have ended well, and probably failed
NEWEST_FAILED = 500  # that are said to have failed, whatever runs like them did
NOT_KNOWN = 0.75  # how uncertain a run without a risk is: nothing like it was seen, which is worth knowing
LEAST_EVENTS = 2  # a single event is no run


def to_judge(trust: Trust, *, most: int, without: Collection[UUID] = ()) -> list[Episode]:
    """The runs to judge, at most `most`, with their memories: the most uncertain first, of the scopes with most runs,
    where one more label decides most; among equals the newest. `without`: leave these out.
    """
    rows = list(newest_to_judge(trust).values_list("pk", "scope", "outcome", "risk"))
    weight = _weights({scope for _, scope, _, _ in rows})

    def taught(row: tuple[UUID, str, str | None, float | None]) -> float:
        _, scope, outcome, risk = row
        return weight[scope] * _surprise(outcome, risk)

    left = [row[0] for row in sorted(rows, key=taught, reverse=True) if row[0] not in without][:most]
    episodes = Episode.objects.select_related("memory").in_bulk(left)
    return [episodes[pk] for pk in left if pk in episodes]


def judging_count(trust: Trust, *, most: int) -> int:
    """How many runs wait to be judged, counted up to `most` + 1."""
    return len(newest_to_judge(trust).values_list("pk", flat=True)[: most + 1])


def shown_count(trust: Trust) -> str:
    """How many wait, as pages say it: above MOST_COUNTED as in 99+."""
    n = judging_count(trust, most=MOST_COUNTED)
    return f"{MOST_COUNTED}+" if n > MOST_COUNTED else str(n)


def newest_to_judge(trust: Trust) -> EpisodeQuerySet:
    """Of the newest closed runs without an outcome, and of those whose verdict contradicts it, the ones that the caller
    may see; bounded, however many there are."""
    unknown = Episode.objects.filter(TO_JUDGE).order_by("-pk").values("pk")[:NEWEST]
    succeeded, failed = map(Episode.objects.said_by_no_person, (Outcome.SUCCESS, Outcome.FAILURE))
    doubted = succeeded.filter(verdict="high").values("pk")[:NEWEST_DOUBTED]
    newest = unknown.union(doubted, failed.values("pk")[:NEWEST_FAILED], all=True)
    contradicted = [Q(verdict=verdict, outcome=outcome) for verdict, outcome in CONTRADICTED.items()]
    rows = Episode.objects.filter(reduce(or_, contradicted, TO_JUDGE), pk__in=newest, event_count__gte=LEAST_EVENTS)
    return rows.visible_to(trust).order_by("-pk")


def _surprise(outcome: str | None, risk: float | None) -> float:
    """How much a label is expected to tell: of what is said, how probably it is wrong; else how uncertain it is."""
    if risk is None:
        return NOT_KNOWN
    return {Outcome.SUCCESS.value: risk, Outcome.FAILURE.value: 1 - risk}.get(outcome or "", 1 - abs(2 * risk - 1))


def _weights(scopes: Iterable[str]) -> dict[str, float]:
    """By the runs of each scope that guidance was measured on."""
    rows = GuidanceCurve.objects.filter(scope__in=list(scopes)).order_by()
    runs = dict(rows.values_list("scope").annotate(most=Max("runs")))
    return {scope: 1 + log1p(runs.get(scope, 0)) for scope in scopes}
