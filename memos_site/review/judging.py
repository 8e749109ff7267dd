"""Runs of which nobody has said how they ended, for people to judge: what a label teaches most comes first."""

from collections.abc import Collection, Iterable
from math import log1p
from uuid import UUID

from django.db.models import Max

from consolidation.models import GuidanceCurve
from memories.models import Episode
from memories.models.episode import TO_JUDGE, EpisodeQuerySet
from memories.values.trust import Trust

MOST_COUNTED = 99
NEWEST = 1_000  # runs without an outcome that are looked through
LEAST_EVENTS = 2  # a single event is no run


def to_judge(trust: Trust, *, most: int, without: Collection[UUID] = ()) -> list[Episode]:
    """The runs to judge, at most `most`, with their memories: of the scopes with most runs first, there the newest.

    Where many runs were learned from, one more label decides most; nothing is known of a run without an outcome, so
    that one is as uncertain as the other. `without`: leave these out.
    """
    rows = list(newest_unjudged(trust).values_list("pk", "scope"))
    weight = _weights({scope for _, scope in rows})
    left = [pk for pk, _ in sorted(rows, key=lambda row: -weight[row[1]]) if pk not in without][:most]
    found = Episode.objects.select_related("memory").in_bulk(left)
    return [found[pk] for pk in left if pk in found]


def judging_count(trust: Trust, *, most: int) -> int:
    """How many runs wait to be judged, counted up to `most` + 1."""
    return len(newest_unjudged(trust).values_list("pk", flat=True)[: most + 1])


def shown_count(trust: Trust) -> str:
    """How many wait, as pages say it: above MOST_COUNTED as in 99+."""
    n = judging_count(trust, most=MOST_COUNTED)
    return f"{MOST_COUNTED}+" if n > MOST_COUNTED else str(n)


def newest_unjudged(trust: Trust) -> EpisodeQuerySet:
    """Of the newest closed runs without an outcome those that the caller may see; bounded, however many there are."""
    newest = Episode.objects.filter(TO_JUDGE).order_by("-pk").values("pk")[:NEWEST]
    rows: EpisodeQuerySet = Episode.objects.filter(pk__in=newest, event_count__gte=LEAST_EVENTS).visible_to(trust)
    return rows.order_by("-pk")


def _weights(scopes: Iterable[str]) -> dict[str, float]:
    """By the runs of each scope that guidance was measured on."""
    rows = GuidanceCurve.objects.filter(scope__in=list(scopes)).order_by()
    runs = dict(rows.values_list("scope").annotate(most=Max("runs")))
    return {scope: log1p(runs.get(scope, 0)) for scope in scopes}
