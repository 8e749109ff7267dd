"""Lessons in contexts: at most two, each withheld by lot, and what its offers tell is put before people."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from consolidation.guidance import holdback, offer_benefit
from consolidation.models import Lesson, SkillOffer
from memories.models import AuditEntry, Memory, Proposal
from memories.values.choices import Outcome, Sensitivity, Status
from memories.values.trust import everything
from tests.consolidation.contrasted import LATER
from tests.consolidation.experience import NOON, consolidated
from tests.consolidation.lessons import SENTENCE, context
from tests.consolidation.test_guidance import SCOPE, learn
from tests.make import ANNA
from tests.memories.searched import known
from tests.pages import signed_in

pytestmark = pytest.mark.django_db


def make_lesson(content: str = SENTENCE, **facts: Any) -> Memory:
    """One that a person has confirmed."""
    place = {"scope": SCOPE, "origin": "extracted", "source": "lessons", "category": "pattern"}
    memory = known(content, **{**place, "status": Status.CONFIRMED, "confidence": 60, **facts})
    Lesson.objects.create(memory=memory, words=content, cases=1, concerned=5, gained=2, lost=0)
    return memory


def test_a_context_holds_two_lessons_at_most(agent: APIClient) -> None:
    for action in ("call `cancel_ticket`", "call `send_refund`", "call `change_ticket`"):
        make_lesson(f"When a ticket to Rome is cancelled for changed plans, do not {action}")
    known("Tickets to Rome are cancelled by the airline desk", scope=SCOPE, status=Status.CONFIRMED)
    block = context(agent)
    assert block.count("[pattern") == 2 and "airline desk" in block


@override_settings(SKILL_HOLDBACK=0.5)
def test_each_run_is_drawn_to_get_a_lesson_or_to_do_without_and_the_outcome_counts(agent: APIClient) -> None:
    memory = make_lesson()
    shown = {n: SENTENCE in context(agent, thread_id=f"case-{n}") for n in range(30, 46)}
    assert 2 < sum(shown.values()) < 14
    assert {n: SENTENCE in context(agent, thread_id=f"case-{n}") for n in shown} == shown
    assert SENTENCE in context(agent), "a run without a name gets it"
    offers = dict(SkillOffer.objects.values_list("thread_id", "withheld"))
    assert offers == {f"case-{n}": not one for n, one in shown.items()}
    for n, given in shown.items():
        found: Any = agent.post("/api/v1/search", {"query": SENTENCE, "for_run": f"case-{n}"}, format="json")
        assert (str(memory.pk) in found.content.decode()) == given
    helped, harmed = [n for n, given in shown.items() if given][:2]
    SkillOffer.objects.update(at=NOON)
    learn(helped)
    learn(harmed, outcome="failure")
    consolidated(at=LATER)
    counts: Any = Lesson.objects.with_counters().get()
    assert (counts.helped, counts.harmed, counts.not_shown) == (1, 1, len(shown) - sum(shown.values()))


@override_settings(SKILL_HOLDBACK=0.5)
def test_what_a_person_corrected_is_never_withheld(agent: APIClient) -> None:
    memory = make_lesson()
    memory.edit({"content": f"{SENTENCE} before a yes"}, by=ANNA, at=LATER)
    assert all("before a yes" in context(agent, thread_id=f"case-{n}") for n in range(8))
    assert not SkillOffer.objects.exists()
    assert holdback.without_lessons("case-3", everything(ANNA)) == frozenset()


def test_a_lesson_that_does_harm_is_put_before_people_who_retire_it(agent: APIClient) -> None:
    memory = make_lesson()
    facts = {"memory": memory, "version": 1, "scope": SCOPE, "agent": "a", "share": 0.5}
    SkillOffer.objects.bulk_create(
        SkillOffer(
            thread_id=f"{withheld}-{n}",
            withheld=withheld,
            outcome=Outcome.SUCCESS if withheld else Outcome.FAILURE,
            at=LATER + timedelta(minutes=n),
            **facts,
        )
        for withheld in (True, False)
        for n in range(200)
    )
    assert offer_benefit.measure(SCOPE, at=LATER) == 1
    proposal = Proposal.objects.get(memory=memory)
    assert proposal.kind == Proposal.Kind.FAILING and "this lesson" in proposal.why
    client = signed_in()
    client.post(f"/proposals/{proposal.pk}/decide/", {"decision": "accept"})
    memory.refresh_from_db()
    assert memory.status not in ("confirmed", "applied")
    assert AuditEntry.objects.filter(subject_id=memory.pk, action="demote").exists()
    assert SENTENCE not in context(agent)


def test_the_page_shows_no_lesson_above_the_readers_clearance() -> None:
    make_lesson(sensitivity=Sensitivity.HYPER)
    assert "cancel_ticket" not in signed_in("vera", group="viewer").get(f"/lessons/?scope={SCOPE}").content.decode()


def test_the_page_costs_as_many_queries_with_many_lessons_as_with_few() -> None:
    client, path = signed_in(), f"/lessons/?scope={SCOPE}"

    def queries(number: int) -> int:
        for n in range(number):
            lesson = make_lesson(f"When the fare is {number} {n}, do not call `cancel_ticket`")
            offer = {"memory": lesson, "version": 1, "scope": SCOPE, "agent": "a", "withheld": True, "at": LATER}
            SkillOffer.objects.create(thread_id="t", **offer)
        with CaptureQueriesContext(connection) as captured:
            assert client.get(path).content.decode().count("not shown <b>1</b>") >= number
        return len(captured)

    client.get(path)
    assert queries(2) == queries(5)
