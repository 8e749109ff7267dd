"""An agent's page tells its runs by time; of a failed one a click tells what would have helped, and keeps nothing."""

import re
from datetime import timedelta
from typing import Any

import pytest

from consolidation import consolidation_run
from consolidation.models import GuidanceCurve, Run, RunProfile, SkillOffer
from memories.models import AuditEntry, Episode, Injection, Memory
from memories.values.choices import Outcome, Sensitivity
from tests.make import AT, answer, bearing, call, make_agent, make_run, make_skill, user
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
CLAIM = {"key": "leeds", "category": "fact", "source": "loud-agent", "scope": "shop"}


def said(number: int, payment: str, result: Any) -> list[dict[str, Any]]:
    opening = user(f"The parcel of order-{number} arrived broken, I want my money back.")
    asked = call("refund_payment", "c1", payment_id=f"{payment}-{number}")
    return [opening, asked, answer(result, "c1")]


def runs(agent: Any) -> list[Any]:
    """Six that went well and one that failed, of this agent."""
    well = [
        make_run(messages=said(n, "pay", {"refunded": True}), thread_id=f"t{n}", scope="shop", outcome=Outcome.SUCCESS)
        for n in range(6)
    ]
    failed = make_run(
        messages=said(7, "order", {"error": "payment not found"}), thread_id="t7", scope="shop", outcome=Outcome.FAILURE
    )
    for run in (*well, failed):
        type(run).objects.filter(pk=run.pk).update(created_by_id=agent.trust.actor.identity)
    return [*well, failed]


def page(path: str, **who: Any) -> Any:
    return signed_in(**who).get(path)


def test_the_page_of_an_agent_lists_its_runs_with_what_they_were_given_and_leads_from_the_failed_one() -> None:
    agent = make_agent("refund-agent")[0]
    *_, failed = runs(agent)
    skill = make_skill("refund-payment", scope="shop")
    SkillOffer.objects.create(memory=skill.memory, version=1, scope="shop", thread_id="t7", withheld=False, at=AT)
    Injection.objects.create(
        agent=agent.name, thread_id="t7", at=AT, task_sha256=b"x" * 32, items=[{}, {}], status="ok", sensitivity=0
    )
    shown = page(f"/agents/{agent.pk}/").content.decode()
    assert shown.count("arrived broken") >= 7
    assert shown.count("What would have helped") == 1
    assert f"/episodes/{failed.pk}/helped/" in shown
    assert "2 memories in its prompt" in shown
    assert f"/memories/{skill.pk}/" in shown


def test_what_one_agent_alone_brought_in_is_set_aside_by_one_press_and_taken_back_by_another() -> None:
    agent, token = make_agent("loud-agent", scopes=["shop"])
    bearing(token).post("/api/v1/memories", {**CLAIM, "content": "The Leeds warehouse is closed"}, format="json")
    shared, others = {**CLAIM, "key": "terms", "content": "Acme pays on net-30 terms"}, make_agent(scopes=["shop"])[1]
    for one in (token, others):
        bearing(one).post("/api/v1/memories", shared, format="json")
    *_, failed = runs(agent)
    consolidation_run.consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=AT)
    skill = Memory.objects.get(type="competence", payload__effects=["refund_payment"])
    assert RunProfile.objects.count() == 7 and skill.performance.successes == 6
    client = signed_in()
    assert client.post(f"/agents/{agent.pk}/set-aside/").status_code == 302
    consolidation_run.consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=AT + timedelta(hours=1))
    known = dict(Memory.objects.filter(created_by="loud-agent", type="semantic").values_list("key", "status"))
    assert known == {"leeds": "dismissed", "terms": "candidate"}
    assert RunProfile.objects.count() == 0
    assert Memory.objects.get(pk=skill.pk).performance.successes == 0
    told = client.get("/").content.decode()
    assert "Claims dismissed: 1; runs that count no more: 7." in told
    [batch] = set(re.findall(r"/undo/([0-9a-f-]{36})/", told))
    client.post(f"/undo/{batch}/")
    assert Memory.objects.get(key="leeds").status == "candidate"
    assert type(failed).objects.get(pk=failed.pk).episode.outcome == Outcome.FAILURE


