"""Where an argument comes from becomes one fact: counted once, followed while nobody decided, contested when it turns,
and never said again once a person has dismissed it."""

import json
from datetime import timedelta
from typing import Any

import pytest

from consolidation.models.arguments import ArgumentFact, ArgumentUse
from consolidation.models.profiles import PendingProfile
from memories.intake import equal_claims
from memories.intake.claims import store
from memories.intake.reports import events
from memories.intake.reports.claims import NoteReport
from memories.models import Episode, Evidence, Memory, Proposal
from memories.values.choices import ActorKind, Category, Origin, Status
from memories.values.trust import Actor, everything
from memos_site.review.explain import explain
from tests.consolidation.experience import NOON, consolidated, run
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
PERSON = Actor(ActorKind.PERSON, "Rita")
WORDS = (
    "`payment_id` of `refund_payment` comes from `get_order` → `payment_id` ({n} of {n} cases that ended well); taken "
    "from the user's words it failed (2 of 2)."
)
_numbers = iter(range(1, 100_000))


def refund(
    *, right: bool, works: bool | None = None, tool: str = "refund_payment", said: str = "broke: {}", **fields: Any
) -> Memory:
    """A run that refunds with the payment of the order, or with the number that the user said."""
    n = next(_numbers)
    works = right if works is None else works
    order = {"order_id": f"order-{n}", "payment_id": f"pay-{n}"}
    payment = order["payment_id" if right else "order_id"]
    done = {"refunded": True} if works else {"error": "payment not found"}
    called = [("get_order", {"order_id": order["order_id"]}, order), (tool, {"payment_id": payment}, done)]
    messages: list[dict[str, Any]] = [{"role": "user", "content": said.format(order["order_id"])}]
    for k, (name, args, result) in enumerate(called):
        call = {"name": name, "arguments": json.dumps(args)}
        messages.append({"role": "assistant", "tool_calls": [{"id": f"c{k}", "type": "function", "function": call}]})
        messages.append({"role": "tool", "tool_call_id": f"c{k}", "content": json.dumps(result)})
    return run([], "success" if works else "failure", messages=messages, minutes=n, **fields)


def digested() -> None:
    consolidated(at=NOON + timedelta(days=300))


def eight_runs(**fields: Any) -> None:
    for n in range(8):
        refund(right=n % 4 != 3, **fields)
    digested()


@shared_rows
def counted() -> None:
    """Eight runs that are counted: six refunds were right."""
    eight_runs()


def facts(**where: Any) -> list[Memory]:
    return list(Memory.objects.filter(type="semantic", origin=Origin.CONSOLIDATED, **where).order_by("scope", "key"))


def test_the_source_that_is_right_and_the_one_that_failed_are_one_candidate_with_a_row_of_evidence_for_each_run(
    counted: None,
) -> None:
    (fact,) = facts()
    assert fact.content == WORDS.format(n=6)
    assert (fact.status, fact.category, fact.confidence) == (Status.CANDIDATE, Category.FACT, 40)
    assert fact.evidence.filter(episode__isnull=False, kind=Evidence.Kind.CONTRADICTS).count() == 0
    assert fact.evidence.filter(episode__isnull=False).count() == 8


def test_each_run_speaks_at_the_call_that_shows_it(counted: None) -> None:
    (fact,) = facts()
    refund(right=True)
    digested()
    called = {row.event.tool for row in fact.evidence.select_related("event") if row.event}
    assert called == {"refund_payment"}
    assert fact.evidence.filter(event__isnull=False).count() == fact.evidence.filter(episode__isnull=False).count() == 9


def test_the_next_run_adds_one_row_once_and_the_number_never_climbs(counted: None) -> None:
    refund(right=True)
    digested()
    PendingProfile.objects.put(Episode.objects.all())
    Episode.objects.update(digested_at=None)
    digested()
    (fact,) = facts()
    assert fact.content == WORDS.format(n=7)
    assert (fact.evidence.count(), fact.confidence, fact.status) == (9, 40, Status.CANDIDATE)
    assert ArgumentUse.objects.filter(fact__memory=fact).count() == 9


def test_agents_that_say_a_counted_fact_again_do_not_confirm_it(counted: None) -> None:
    digested()
    (fact,) = facts()
    report = events.check(
        NoteReport,
        {"key": fact.key, "scope": fact.scope, "category": "fact", "content": fact.content, "source": "P01"},
    )
    for hour in range(4):
        store(report, trust=everything(Actor(ActorKind.AGENT, "P01")), at=NOON + timedelta(days=1, hours=hour))
    (fact,) = facts()
    assert (fact.confidence, fact.status) == (100, Status.CANDIDATE)
    assert explain(fact, everything()).remaining == ""


