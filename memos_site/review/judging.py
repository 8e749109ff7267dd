"""Runs for people to judge, and the cards that show them: runs without an outcome, or with one that most similar runs
contradict. The order is by how much a label is expected to tell.
"""

import json
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

    def label_value(row: tuple[UUID, str, str | None, float | None]) -> float:
        _, scope, outcome, risk = row
        return weight[scope] * _surprise(outcome, risk)

    ids = [row[0] for row in sorted(rows, key=label_value, reverse=True) if row[0] not in without][:most]
    episodes = Episode.objects.select_related("memory").in_bulk(ids)
    return [episodes[pk] for pk in ids if pk in episodes]


def judging_count(trust: Trust, *, most: int) -> int:
    """How many runs wait to be judged, counted up to `most` + 1."""
    return len(newest_to_judge(trust).values_list("pk", flat=True)[: most + 1])


def shown_count(trust: Trust) -> str:
    """How many runs wait to be judged, as text for pages: 99+ above MOST_COUNTED."""
    n = judging_count(trust, most=MOST_COUNTED)
    return f"{MOST_COUNTED}+" if n > MOST_COUNTED else str(n)


def newest_to_judge(trust: Trust) -> EpisodeQuerySet:
    """The visible ones of the newest closed runs without an outcome or with one that their verdict contradicts, newest
    first; at most NEWEST + NEWEST_DOUBTED + NEWEST_FAILED are read."""
    unknown = Episode.objects.filter(TO_JUDGE).order_by("-pk").values("pk")[:NEWEST]
    succeeded, failed = map(Episode.objects.said_by_no_person, (Outcome.SUCCESS, Outcome.FAILURE))
    doubtful = succeeded.filter(verdict="high").values("pk")[:NEWEST_DOUBTED]
    newest = unknown.union(doubtful, failed.values("pk")[:NEWEST_FAILED], all=True)
    conditions = [Q(verdict=verdict, outcome=outcome) for verdict, outcome in CONTRADICTED.items()]
    rows = Episode.objects.filter(reduce(or_, conditions, TO_JUDGE), pk__in=newest, event_count__gte=LEAST_EVENTS)
    return rows.visible_to(trust).order_by("-pk")


def _surprise(outcome: str | None, risk: float | None) -> float:
    """How much a label is expected to tell, 0 to 1: the probability that the given outcome is wrong; without an outcome
    how uncertain `risk` is (1 at one half)."""
    if risk is None:
        return NOT_KNOWN
    return {Outcome.SUCCESS.value: risk, Outcome.FAILURE.value: 1 - risk}.get(outcome or "", 1 - abs(2 * risk - 1))


def _weights(scopes: Iterable[str]) -> dict[str, float]:
    """Weight of each scope: 1 + ln(1 + runs that its guidance was measured on)."""
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
    """A call that changed something. `text`: its command line, or its arguments in short."""

    tool: str
    text: str
    failed: bool


@dataclass(frozen=True)
class SuccessfulRun:
    """A successful run with a similar profile: its first request (`opening`) and its effects."""

    episode_id: UUID
    opening: str
    effects: Sequence[str]


@dataclass
class RunCard:
    """What the page shows of a run. `changes`: its last MOST_CHANGES, `more` before them; `error`: the answer of the
    last call where that failed, else ''."""

    episode: Episode
    request: str
    changes: Sequence[Change]
    more: int
    calls: int
    error: str
    words: Sequence[tuple[str, str]]
    similar_runs: Sequence[SuccessfulRun] = field(default_factory=list)


def cards(episodes: Sequence[Episode], trust: Trust) -> list[RunCard]:
    """A card for each episode, in their order. The number of statements does not grow with that of the episodes."""
    recordings = recorded.read(episodes)
    rules = tool_rules(episodes)
    successes = _profiles({episode.scope for episode in episodes}, trust)
    return [_card(recording.episode, recording.run, rules, successes) for recording in recordings]


def _card(episode: Episode, run: Run, rules: ToolRules, successes: "Mapping[str, _Successes]") -> RunCard:
    end = run if episode.event_count <= MOST_EVENTS else recorded.read_end(episode)
    calls = {call.position: call for call in (*run.steps, *end.steps)}
    changing_calls = [call for _, call in sorted(calls.items()) if changes(call, rules)]
    run_changes = [_change(call, rules) for call in changing_calls]
    last = end.steps[-1] if end.steps else None
    return RunCard(
        episode,
        request=(run.user_messages[0].text if run.user_messages else episode.memory.content)[:LONGEST_REQUEST],
        changes=run_changes[-MOST_CHANGES:],
        more=max(0, len(run_changes) - MOST_CHANGES),
        calls=len(calls),
        error=_cut(errors.message(last.parsed_result), LONGEST_LINE) if last and last.failed else "",
        words=_last_words(end),
        similar_runs=successes[episode.scope].nearest(run, episode.pk) if episode.scope in successes else [],
    )


def _change(call: Call, rules: ToolRules) -> Change:
    line = command_line(call) if rules.runs_commands(call.name) else ""
    arguments = ", ".join(f"{name}={_short(value)}" for name, value in call.arguments.items())
    return Change(call.name, _cut(line or arguments, LONGEST_LINE), call.failed)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return _cut(" ".join(text.split()), LONGEST_ARGUMENT)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"


def _last_words(run: Run) -> list[tuple[str, str]]:
    """(role, text) of the last message of the agent and of the user, in order; not of the user's only message, which is
    the request."""
    last_messages = [spoken[-1] for role in (roles.ASSISTANT, roles.USER) if (spoken := run.messages_of(role))]
    in_order = sorted(last_messages, key=lambda message: message.position)
    messages = [message for message in in_order if message.role != roles.USER or len(run.user_messages) > 1]
    return [(message.role, _end(message.text.strip())) for message in messages if message.text.strip()]


def _end(text: str) -> str:
    """The last LONGEST_WORDS characters of a text, cut before a word."""
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

    def nearest(self, run: Run, pk: UUID) -> list[SuccessfulRun]:
        near = self._vectors @ features.of(run).vector
        order = [n for n in np.argsort(-near) if near[n] >= LEAST_ALIKE and self._profiles[n].pk != pk]
        profiles = [self._profiles[n] for n in order[:MOST_ALIKE]]
        return [SuccessfulRun(profile.pk, profile.opening, profile.effects) for profile in profiles]


def _profiles(scopes: set[str], trust: Trust) -> dict[str, _Successes]:
    rows = RunProfile.objects.visible_to(trust).filter(scope__in=scopes, outcome=Outcome.SUCCESS)
    latest = list(rows.only("scope", "opening", "effects", "vector").order_by("-at")[:MOST_COMPARED])
    return {
        scope: _Successes(profiles)
        for scope in scopes
        if (profiles := [profile for profile in latest if profile.scope == scope])
    }
