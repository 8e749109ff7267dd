"""Several memories become one, which has all that spoke for any of them; or none of them is touched."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from memories.intake import revisions
from memories.intake.reports.revisions import NewMemory
from memories.intake.revisions.revising import Change
from memories.models import Evidence, Memory, Performance
from memories.values.choices import Sensitivity, Type
from memories.values.exceptions import Conflict, Invalid, NotAllowed, NotFound
from memories.values.trust import Trust
from tests.make import AT, make_memory
from tests.memories.revising import OTHER, agent, ask, made, own, person, relations

pytestmark = pytest.mark.django_db


def witness(memory: Memory, *occasions: str, outcome: str | None = None) -> None:
    for occasion in occasions:
        Evidence.objects.create(memory=memory, occasion=occasion, kind="supports", outcome=outcome, at=AT)


def merge(*memories: Memory, trust: Trust | None = None, **said: Any) -> Memory:
    return made(ask("merge", *memories, trust=trust, **{"content": "Acme pays on net-30 terms"} | said))


def test_the_merged_memory_has_what_spoke_for_all_of_them() -> None:
    first = own("a", key="a", tags=["x", "y"], confidence=40, times_used=2, times_confirmed=1, sensitivity=1)
    second = own("b", key="b", tags=["y", "z"], confidence=70, times_used=3, times_confirmed=2, sensitivity=2)
    third = own("c", confidence=20, provenance={"sources": [{"kind": "event", "ref": "e1"}]})
    witness(first, "thread:1", "thread:2")
    witness(second, "thread:2", "thread:3")
    new = merge(first, second, third, tags=["w"])
    assert (new.confidence, new.sensitivity, new.times_used, new.times_confirmed) == (70, 2, 5, 3)
    assert (new.tags, new.key, new.status) == (["w", "x", "y", "z"], "a", "confirmed")
    assert set(Evidence.objects.filter(memory=new).values_list("occasion", flat=True)) == {
        "thread:1",
        "thread:2",
        "thread:3",
    }
    assert [entry["kind"] for entry in new.provenance["sources"]] == ["event", "merge", "merge", "merge"]
    for source in (first, second, third):
        source.refresh_from_db()
        assert (source.status, source.payload["revision"]["merged_into"]) == ("superseded", str(new.pk))
        assert (source.pk, "merged_into", new.pk) in relations()
    assert Evidence.objects.filter(memory=first).count() == 2


def test_the_track_records_add_up_and_an_episode_that_spoke_for_two_counts_once() -> None:
    skills = [own(name, type=Type.COMPETENCE, payload={"skill_name": name}) for name in ("a", "b")]
    for skill, successes in zip(skills, (2, 3), strict=True):
        counts = {"successes": successes, "failures": 1, "latency_total_ms": 100.0, "latency_count": 1}
        Performance.objects.create(memory=skill, **counts)
    witness(skills[0], "episode:1", "episode:2", outcome="success")
    witness(skills[1], "episode:2", "episode:3", "episode:4", outcome="success")
    new = merge(*skills, payload={})
    performance = Performance.objects.get(memory=new)
    assert (performance.successes, performance.failures, performance.avg_latency_ms) == (4, 2, 100.0)
    assert (new.status, Evidence.objects.filter(memory=new).count()) == ("candidate", 4)


def test_merging_does_not_lower_a_sensitivity_whoever_asks() -> None:
    sources = [own("a", sensitivity=2), own("b", sensitivity=1)]
    assert merge(*sources, sensitivity="public", trust=person()).sensitivity == Sensitivity.MEDIUM


def test_merging_does_not_make_a_rule_of_what_was_confirmed_here_and_there() -> None:
    sources = [own(name, confidence=90, status="confirmed", times_confirmed=2, category="pattern") for name in "ab"]
    new = merge(*sources)
    assert (new.status, new.times_confirmed) == ("confirmed", 4)


def untouched(*memories: Memory) -> None:
    for memory in memories:
        assert Memory.objects.get(pk=memory.pk).version == memory.version
    assert Memory.objects.count() == len(memories)
    assert not relations()


def test_with_one_that_is_not_there_nothing_changes() -> None:
    sources = [own("a"), own("b")]
    change = Change("merge", "same", NewMemory(content="c"))
    ids: list[UUID] = [*(source.pk for source in sources), uuid4()]
    with pytest.raises(NotFound):
        revisions.ask(change, ids, trust=agent(), at=AT)
    untouched(*sources)


@pytest.mark.parametrize(
    ("facts", "refusal"),
    [
        ({"status": "retracted"}, Conflict),
        ({"type": Type.COMPETENCE}, Conflict),
        ({"scope": "project:beta"}, NotAllowed),
        ({"sensitivity": 4}, NotFound),
    ],
)
def test_what_does_not_go_together_is_left_as_it_is(facts: dict[str, Any], refusal: type[Exception]) -> None:
    sources = [own("a"), own("b"), own("c", **facts)]
    with pytest.raises(refusal):
        merge(*sources)
    untouched(*sources)


def test_a_memory_is_not_merged_with_itself() -> None:
    memory = own()
    with pytest.raises(Invalid) as refused:
        merge(memory, memory)
    assert refused.value.errors[0].pointer == "/ids"


def test_of_what_is_not_all_ones_own_a_merge_is_proposed_and_accepted() -> None:
    mine, foreign = own("a"), make_memory("b", created_by=OTHER.name, created_by_id=OTHER.identity)
    revised = ask("merge", mine, foreign, content="ab")
    proposal = mine.proposals.get()
    assert (revised.proposal, proposal.kind, proposal.others) == (proposal.pk, "merge", [foreign.pk])
    untouched(mine, foreign)
    new = revisions.carry_out(mine, proposal.change, by=person().actor, at=AT, batch=uuid4(), why="yes")
    assert (new.status, {row[0] for row in relations()}) == ("confirmed", {mine.pk, foreign.pk})