def test_an_outcome_that_is_corrected_moves_the_counts(counted: None) -> None:
    last = refund(right=True)
    digested()
    Episode.objects.filter(pk=last.pk).update(outcome="failure", digested_at=None)
    digested()
    assert facts()[0].content == WORDS.format(n=6)


def test_when_it_turns_one_conflict_is_proposed_and_the_words_stay(counted: None) -> None:
    for _ in range(2):
        refund(right=False, works=True)
    digested()
    (fact,) = facts()
    assert fact.content == WORDS.format(n=6)
    proposal = Proposal.objects.open().get(memory=fact)
    assert proposal.kind == Proposal.Kind.CONFLICT
    assert proposal.change["content"] == (
        "`payment_id` of `refund_payment` does not come from `get_order` → `payment_id` any more (2 of the last 2 "
        "cases that ended well; it did in 6 of 6 before); taken from the user's words ends well now (2 of the last 2 "
        "cases; it failed in 2 of 2 before)."
    )
    assert fact.evidence.filter(kind=Evidence.Kind.CONTRADICTS).count() == 2


def test_errors_from_the_right_source_are_asked_about_too(counted: None) -> None:
    for _ in range(2):
        refund(right=True, works=False)
    digested()
    told = (
        "taken from `get_order` → `payment_id` returns errors now (2 of the last 2 cases; it worked in 6 of 6 before)"
    )
    assert Proposal.objects.get().change["content"] == f"`payment_id` of `refund_payment` {told}."


def test_when_it_turns_back_the_open_question_is_withdrawn(counted: None) -> None:
    for works in (False, False, True):
        refund(right=True, works=works)
        digested()
    assert Proposal.objects.get().decision == Proposal.Decision.WITHDRAWN
    assert facts()[0].content == WORDS.format(n=7)


@pytest.mark.parametrize("status", [Status.CONFIRMED, Status.DISMISSED])
def test_what_a_person_decided_keeps_its_words(status: Status, counted: None) -> None:
    (fact,) = facts()
    fact.revise("promote", {"status": status}, by=PERSON, why="seen", at=NOON)
    refund(right=True)
    digested()
    assert [(one.pk, one.content, one.status) for one in facts()] == [(fact.pk, fact.content, status)]


def test_a_dismissed_one_does_not_come_back_when_it_is_gone_or_at_another_level(counted: None) -> None:
    facts()[0].revise("dismiss", {"status": Status.DISMISSED}, by=PERSON, why="no", at=NOON)
    ArgumentFact.objects.update(memory=None)
    Memory.objects.filter(pk=facts()[0].pk).delete()
    eight_runs()
    eight_runs(sensitivity="high")
    assert facts() == []


def test_a_person_who_dismisses_one_tool_dismisses_no_other(counted: None) -> None:
    eight_runs(tool="void_payment")
    one, other = facts()
    equal_claims.dismiss(one, trust=everything(PERSON), why="wrong here", at=NOON, batch=other.pk)
    eight_runs(tool="block_payment")
    assert [fact.status for fact in facts()].count(Status.CANDIDATE) == 2


def test_levels_and_scopes_are_counted_apart(counted: None) -> None:
    eight_runs(sensitivity="high")
    eight_runs(scope="project:other")
    told = [(fact.scope, fact.sensitivity, fact.evidence.count()) for fact in facts()]
    assert sorted(told) == [("project:acme", 1, 8), ("project:acme", 3, 8), ("project:other", 1, 8)]
    assert len({fact.content for fact in facts()}) == 1


def test_without_contrast_nothing_is_said() -> None:
    for _ in range(8):
        refund(right=True)
    digested()
    assert facts() == []
    assert ArgumentUse.objects.count() == 8


def test_in_a_chinese_scope_it_is_said_in_chinese_and_stays_so() -> None:
    eight_runs(said="订单 {} 的商品坏了，我想申请退款。")
    refund(right=True)
    digested()
    assert facts()[0].content == (
        "`refund_payment` 的 `payment_id` 取自 `get_order` → `payment_id`（7 个成功案例中 7 个）；取自用户的话则失败"
        "（2 个案例中 2 个）。"
    )


def test_a_fault_in_the_middle_leaves_nothing_half_written(monkeypatch: pytest.MonkeyPatch) -> None:
    from consolidation import consolidation_run
    from consolidation.models import Run
    from consolidation.pipelines import facts as pipeline

    for n in range(8):
        refund(right=n % 4 != 3)
    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "_testify", lambda *_: 1 / 0)
        done = consolidation_run.consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=NOON + timedelta(days=300))
    assert done is not None
    assert (done.status, facts()) == (Run.Status.FAILED, [])
    digested()
    assert [fact.evidence.count() for fact in facts()] == [8]
