"""What a user says first is compared with what others said first, and has a measure of its own for how sure it is."""

from typing import Any

import pytest

from consolidation import guidance
from consolidation.models.profiles import GuidanceCurve
from memories.models import Memory
from memories.values.trust import everything
from tests.consolidation.experience import NOON, consolidated, run
from tests.make import ANNA, answer, call, user
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
WISH = "Good morning, I have a question about my ticket to Rome"
TALK = "The ticket {n} is for the fourth of May, with two bags, paid by card, and my sister cannot come along any more"


def learn(n: int, tool: str, first: str, later: str) -> Memory:
    told = [user(first), answer_of_agent(), user(later), call(tool, "c1", ticket=n), answer("done", "c1")]
    return run([], messages=told, thread_id=f"case-{n}")


def answer_of_agent() -> dict[str, Any]:
    return {"role": "assistant", "content": "What is it about?"}


def ask(*messages: dict[str, Any]) -> guidance.Guidance:
    question = guidance.check({"messages": list(messages)})
    return guidance.answer(question, trust=everything(ANNA), at=NOON)


@shared_rows
def opened_alike() -> set[Any]:
    """Six cases that open like WISH and then tell much else; three that only come to its words, and say no more."""
    alike = {learn(n, "cancel_ticket", WISH, TALK.format(n=n)).pk for n in range(6)}
    for n in range(6, 9):
        learn(n, "send_invoice", "Hello", "A question about my ticket to Rome")
    consolidated()
    return alike


def test_an_opening_is_compared_with_openings(opened_alike: set[Any]) -> None:
    told = ask(user("Good morning, a question about my ticket to Rome"))
    assert {one.episode_id for one in told.similar[:6]} == opened_alike
    assert told.expected.effects == ["cancel_ticket"]


def test_each_moment_has_its_own_measure_of_how_sure_it_is(opened_alike: set[Any]) -> None:
    opening, later = (user(WISH),), (user(WISH), answer_of_agent(), user(TALK.format(n=7)))
    fitted = GuidanceCurve.objects.get().fitted
    assert fitted["curves"]["opening"] != fitted["curves"]["under_way"]
    sure, unsure = ({"coefficients": [n, 0, 0, 0], "familiar": 0.8, "other": 0.8} for n in (9, -9))
    for curves, decisions in (
        ({"opening": unsure, "under_way": sure, "before_write": unsure}, ("unsure", "act")),
        ({"opening": sure, "under_way": unsure, "before_write": sure}, ("act", "unsure")),
    ):
        GuidanceCurve.objects.update(fitted={"curves": curves, "risk": None})
        assert (ask(*opening).decision, ask(*later).decision) == decisions
    GuidanceCurve.objects.update(fitted={})
    assert ask(*opening).confidence > 0, "what a former version wrote is not read, and not missed"