def test_the_page_tells_how_often_a_reported_success_is_denied() -> None:
    agent = make_agent("refund-agent")[0]
    first, second, *_ = runs(agent)
    client = signed_in()
    assert "denied by" not in client.get(f"/agents/{agent.pk}/").content.decode()
    user_says: dict[str, Any] = {"user": {"outcome": "failure", "at": None, "by": "", "details": {}}}
    Episode.objects.filter(pk=first.pk).update(outcome_source="reported", outcome_others=user_says)
    reported: dict[str, Any] = {"reported": {"outcome": "success", "at": None, "by": "", "details": {}}}
    Episode.objects.filter(pk=second.pk).update(outcome="failure", outcome_source="person", outcome_others=reported)
    shown = " ".join(client.get(f"/agents/{agent.pk}/").content.decode().split())
    assert "2 denied by people, its checks or its users" in shown
    assert "Not used in guidance" not in shown
    curve: dict[str, Any] = {"coefficients": [0, 0, 0], "nearness": 0, "answers": 0, "runs": 7, "at": AT}
    fitted = {"left_out": [agent.trust.actor.identity]}
    GuidanceCurve.objects.create(scope="shop", sensitivity=1, fitted=fitted, **curve)
    assert "Not used in guidance in shop" in client.get(f"/agents/{agent.pk}/").content.decode()


def test_only_who_reviews_sets_aside() -> None:
    agent = make_agent("loud-agent")[0]
    assert signed_in(group="viewer").post(f"/agents/{agent.pk}/set-aside/").status_code == 403


def test_contexts_of_one_run_hide_those_of_no_other() -> None:
    agent = make_agent("refund-agent")[0]
    runs(agent)
    facts: dict[str, Any] = {"agent": agent.name, "task_sha256": b"x" * 32, "status": "ok", "sensitivity": 0}
    Injection.objects.create(thread_id="t0", at=AT, items=[{}, {}], **facts)
    later = [Injection(thread_id="t5", at=AT + timedelta(hours=1), items=[{}], **facts) for _ in range(201)]
    Injection.objects.bulk_create(later)
    shown = page(f"/agents/{agent.pk}/").content.decode()
    assert "201 memories in its prompt" in shown
    assert "2 memories in its prompt" in shown


def test_what_would_have_helped_compares_the_run_with_others_and_keeps_nothing() -> None:
    agent = make_agent("refund-agent")[0]
    *_, failed = runs(agent)
    consolidation_run.consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=AT)
    before = (SkillOffer.objects.count(), AuditEntry.objects.count(), Injection.objects.count())
    shown = page(f"/episodes/{failed.pk}/helped/").content.decode()
    assert "refund_payment" in shown
    assert "Runs like it" in shown
    assert f"/episodes/{failed.pk}/" not in shown.split("Runs like it")[1]
    assert (SkillOffer.objects.count(), AuditEntry.objects.count(), Injection.objects.count()) == before


def test_a_run_without_a_word_of_a_user_says_that_there_is_nothing_to_compare() -> None:
    quiet = make_run(messages=[call("deploy", "c1"), answer("done", "c1")])
    assert "No user spoke" in page(f"/episodes/{quiet.pk}/helped/").content.decode()


def test_runs_above_the_readers_clearance_are_not_shown_nor_compared() -> None:
    agent = make_agent("refund-agent")[0]
    secret = make_run(
        messages=said(9, "pay", {"refunded": True}), sensitivity=Sensitivity.HYPER.label, outcome=Outcome.FAILURE
    )
    type(secret).objects.filter(pk=secret.pk).update(created_by_id=agent.trust.actor.identity)
    assert "order-9" not in page(f"/agents/{agent.pk}/").content.decode()
    assert page(f"/episodes/{secret.pk}/helped/", name="ben").status_code == 404


@pytest.mark.parametrize(("agents", "shown"), [(1, "1 agent,"), (2, "2 agents, 5 of 6 from one of them,")])
def test_the_grounds_of_a_skill_count_the_agents_whose_runs_it_was_learned_from(agents: int, shown: str) -> None:
    first = runs(make_agent("loud-agent")[0])[0]
    if agents == 2:
        type(first).objects.filter(pk=first.pk).update(created_by_id=make_agent()[0].trust.actor.identity)
    consolidation_run.consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=AT)
    skill = Memory.objects.get(type="competence", payload__effects=["refund_payment"])
    assert shown in " ".join(page(f"/memories/{skill.pk}/pane/").content.decode().split()).replace(" ,", ",")
