"""Two processes that say the same at the same instant say it once. Each thread here has its own connection."""

import pytest

from memories.intake import episodes
from memories.intake.episodes import Ingested
from memories.intake.reports import conversation
from memories.models import AuditEntry, Episode, Instruction, Memory
from memories.values.exceptions import Conflict
from memories.values.trust import everything
from tests.at_once import at_once
from tests.make import AT, make_run, run, user

pytestmark = pytest.mark.django_db(transaction=True)


def store(**fields: object) -> Ingested | Conflict:
    try:
        return episodes.conversation(conversation.parse(run(**fields)), trust=everything(), at=AT)
    except Conflict as conflict:
        return conflict


def test_the_same_id_at_once_is_one_episode() -> None:
    stored = at_once(*[lambda: store(id="r1", outcome="success")] * 4)
    assert sorted(one.created for one in stored if isinstance(one, Ingested)) == [False, False, False, True]
    assert (Memory.objects.count(), Episode.objects.count(), AuditEntry.objects.count()) == (1, 1, 1)


def test_the_same_id_with_other_messages_at_once_is_one_episode_and_a_conflict() -> None:
    stored = at_once(lambda: store(id="r1"), lambda: store(id="r1", messages=[user("else")]))
    assert sorted(type(one).__name__ for one in stored) == ["Conflict", "Ingested"]
    assert Episode.objects.count() == 1


def test_another_outcome_at_once_is_audited_once() -> None:
    make_run(id="r1", outcome="success")
    stored = at_once(*[lambda: store(id="r1", outcome="failure")] * 3)
    assert sorted(one.changed for one in stored if isinstance(one, Ingested)) == [False, False, True]
    assert AuditEntry.objects.filter(action="outcome").count() == 1


def test_the_same_system_messages_at_once_are_stored_once() -> None:
    system = [{"role": "system", "content": text} for text in ("Be kind", "Be brief")]
    at_once(*[lambda n=n: store(id=f"r{n}", messages=[*system[:: 1 if n % 2 else -1], user("a")]) for n in range(4)])
    assert (Episode.objects.count(), Instruction.objects.count()) == (4, 2)
