"""The demo team's weeks as steps in time: what its agents posted, believed, asked for and used."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Protocol

from consolidation import guidance
from consolidation.insights import day_counts
from memories.intake import claims, episodes
from memories.intake.reports import claims as claim_reports
from memories.intake.reports import conversation, events
from memories.models import Agent
from memories.search import context
from memories.values.choices import ActorKind, Outcome
from memories.values.trust import Actor, Trust, everything
from memos_site.demo.claims import (
    AGENTS,
    CHINESE,
    CLAIMS,
    CODE,
    CONTRADICTIONS,
    DISMISSED,
    FADING,
    QUESTIONS,
    SHOP,
    TEAM,
    TRAVEL,
    WAREHOUSE,
    Claim,
)
from memos_site.demo.recorded import conversations, timed
from skills import outcomes
from skills.models import Skill

ANNA, WEI = (everything(Actor(ActorKind.PERSON, name, f"demo-{name}")) for name in ("anna", "wei"))
USES_OF_A_SKILL = 18


class Act(Protocol):
    def __call__(self, *, at: datetime) -> object: ...


@dataclass(frozen=True)
class Step:
    days_ago: float
    act: Act

    def run(self, now: datetime) -> None:
        self.act(at=now - timedelta(days=self.days_ago))


def agent_of(scope: str) -> Trust:
    """What the agent that works in a scope may; for the team's own scope, which is everybody's, the first agent."""
    name = next((name for name, scopes in AGENTS.items() if scope in scopes), next(iter(AGENTS)))
    return Agent.objects.get(name=name).trust


def history() -> Iterator[Step]:
    """What agents did, in any order."""
    for run in conversations():
        trust = agent_of(run.body["scope"])
        yield Step(run.days_ago, partial(_converse, run.body, trust))
    for claim in (*CLAIMS, *FADING):
        yield from _tellings(claim)
    for scope, key, first, second, days_ago in CONTRADICTIONS:
        yield from _tellings(Claim(scope, key, "fact", first, (days_ago + 12, days_ago + 6)))
        yield from _tellings(Claim(scope, f"{key}-new", "fact", second, (days_ago,)))
    for scope, key, content, _why, days_ago in DISMISSED:
        yield from _tellings(Claim(scope, key, "fact", content, (days_ago + 3, days_ago - 1)))
    yield from _questions()
    yield from _plugin_runs()


def _converse(body: dict[str, Any], trust: Trust, at: datetime) -> None:
    start = at - timedelta(minutes=6)
    report = {**body, "timestamp": start.isoformat(), "messages": timed(body["messages"], start)}
    episodes.conversation(conversation.parse(report), trust=trust, at=at)


def _tellings(claim: Claim) -> Iterator[Step]:
    trust = agent_of(claim.scope)
    for number, days_ago in enumerate(claim.days_ago):
        body = {"key": claim.key, "category": claim.category, "content": claim.content, "scope": claim.scope}
        thread = {"thread_id": f"{claim.key}-session-{number}", "source": AGENTS_SOURCE[claim.scope]}
        report = claim_reports.read({**body, **thread, **claim.more})
        yield Step(days_ago, partial(claims.store, report, trust=trust))


AGENTS_SOURCE = {
    TEAM: "support",
    SHOP: "support",
    CHINESE: "客服",
    TRAVEL: "travel-desk",
    CODE: "coder",
    WAREHOUSE: "warehouse",
}


def _questions() -> Iterator[Step]:
    """Contexts on every day, more of them lately; guidance on every second."""
    for number in range(56):
        scope, task = QUESTIONS[number % len(QUESTIONS)]
        days_ago = 0.2 + 24 * (1 - number / 55) ** 1.4
        yield Step(days_ago, partial(_ask, scope, task, number))
        if number % 2 == 0:
            yield Step(days_ago - 0.01, partial(_ask_guidance, scope, task, number))


def _ask(scope: str, task: str, number: int, at: datetime) -> None:
    body = {"task": task, "scope": scope, "source": AGENTS_SOURCE[scope], "thread_id": f"demo-ask-{number}"}
    context.assemble(context.check(body), trust=agent_of(scope), at=at)


def _ask_guidance(scope: str, task: str, number: int, at: datetime) -> None:
    """Every third is about to pay by the number of the order, which failed before."""
    body: dict[str, Any] = {"task": task, "scopes": [scope], "thread_id": f"demo-guided-{number}"}
    if number % 6 == 0:
        body["about_to"] = {"tool": "refund_payment", "arguments": {"payment_id": "order-7"}}
    trust = agent_of(scope).narrowed(scopes=[scope])
    day_counts.count_answer(guidance.answer(guidance.check(body), trust=trust, at=at), trust=trust, at=at)


def _plugin_runs() -> Iterator[Step]:
    """A mail plugin that files the mails of one company alike, at eight in the morning."""
    for number in range(12):
        run_context = {
            "company": "Acme Corp" if number % 3 else "Beta GmbH",
            "category": "action-required",
            "run_hour": 8,
        }
        if number % 4 == 1:
            run_context |= {"user_edited": True, "edit_description": "Shortened the greeting"}
        yield Step(30 - 2.2 * number, partial(_report_run, number, run_context))


def _report_run(number: int, run_context: dict[str, Any], at: datetime) -> None:
    event = {"source": "triage", "event_kind": "plugin_run", "ref": f"demo-mail-{number}", "timestamp": at.isoformat()}
    report = events.check(events.EventReport, {**event, "scope": TEAM, "context": run_context})
    episodes.record_events([report], trust=agent_of(TEAM), at=at)


def uses_of(skill: Skill, *, days_ago: float, is_success: Callable[[int], bool]) -> Iterator[Step]:
    """Reports of agents that used a skill since it was published."""
    trust = agent_of(skill.scope)
    for number in range(USES_OF_A_SKILL):
        outcome = Outcome.SUCCESS if is_success(number) else Outcome.PARTIAL if number % 5 == 0 else Outcome.FAILURE
        use = outcomes.Use(outcome, latency_ms=900.0 + 70 * number, key=f"demo-use-{number}")
        yield Step(days_ago * (1 - number / USES_OF_A_SKILL), partial(outcomes.report, skill, use, trust=trust))
