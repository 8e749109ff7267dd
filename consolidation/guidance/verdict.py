"""The verdict on one run, for an agent that is about to end it or asks about a run that it has reported.

Its sentences are in the language of the run.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import UUID

from consolidation.guidance import features
from consolidation.guidance.answer import ExpectedEffects, SimilarRun
from consolidation.guidance.calibration import LEAST_NEARNESS
from consolidation.guidance.experience import gather
from consolidation.guidance.guide import expected_of, similar_of
from consolidation.guidance.latest_runs import calibration_of
from consolidation.guidance.profiling import first_change
from consolidation.guidance.rendering import in_names
from consolidation.guidance.request import VerdictRequest, check_verdict, find_run
from consolidation.guidance.risk import Level, RiskVerdict, ToolCount, judged
from consolidation.learning.effects.effects import effects
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import code
from consolidation.learning.runs.harness_tools import names_of
from consolidation.learning.runs.run import Run
from consolidation.learning.wording import Language, is_chinese
from consolidation.pipelines.tool_rules import tool_rules
from memories.values.trust import Trust

MOST_SENTENCES = 2
_WORDS: dict[str, tuple[str, str]] = {
    "missing": (
        "{cases} of {of} similar cases that ended well called {tool}; this run did not.",
        "{of} 个顺利结束的相似案例中有 {cases} 个调用了 {tool}，本次没有调用。",
    ),
    "unexpected": (
        "{cases} of {of} similar cases that ended well called {tool}; this run did.",
        "{of} 个顺利结束的相似案例中有 {cases} 个调用了 {tool}，本次调用了。",
    ),
    "ill": (
        "Of {of} similar cases that changed the same, {cases} failed.",
        "做了同样更改的 {of} 个相似案例中有 {cases} 个失败。",
    ),
    "well": (
        "Of {of} similar cases that changed the same, {cases} ended well.",
        "做了同样更改的 {of} 个相似案例中有 {cases} 个顺利结束。",
    ),
    "one_ill": (
        "The one similar case that changed the same failed.",
        "做了同样更改的相似案例只有 1 个，结果失败。",
    ),
    "one_well": (
        "The one similar case that changed the same ended well.",
        "做了同样更改的相似案例只有 1 个，顺利结束。",
    ),
    "risk": (
        "About {percent} % of the runs that went like this one failed.",
        "像本次这样的运行中约有 {percent} % 失败。",
    ),
    "few": (
        "Too few finished runs that you may see are like this one to tell how it ends.",
        "你能看到的已结束记录中，与本次相似的太少，无法判断结果。",
    ),
    "no_calls": (
        "This run called no tool: there is nothing to compare.",
        "本次没有调用任何工具，无从比较。",
    ),
    "no_request": (
        "No user spoke in this run: what it was for is not known.",
        "本次运行中没有用户发言，无从得知要做什么。",
    ),
    "removed": (
        "The transcript of this run was removed: there is nothing to compare.",
        "本次运行的记录已被删除，无从比较。",
    ),
    "no_run": (
        "You have reported no run with this name that you may see.",
        "没有找到你报告过且有权查看的这次运行。",
    ),
}


def language_of(run: Run) -> Language:
    return "zh" if is_chinese("\n".join(message.text for message in run.user_messages)) else "en"


def sentence(name: str, language: Language = "en", **values: object) -> str:
    return _WORDS[name][language == "zh"].format(**values)


def sentences(judged_run: RiskVerdict, language: Language) -> list[str]:
    """What speaks for the verdict, the strongest first."""
    if judged_run.level == "unknown":
        return [sentence("few", language)]
    return list(_sentences(judged_run, language))[:MOST_SENTENCES]


def _sentences(judged_run: RiskVerdict, language: Language) -> Iterator[str]:
    if judged_run.level != "low":
        for name, tool_counts in (("missing", judged_run.missing), ("unexpected", judged_run.unexpected)):
            for count in tool_counts[:1]:
                yield sentence(name, language, cases=count.cases, of=count.of, tool=code(count.tool))
    if counts := _alike_in_words(judged_run, language):
        yield counts
    elif judged_run.risk is not None:
        yield sentence("risk", language, percent=round(100 * judged_run.risk))


def _alike_in_words(judged_run: RiskVerdict, language: Language) -> str:
    """How the similar cases that changed the same ended; '' where that is no ground for the level."""
    alike, ill, is_low = judged_run.alike, judged_run.alike_ill, judged_run.level == "low"
    is_ground = 2 * ill < alike if is_low else 2 * ill > alike if judged_run.level == "high" else ill > 0
    if not is_ground:
        return ""
    if alike == 1:
        return sentence("one_well" if is_low else "one_ill", language)
    return sentence("well" if is_low else "ill", language, cases=alike - ill if is_low else ill, of=alike)


@dataclass(frozen=True)
class RunVerdict:
    """`risk`: calibrated share of such runs that failed; None: nothing like it is known. `missing`, `unexpected`: with
    counts of similar cases that ended well."""

    level: Level = "unknown"
    risk: float | None = None
    said: list[str] = field(default_factory=list)
    missing: list[ToolCount] = field(default_factory=list)
    unexpected: list[ToolCount] = field(default_factory=list)
    expected: ExpectedEffects = field(default_factory=ExpectedEffects)
    similar: list[SimilarRun] = field(default_factory=list)
    based_on: dict[str, int] = field(default_factory=lambda: {"cases": 0})


def answer(body: Any, *, trust: Trust) -> dict[str, Any]:
    """The verdict on the run of a request as it came, as JSON in the shape of RunVerdict: from what the caller may see,
    with its own names of tools. Invalid names each wrong field."""
    request = check_verdict(body)
    caller_trust = request.narrows(trust)
    if not request.names_a_run:
        run = request.run
        verdict = _verdict(run, run, tool_rules(), request, caller_trust)
    elif (recording := find_run(request, caller_trust)) is None or not recording.has_transcript:
        return asdict(RunVerdict(said=[sentence("removed" if recording else "no_run")]))
    else:
        run, rules = recording.run, tool_rules([recording.episode])
        verdict = _verdict(run, recording.calls, rules, request, caller_trust, but=recording.episode.pk)
    names = names_of(request.source or trust.actor.name, tuple(call.tool for call in run.steps))
    in_callers_words: dict[str, Any] = in_names(asdict(verdict), names)
    return in_callers_words


def _verdict(
    run: Run, calls: Run, rules: ToolRules, request: VerdictRequest, trust: Trust, but: UUID | None = None
) -> RunVerdict:
    """`calls`: the run with every call; `but`: a known run that does not count."""
    language = language_of(run)
    if not run.steps:
        return RunVerdict(said=[sentence("no_calls", language)])
    if not run.user_messages:
        return RunVerdict(said=[sentence("no_request", language)])
    speech, identifiers = features.of_moment(run, until=first_change(run, rules), rules=rules)
    experience = gather(speech, identifiers, trust, opening=False, but=but) if speech else None
    if experience is None or experience.nearness < LEAST_NEARNESS:
        return RunVerdict(said=[sentence("few", language)])
    calibration = calibration_of(experience.profiles[0].scope, trust)
    risk_verdict = judged(experience, calibration, effects(calls, rules))
    return RunVerdict(
        level=risk_verdict.level,
        risk=None if risk_verdict.risk is None else round(risk_verdict.risk, 4),
        said=sentences(risk_verdict, language),
        missing=list(risk_verdict.missing),
        unexpected=list(risk_verdict.unexpected),
        expected=expected_of(experience.votes[0], experience),
        similar=similar_of(experience, request.limit, trust),
        based_on={"cases": risk_verdict.cases},
    )
