"""What the people of the demo team decided, and what the background jobs did, as steps in time."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from consolidation import consolidation_run, duplicates_run, pattern_run
from consolidation.models import LLMCall, Run, RunStep, SkillOffer
from memories import lifecycle
from memories.intake import claims
from memories.intake.edits import Edit
from memories.intake.reports import claims as claim_reports
from memories.intake.revisions import contest, retract
from memories.models import Adaptation, Memory
from memories.values.choices import Status
from memories.values.trust import Trust
from memos_site import review
from memos_site.demo.agent_steps import ANNA, WEI, Step, agent_of, uses_of
from memos_site.demo.claims import (
    BETTER_SKILL,
    CODE,
    CONTESTED,
    CONTRADICTIONS,
    DISMISSED,
    FLAGGED_SCRIPT,
    FLAGGED_SKILL,
    SHOP,
    TAUGHT,
    TEAM,
    TRAVEL,
    WEAK_SKILL,
)
from memos_site.demo.recorded import conversations
from skills import importing
from skills.models import Skill

TOOK = timedelta(seconds=9)
ANSWER_WITHIN = timedelta(seconds=60)
EDIT = Edit(content="Unused goods can be sent back within 30 days")
PUBLISHED = 19.5  # days ago: the skill that refunds
PROMOTED = (
    (SHOP, "refund-limit", 27),
    (TRAVEL, "basic-fee", 18),
    (CODE, "tests-command", 19),
    (SHOP, "acme-terms", 17),
)
APPLIED = ((SHOP, "greet-by-name", 20), (CODE, "no-print", 5), (TEAM, "language", 8), (TRAVEL, "aisle-seat", 11))


def decisions() -> Iterator[Step]:
    for scope, content, key, days_ago in TAUGHT:
        report = claim_reports.read_teaching({"content": content, "key": key, "scope": scope})
        yield Step(days_ago, partial(claims.teach, report, trust=ANNA))
    for scope, key, days_ago in PROMOTED:
        yield Step(days_ago, partial(_decide, WEI, scope, key, "promote"))
    for scope, key, days_ago in APPLIED:
        yield Step(days_ago, partial(_decide, ANNA, scope, key, "promote", to=Status.APPLIED))
    for scope, key, _content, why, days_ago in DISMISSED:
        yield Step(days_ago, partial(_decide, ANNA, scope, key, "dismiss", why=why))
    for scope, key, _first, _second, days_ago in CONTRADICTIONS[:CONTESTED]:
        yield Step(days_ago - 0.1, partial(_contest, scope, key))
    yield Step(7.5, partial(_decide, WEI, SHOP, "returns-window", "promote", edit=EDIT))
    yield Step(0.4, partial(_snooze, TRAVEL, "rome-office"))
    yield Step(4.5, _take_back)
    yield Step(3.5, _retract)
    yield Step(2.0, _revert)


def _row(scope: str, key: str) -> Memory:
    return Memory.objects.live().get(scope=scope, key=key)


def _decide(by: Trust, scope: str, key: str, verb: str, at: datetime, **options: Any) -> review.DecisionResult:
    return review.decide(by, _row(scope, key).pk, verb, at=at, **options)


def _contest(scope: str, key: str, at: datetime) -> None:
    old, new = _row(scope, key), _row(scope, f"{key}-new")
    contest(old, new, by=agent_of(scope).actor, why="both cannot hold", at=at)


def _snooze(scope: str, key: str, at: datetime) -> None:
    _decide(ANNA, scope, key, "snooze", at, until=at + timedelta(days=3))


def _take_back(at: datetime) -> None:
    """A decision that its person has undone."""
    decision = _decide(WEI, SHOP, "monday-peak", "dismiss", at, why="noise")
    review.undo(WEI, decision.batch, at=at + timedelta(minutes=2))


def _retract(at: datetime) -> None:
    retract(_row(CODE, "python-version"), by=agent_of(CODE).actor, why="lantern moved to 3.13", at=at)


def _revert(at: datetime) -> None:
    adaptation = Adaptation.objects.active().get(memory__key="aisle-seat", scope=TRAVEL)
    review.revert(ANNA, adaptation.pk, keep_memory=True, at=at)


def jobs() -> Iterator[Step]:
    """The background jobs, whose runs are dated to then."""
    for days_ago in (20.5, 8.5, 0.1):
        yield Step(days_ago, partial(_do, consolidation_run.consolidate, wait=True))
        yield Step(days_ago - 0.02, partial(_do, pattern_run.apply_rules, wait=True))
        yield Step(days_ago - 0.04, partial(_do, duplicates_run.find_duplicates))
    yield Step(PUBLISHED, partial(_publish, "refund-payment", SHOP))
    yield from _offers()
    yield Step(18.0, _upload_weak_skill)
    yield Step(
        1.3, partial(_upload, {"SKILL.md": BETTER_SKILL}, changelog="Articles were sent before the old one was back")
    )
    yield Step(0.9, partial(_upload, {"SKILL.md": FLAGGED_SKILL, "scripts/sync.sh": FLAGGED_SCRIPT}))
    yield Step(0.15, partial(lifecycle.settle, until=float("inf")))
    yield Step(5.2, _fail)
    yield Step(1.1, _ask_model)


def _do(job: Callable[..., Run | None], *, at: datetime, **options: Any) -> None:
    """Date the run to the time of the story; its scope tells that it belongs to the demo."""
    if run := job(trigger=Run.Trigger.SCHEDULE, at=at, **options):
        Run.objects.filter(pk=run.pk).update(scope=TEAM, created_at=at, started_at=at, finished_at=at + TOOK)
        RunStep.objects.filter(run=run).update(started_at=at, finished_at=at + TOOK)


def _offers() -> Iterator[Step]:
    """Since it is published agents ask before a refund, and every fourth of these runs does without the skill."""
    refunds = [run for run in conversations() if run.body["id"].startswith("refund-") and run.days_ago < PUBLISHED]
    for number, run in enumerate(refunds):
        facts = {"thread_id": run.body["thread_id"], "agent": run.agent, "withheld": number % 4 == 3}
        yield Step(run.days_ago + 0.01, partial(_offer, facts))


def _offer(facts: dict[str, Any], at: datetime) -> None:
    skill = Skill.objects.get_by_name("refund-payment", scope=SHOP)
    SkillOffer.objects.create(memory_id=skill.pk, version=1, scope=SHOP, at=at, **facts)


def _publish(name: str, scope: str, at: datetime) -> None:
    skill = Skill.objects.get_by_name(name, scope=scope)
    review.decide(ANNA, skill.pk, "promote", at=at)


def _upload_weak_skill(at: datetime) -> None:
    _upload({"SKILL.md": WEAK_SKILL}, at)
    _publish("exchange-parcel", SHOP, at + timedelta(minutes=1))


def _upload(files: dict[str, str], at: datetime, *, changelog: str = "") -> None:
    skill = importing.read({path: text.encode() for path, text in files.items()})
    skill_import = importing.prepare(skill, scope=SHOP, trust=agent_of(SHOP))
    importing.record(skill_import, trust=agent_of(SHOP), at=at, changelog=changelog)


def uses() -> Iterator[Step]:
    """What became of the published skills: most refunds work, most exchanges do not."""
    refund, exchange = (Skill.objects.get_by_name(name, scope=SHOP) for name in ("refund-payment", "exchange-parcel"))
    yield from uses_of(refund, days_ago=18, is_success=lambda number: number % 9 != 4)
    yield from uses_of(exchange, days_ago=15, is_success=lambda number: number % 3 == 0)


def _fail(at: datetime) -> None:
    """A run that stopped half-way: the endpoint of the language model did not answer."""
    run = Run(kind="extract", trigger=Run.Trigger.PAGE, scope=TEAM, created_at=at)
    run.start(at=at)
    for position, name in enumerate(("chunks", "facts", "skills")):
        step = run.begin_step(name, position=position, at=at, scope=TEAM)
        if name == "chunks":
            step.finish(RunStep.Status.SUCCEEDED, at=at + TOOK)
    run.progress(stage="facts", done=1, total=3, counters={"tasks": 4})
    run.fail("the language model did not answer within 60 seconds", at=at + TOOK + ANSWER_WITHIN)
    _calls(run, at, failure_count=1)


def _ask_model(at: datetime) -> None:
    run = Run(kind="extract", trigger=Run.Trigger.SCHEDULE, scope=TEAM, created_at=at)
    run.start(at=at)
    run.begin_step("facts", position=0, at=at, scope=TEAM).finish(RunStep.Status.SUCCEEDED, at=at + TOOK)
    run.finish(Run.Status.SUCCEEDED, counters={"facts_created": 2}, at=at + TOOK)
    _calls(run, at, failure_count=0)


def _calls(run: Run, at: datetime, *, failure_count: int) -> None:
    calls = [(f"facts {number}", 1800 + 120 * number, 210, number < 4 - failure_count) for number in range(4)]
    LLMCall.objects.bulk_create(
        LLMCall(
            purpose="facts",
            model="demo-model",
            tokens_in=tokens_in,
            tokens_out=tokens_out if ok else 0,
            latency_ms=2100 if ok else 60_000,
            ok=ok,
            error="" if ok else "the language model did not answer within 60 seconds",
            run=run,
            at=at + timedelta(seconds=2 * number),
        )
        for number, (_name, tokens_in, tokens_out, ok) in enumerate(calls)
    )
