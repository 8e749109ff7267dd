"""The verdict on every closed episode, written down when consolidation has read it, for lists and figures."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from consolidation.guidance import calibration, features
from consolidation.guidance.calibration import Calibration, nearness
from consolidation.guidance.features import Features
from consolidation.guidance.grounds import Surveyor
from consolidation.guidance.latest_runs import LatestOfScope, LatestRuns
from consolidation.guidance.profiling import first_change
from consolidation.guidance.risk import ComparedRun, RiskVerdict, judge
from consolidation.guidance.votes import Effects
from consolidation.learning.effects.effects import effects
from consolidation.models.profiles import GuidanceCurve, RunProfile
from consolidation.pipelines import recorded
from consolidation.pipelines.tool_rules import tool_rules
from memories.models import Episode

BATCH = 100
MOST = 2_000  # of a scope in one run of consolidation


def judge_new(latest: LatestOfScope, *, at: datetime) -> None:
    """Judges the episodes of a scope that have no verdict yet, each without its own vote. Call when the
    curves of the scope are fitted."""
    waiting = Episode.objects.without_verdict().filter(scope=latest.scope)
    waiting.filter(event_count__lte=1).update(verdict="unknown", verdict_at=at)
    count = 0
    is_last = False
    while count < MOST and not is_last:
        batch = list(waiting.select_related("memory").order_by("closed_at")[:BATCH])
        by_level: dict[int, list[Episode]] = defaultdict(list)
        for episode in batch:
            by_level[episode.memory.sensitivity].append(episode)
        for level, episodes in by_level.items():
            _judge(latest[level], _calibration(latest.scope, level), episodes)
            for episode in episodes:
                episode.verdict_at = at
        Episode.objects.bulk_update(batch, ["verdict", "risk", "verdict_at"])
        count, is_last = count + len(batch), len(batch) < BATCH


def _calibration(scope: str, level: int) -> Calibration:
    row = GuidanceCurve.objects.filter(scope=scope, sensitivity=level).first()
    return calibration.from_json(row.fitted, row.nearness) if row else Calibration()


def _judge(latest: LatestRuns, fitted: Calibration, episodes: Sequence[Episode]) -> None:
    """Sets the columns of these episodes, which are of one level; they are not saved."""
    places = {run.pk: n for n, run in enumerate(latest.runs)}
    surveyor = Surveyor(latest.ballot.cases)
    features_of_run = {pk: judged_run for pk, judged_run in _asked(episodes) if latest.runs}
    for episode in episodes:
        judged_run = RiskVerdict()
        if episode.pk in features_of_run:
            speech, run_effects = features_of_run[episode.pk]
            similarities, position = latest.kernel.against([speech]), places.get(episode.pk)
            mask = surveyor.kept([] if position is None else [position])
            like = nearness(similarities.words[0][mask], similarities.meaning[0][mask]) >= fitted.nearness
            without = [] if position is None else [position]
            run = ComparedRun(surveyor, latest.ballot, similarities, 0, run_effects, without)
            judged_run = judge(run, calibration=fitted, like=like)
        episode.verdict, episode.risk = judged_run.level, judged_run.risk if judged_run.level != "unknown" else None


def _asked(episodes: Sequence[Episode]) -> Iterator[tuple[UUID, tuple[Features, Effects]]]:
    """The features of each run before its first change, and its effects: from its profile, else from its events. Leaves
    out runs that called no tool or in which no user spoke."""
    ids = [episode.pk for episode in episodes]
    profiles = RunProfile.objects.filter(pk__in=ids).only("pk", "packed", "effects")
    of_profiles = {profile.pk: (features.unpack(profile.packed), frozenset(profile.effects)) for profile in profiles}
    yield from of_profiles.items()
    for recording in recorded.read([episode for episode in episodes if episode.pk not in of_profiles]):
        run, rules = recording.run, tool_rules([recording.episode])
        if run.steps and run.user_messages:
            yield (
                run.id,
                (features.of(run, until=first_change(run, rules), rules=rules), effects(recording.calls, rules)),
            )
