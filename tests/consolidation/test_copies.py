"""One conversation that several agents report is one witness; who does the same again is none the less."""

from typing import Any

import pytest

from consolidation.extraction import queue
from consolidation.models import Pattern, RunProfile
from memories.intake.episodes.closing import judge
from memories.intake.episodes.copies import copies
from memories.models import Episode, Memory
from memories.values.choices import ActorKind, Origin, Outcome
from memories.values.trust import Actor, Trust, everything
from tests.consolidation.experience import consolidated, run
from tests.make import AT, answer, call, make_agent, user
from tests.model_endpoint import ModelEndpoint
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
ANNA = everything(Actor(ActorKind.PERSON, "Anna", "7"))


def reported(n: int, trust: Trust, outcome: str | None = "success", **fields: Any) -> Memory:
    """A refund as this agent tells it; two of the same number are the same to the letter."""
    said = [user(f"Refund order {n}. From now on always refund at once."), call("refund", f"c{n}", order=f"o{n}")]
    fields = {"source": trust.actor.name, "thread_id": f"order {n}", **fields}
    return run([], outcome, messages=[*said, answer("done", f"c{n}")], trust=trust, **fields)


def counted() -> tuple[int, int]:
    """How many refunds ended well, and how many did not."""
    pattern = Pattern.objects.get(signature="refund")
    return pattern.successes, pattern.failures


def agents() -> list[Trust]:
    return [make_agent(name)[0].trust for name in ("first-agent", "second-agent", "third-agent")]


def test_a_conversation_that_three_agents_report_counts_once() -> None:
    first, *others = agents()
    original = reported(1, first)
    copied = [reported(1, trust) for trust in others]
    reported(2, first)
    consolidated()
    assert counted() == (2, 0)
    assert set(RunProfile.objects.values_list("pk", flat=True)).isdisjoint(copy.pk for copy in copied)
    (fact,) = Memory.objects.filter(origin=Origin.EXTRACTED)
    assert fact.evidence.count() == 2
    assert fact.speakers == [first.actor.identity]
    reported(1, others[0], "failure")
    consolidated()
    assert Episode.objects.filter(digested_at=None).count() == 0
    assert counted() == (2, 0)
    assert original.pk not in set(copies(Episode.objects.all()).values_list("pk", flat=True))


@pytest.mark.parametrize(
    ("named", "counts"), [({"thread_id": "other"}, 3), ({"thread_id": None}, 3), ({"id": "r-1"}, 1)]
)
def test_the_same_words_in_other_threads_are_other_conversations_and_under_one_id_one(
    named: dict[str, Any], counts: int
) -> None:
    for n, trust in enumerate(agents()):
        reported(1, trust, **{name: f"{value} {n}" if value == "other" else value for name, value in named.items()})
    consolidated()
    assert counted() == (counts, 0)


def test_an_agent_that_does_the_same_again_counts_again() -> None:
    first = agents()[0]
    for _ in range(3):
        reported(1, first)
    consolidated()
    assert counted() == (3, 0)


def test_a_copy_speaks_where_it_alone_says_how_the_run_ended_and_where_a_person_has_judged_it() -> None:
    first, second, third = agents()
    reported(1, first, None)
    reported(1, second)
    judged = reported(1, third)
    consolidated()
    assert counted() == (1, 0)
    judge(judged.episode, Outcome.FAILURE, trust=ANNA, at=AT)
    consolidated()
    assert counted() == (1, 1)


def test_what_was_learned_of_a_run_before_it_was_a_copy_is_kept_up_to_date() -> None:
    first, second, _ = agents()
    original = reported(1, first, None)
    copy = reported(1, second)
    consolidated()
    judge(original.episode, Outcome.SUCCESS, trust=ANNA, at=AT)
    Episode.objects.filter(pk=copy.pk).update(outcome="failure", digested_at=None)
    consolidated()
    assert counted() == (1, 1)


def test_a_copy_that_may_be_read_by_more_people_counts_for_them() -> None:
    first, second, _ = agents()
    reported(1, first, sensitivity="high")
    copy = reported(1, second)
    assert not copies(Episode.objects.filter(pk=copy.pk)).exists()


def test_a_model_does_not_read_a_conversation_twice(endpoint: ModelEndpoint) -> None:
    first, second, _ = agents()
    original, copy = reported(1, first), reported(1, second)
    assert [queue.refusal(row.episode) for row in (original, copy)] == ["", queue.COPY]


@pytest.mark.parametrize(("threads", "occasions"), [(["t", "t", "t"], 1), (["t", "u", "v"], 3), ([None] * 3, 3)])
def test_a_conversation_that_is_posted_anew_whenever_it_has_grown_says_each_sentence_once(
    threads: list[str | None], occasions: int
) -> None:
    said = [user("Refund order 1. From now on always refund at once."), call("refund", "c1"), answer("done", "c1")]
    for n, thread in enumerate(threads):
        said += [{"role": "assistant", "content": "Done."}, user(f"The next one, please: {n}")]
        run([], None, messages=said, thread_id=thread)
    consolidated()
    assert Memory.objects.get(origin=Origin.EXTRACTED).evidence.count() == occasions


def test_the_pages_of_the_run_and_of_the_agent_say_that_others_reported_it_before() -> None:
    (agent, _), first = make_agent("copying-agent"), agents()[0]
    original, copy = reported(1, first), reported(1, agent.trust)
    client = signed_in()
    note = "Others reported the same conversation"
    shown = {row.pk: client.get(f"/episodes/{row.pk}/").content.decode() for row in (original, copy)}
    assert all(note in text for text in shown.values())
    assert f"/episodes/{original.pk}/" in shown[copy.pk].split(note)[1].split("</p>")[0]
    assert ["It does not count in learning" in shown[row.pk] for row in (original, copy)] == [False, True]
    assert "Runs that others reported before" in client.get(f"/agents/{agent.pk}/").content.decode()
    assert note not in client.get(f"/episodes/{reported(2, first).pk}/").content.decode()
