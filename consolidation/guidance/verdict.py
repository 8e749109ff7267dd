"""The verdict on one run: what is answered to an agent that is about to end it, or about one that was reported."""

from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import UUID

from consolidation.guidance import curves, features, verdict_request
from consolidation.guidance.answer import Expected, SimilarRun
from consolidation.guidance.calibration import LEAST_NEARNESS
from consolidation.guidance.experience import Experience, gather
from consolidation.guidance.guide import expected_of, similar_of
from consolidation.guidance.judging import Counted, Judged, Level, judged
from consolidation.guidance.profiling import first_change
from consolidation.guidance.request import run_of_request
from consolidation.guidance.verdict_request import VerdictRequest, find
from consolidation.guidance.verdict_words import language_of, sentence, sentences
from consolidation.learning.effects.effects import effects
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs.run import Run
from consolidation.pipelines.recorded import Recording
from consolidation.pipelines.tool_rules import tool_rules
from memories.values.trust import Trust


@dataclass(frozen=True)
class RunVerdict:
    """`risk`: calibrated share of such runs that failed; None: nothing like it is known. `missing`, `unexpected`: with
    counts of similar cases that ended well."""

    level: Level = "unknown"
    risk: float | None = None
    said: list[str] = field(default_factory=list)
    missing: list[Counted] = field(default_factory=list)
    unexpected: list[Counted] = field(default_factory=list)
    expected: Expected = field(default_factory=Expected)
    similar: list[SimilarRun] = field(default_factory=list)
    based_on: dict[str, int] = field(default_factory=lambda: {"cases": 0})

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def answer(body: Any, *, trust: Trust) -> RunVerdict:
    """The verdict on the run of a request as it came, from what the caller may see. Invalid names each wrong field."""
    request = verdict_request.check(body)
    seen = request.narrows(trust)
    if request.messages is not None or request.task:
        run = run_of_request(request)
        return _verdict(run, run, tool_rules(), request, seen)
    run_seen = find(request, seen)
    return _of_recording(run_seen, request, seen) if run_seen else RunVerdict(said=[sentence("no_run")])


def _of_recording(found: Recording, request: VerdictRequest, trust: Trust) -> RunVerdict:
    return _verdict(found.run, found.calls, tool_rules([found.episode]), request, trust, but=found.episode.pk)


def _verdict(
    run: Run, calls: Run, rules: ToolRules, request: VerdictRequest, trust: Trust, but: UUID | None = None
) -> RunVerdict:
    """`calls`: the run with every call; `but`: a known run that does not count."""
    language = language_of(run)
    if not run.steps:
        return RunVerdict(said=[sentence("no_calls", language)])
    if not run.said:
        return RunVerdict(said=[sentence("no_request", language)])
    speech, identifiers = features.of_moment(run, until=first_change(run, rules))
    experience = gather(speech, identifiers, trust, opening=False, but=but) if speech else None
    if experience is None or experience.nearness < LEAST_NEARNESS:
        return RunVerdict(said=[sentence("few", language)])
    calibration = curves.calibration_of(experience.profiles[0].scope, trust)
    risk_judged = judged(experience, calibration, effects(calls, rules))
    return _answer(
        risk_judged, experience, sentences(risk_judged, language), similar_of(experience, request.limit, trust)
    )


def _answer(told: Judged, experience: Experience, said: list[str], similar: list[SimilarRun]) -> RunVerdict:
    return RunVerdict(
        level=told.level,
        risk=None if told.risk is None else round(told.risk, 4),
        said=said,
        missing=list(told.missing),
        unexpected=list(told.unexpected),
        expected=expected_of(experience.votes[0], experience),
        similar=similar,
        based_on={"cases": told.cases},
    )
