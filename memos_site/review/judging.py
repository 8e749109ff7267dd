"""Runs for people to judge, and what is needed for it: nobody has said how they ended, or most runs like them ended
otherwise than is said of them. What a label teaches most comes first.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import log1p
from operator import or_
from typing import Any
from uuid import UUID

import numpy as np
from django.db.models import Max, Q

from consolidation.guidance import features
from consolidation.learning.commands.shell import command_line
from consolidation.learning.effects.effects import changes
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs import errors
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.models import GuidanceCurve
from consolidation.models.profiles import RunProfile
from consolidation.pipelines import recorded
from consolidation.pipelines.recorded import MOST_EVENTS
from consolidation.pipelines.tool_rules import tool_rules
from memories.models import Episode
from memories.models.episode import CONTRADICTED, TO_JUDGE, EpisodeQuerySet
from memories.values import roles
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


MOST_CHANGES, MOST_ALIKE = 8, 3
LONGEST_REQUEST, LONGEST_WORDS, LONGEST_ARGUMENT, LONGEST_LINE = 600, 500, 60, 200
LONGEST_WORD = 40  # a text without spaces is cut where it is
MOST_COMPARED = 600  # latest successes of the scopes that are shown
LEAST_ALIKE = 0.25  # cosine of what the users said


@dataclass(frozen=True)
class Change:
    """A call that changed something. `said`: its command line, or its arguments in short."""

    tool: str
    said: str
    failed: bool


@dataclass(frozen=True)
class Alike:
    """A run that ended well and began alike, with its effects."""

    episode_id: UUID
    opening: str
    effects: Sequence[str]


@dataclass
class RunCard:
    """`more`: how many further changes there are; `error`: what the last call that failed answered, '' where the last
    call went well."""

    episode: Episode
    request: str
    changed: Sequence[Change]
    more: int
    calls: int
    error: str
    words: Sequence[tuple[str, str]]
    alike: Sequence[Alike] = field(default_factory=list)


def cards(episodes: Sequence[Episode], trust: Trust) -> list[RunCard]:
    """A card for each, by a handful of statements however many."""
    read = recorded.read(episodes)
    rules = tool_rules(episodes)
    known = _profiles({episode.scope for episode in episodes}, trust)
    return [_card(recording.episode, recording.run, rules, known) for recording in read]


def _card(episode: Episode, run: Run, rules: ToolRules, known: "Mapping[str, _Successes]") -> RunCard:
    end = run if episode.event_count <= MOST_EVENTS else recorded.read_end(episode)
    calls = {call.position: call for call in (*run.steps, *end.steps)}
    acting = [call for _, call in sorted(calls.items()) if changes(call, rules)]
    changed = [_change(call, rules) for call in acting]
    last = end.steps[-1] if end.steps else None
    return RunCard(
        episode,
        request=(run.said[0].text if run.said else episode.memory.content)[:LONGEST_REQUEST],
        changed=changed[-MOST_CHANGES:],
        more=max(0, len(changed) - MOST_CHANGES),
        calls=len(calls),
        error=errors.message(last.returned)[:LONGEST_LINE] if last and last.failed else "",
        words=_last_words(end),
        alike=known[episode.scope].nearest(run, episode.pk) if episode.scope in known else [],
    )


def _change(call: Call, rules: ToolRules) -> Change:
    line = command_line(call) if rules.runs_commands(call.name) else ""
    given = ", ".join(f"{name}={_short(value)}" for name, value in call.arguments.items())
    return Change(call.name, (line or given)[:LONGEST_LINE], call.failed)


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_ARGUMENT else f"{text[:LONGEST_ARGUMENT]}…"


def _last_words(run: Run) -> list[tuple[str, str]]:
    """(speaker, text) of the last thing that the agent said and of what the user said after it or before."""
    last = [spoken[-1] for role in (roles.ASSISTANT, roles.USER) if (spoken := run.spoken(role))]
    ordered = sorted(last, key=lambda message: message.position)
    kept = [message for message in ordered if message.speaker != roles.USER or len(run.said) > 1]
    return [(message.speaker, _end(message.text.strip())) for message in kept if message.text.strip()]


def _end(text: str) -> str:
    """The last words of a text, where it is long, from the beginning of one."""
    if len(text) <= LONGEST_WORDS:
        return text
    cut = text[-LONGEST_WORDS:]
    first = next((at for at, char in enumerate(cut[:LONGEST_WORD]) if char.isspace()), -1)
    return f"… {cut[first + 1 :].lstrip()}"


class _Successes:
    """Profiles of one scope's runs that ended well."""

    def __init__(self, profiles: Sequence[RunProfile]) -> None:
        self._profiles = profiles
        self._vectors = np.array([profile.vector for profile in profiles], np.float32)

    def nearest(self, run: Run, pk: UUID) -> list[Alike]:
        near = self._vectors @ features.of(run).vector
        order = [n for n in np.argsort(-near) if near[n] >= LEAST_ALIKE and self._profiles[n].pk != pk]
        profiles = [self._profiles[n] for n in order[:MOST_ALIKE]]
        return [Alike(profile.pk, profile.opening, profile.effects) for profile in profiles]


def _profiles(scopes: set[str], trust: Trust) -> dict[str, _Successes]:
    rows = RunProfile.objects.visible_to(trust).filter(scope__in=scopes, outcome=Outcome.SUCCESS)
    latest = list(rows.only("scope", "opening", "effects", "vector").order_by("-at")[:MOST_COMPARED])
    return {
        scope: _Successes(of) for scope in scopes if (of := [profile for profile in latest if profile.scope == scope])
    }
