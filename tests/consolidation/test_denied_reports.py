"""An agent that reports successes which its own users deny: what is denied counts no more, when it is much of them."""

from typing import Any

import pytest

from memories.intake.episodes import agreement
from memories.intake.episodes.closing import judge
from memories.models import Episode, Memory
from memories.values.choices import ActorKind, Outcome, OutcomeSource
from memories.values.trust import Actor, everything
from memos_site.review import judging
from tests.consolidation.experience import competence, consolidated, run
from tests.make import AT, answer, call, make_agent, user

pytestmark = pytest.mark.django_db
ANNA = everything(Actor(ActorKind.PERSON, "Anna", "7"))


def denied(n: int, *, ends: str = "That did not work.", **fields: Any) -> Memory:
    """A run of a refund that ends with these words of its user."""
    said = [user("Refund my order"), call("refund", f"c{n}", order=f"o{n}"), answer("done", f"c{n}")]
    said += [{"role": "assistant", "content": "Refunded."}, user(ends)]
    return run([], "success", minutes=n, messages=said, **fields)


def successes() -> tuple[int, int]:
    record = competence("refund").performance
    return record.successes, record.failures


def test_successes_that_an_agents_own_users_deny_again_and_again_wait_for_a_person() -> None:
    honest, careless = (make_agent(name)[0].trust for name in ("honest-agent", "careless-agent"))
    theirs = [denied(n, trust=honest, ends="Refund the next one, too.") for n in range(8)]
    once = denied(9, trust=honest)
    others = [denied(20 + n, trust=careless, ends="Refund the next one, too.") for n in range(15)]
    wrong = [denied(40 + n, trust=careless) for n in range(4)]
    for _ in range(2):
        consolidated()
    assert successes() == (28, 0)
    assert agreement.denials(OutcomeSource) == {honest.actor.identity: (1, 9), careless.actor.identity: (4, 19)}
    wrong.append(denied(50, trust=careless))
    for _ in range(2):
        consolidated()
    assert successes() == (24, 0)
    counts = {row.pk: row.outcome_counts for row in Episode.objects.all()}
    assert not any(counts[row.pk] for row in wrong)
    assert all(counts[row.pk] for row in [*theirs, once, *others])
    assert {row.pk for row in judging.to_judge(ANNA, most=50)} == {row.pk for row in wrong}
    for row in wrong:
        judge(row.episode, Outcome.SUCCESS, trust=ANNA, at=AT)
    consolidated()
    assert successes() == (29, 0)
