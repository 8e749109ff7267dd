"""A skill that fails too often is put before a person, once; nothing happens to it by itself."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from memories.intake.evidence import Witness, count
from memories.models import Memory, Proposal
from memories.values.choices import Outcome
from memos_site import review
from skills import publishing
from skills.models import Skill
from tests.deciding import LATER, TRUST
from tests.make import AT, caller, make_run, make_skill
from tests.skills.using import PATH, record, report

pytestmark = pytest.mark.django_db


@pytest.fixture
def skill() -> Skill:
    made = make_skill()
    publishing.update_payload(made.memory, made, at=AT)
    return made


def use(agent: APIClient, *outcomes: str, **told: Any) -> None:
    for outcome in outcomes:
        report(outcome, client=agent, **told)


def failing() -> list[Proposal]:
    return list(Proposal.objects.filter(kind="failing").order_by("pk"))


def test_below_half_over_five_uses_one_proposal_names_the_failing_episodes(skill: Skill, agent: APIClient) -> None:
    use(agent, "success", "success", "partial", "failure")
    lost = make_run(title="lost")
    report("failure", client=agent, episode_id=str(lost.pk))
    assert failing() == []  # two of four
    secret = make_run(title="secret", sensitivity="medium")
    report("failure", client=agent, episode_id=str(secret.pk))
    [proposal] = failing()
    assert (proposal.memory_id, proposal.decision, proposal.made_by) == (skill.pk, None, "Memos")
    assert proposal.why == "it fails too often: 2 of 5 uses ended well"
    assert [one["episode_id"] for one in proposal.evidence] == [str(lost.pk)]  # the other is more secret than the skill
    report("failure", client=agent)
    [again] = failing()
    assert (again.pk, again.why) == (proposal.pk, "it fails too often: 2 of 6 uses ended well")
    assert Memory.objects.get(pk=skill.pk).status == "confirmed"


def test_a_success_may_be_the_fifth_use(skill: Skill, agent: APIClient) -> None:
    use(agent, "failure", "failure", "failure", "failure", "success")
    assert [proposal.why for proposal in failing()] == ["it fails too often: 1 of 5 uses ended well"]


@pytest.mark.parametrize("outcomes", [["failure"] * 4, ["success"] * 3 + ["failure"] * 3, ["partial"] * 9])
def test_few_uses_or_half_of_them_well_or_partial_ones_are_no_reason(
    skill: Skill, agent: APIClient, outcomes: list[str]
) -> None:
    use(agent, *outcomes)
    assert failing() == []


def test_what_is_read_from_runs_flags_too_and_a_skill_that_waits_is_not_flagged() -> None:
    published, waiting = make_skill(), make_skill("waits", published=False)
    for one in (published, waiting):
        count(one.memory, [Witness(make_run().pk, Outcome.FAILURE, AT) for _ in range(5)], at=AT, founding=True)
        assert record(one) == (0, 5, 0)
    assert [proposal.memory_id for proposal in failing()] == [published.pk]


def test_it_waits_in_the_inbox_and_a_rejected_one_is_not_opened_again(skill: Skill, agent: APIClient) -> None:
    use(agent, *["failure"] * 5)
    judge = caller(permissions=["read", "review"])
    [item] = judge.get("/api/v1/inbox?kind=failing").json()["results"]
    assert item["why"] == "it fails too often: 0 of 5 uses ended well"
    review.reject(TRUST, failing()[0].pk, at=LATER, why="a bad week")
    use(agent, "failure")
    assert [proposal.decision for proposal in failing()] == ["rejected"]
    payload = {**skill.memory.payload, "skill": {"version": 2}}
    Memory.objects.filter(pk=skill.pk).update(payload=payload)
    use(agent, "failure")
    assert [proposal.decision for proposal in failing()] == ["rejected", None]  # of another version


def test_accepted_agents_get_it_no_longer_until_it_is_undone(skill: Skill, agent: APIClient) -> None:
    use(agent, *["failure"] * 5)
    batch = review.accept(TRUST, failing()[0].pk, at=LATER)
    assert Memory.objects.get(pk=skill.pk).status == "candidate"
    assert agent.get(f"{PATH}/book-flight").status_code == 404
    review.undo(TRUST, batch, at=LATER)
    assert agent.get(f"{PATH}/book-flight").status_code == 200
    assert failing()[0].decision is None


def test_a_person_who_brings_it_back_is_not_asked_again_and_a_decided_one_stays_as_it_was(
    skill: Skill, agent: APIClient
) -> None:
    use(agent, *["failure"] * 5)
    review.accept(TRUST, failing()[0].pk, at=LATER)
    review.decide(TRUST, skill.pk, "promote", at=LATER)
    use(agent, "failure")
    assert [(one.decision, one.why) for one in failing()] == [
        ("accepted", "it fails too often: 0 of 5 uses ended well")
    ]
