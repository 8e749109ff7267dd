"""What is forgotten is gone with every word of it; that it was there, and who ended it, stays."""

from typing import Any
from uuid import uuid4

import pytest

from memories import lifecycle
from memories.intake import episodes, evidence
from memories.intake.claims import Occasion, Statement, WriteResult
from memories.intake.claims.writing import write
from memories.intake.episodes.new_rows import Ingested
from memories.intake.evidence import Witness
from memories.intake.reports import conversation
from memories.lifecycle import words_elsewhere
from memories.models import (
    Adaptation,
    AuditEntry,
    Event,
    Evidence,
    IdempotencyKey,
    Injection,
    Instruction,
    Memory,
    Passage,
    Proposal,
    Relation,
    Tombstone,
    passage,
)
from memories.values import decay
from memories.values.choices import ActorKind, Category, DeletionPolicy, Hold, Outcome, Permission, Status, Type
from memories.values.exceptions import Conflict, NotAllowed, NotFound
from memories.values.trust import Actor, Trust, everything
from skills.models import Skill, SkillVersion
from tests.everywhere import tables_with
from tests.make import ANNA, AT, answer, call, make_memory, make_run, make_skill, run, user

pytestmark = pytest.mark.django_db
WORD = "quokka"
PERSON = everything(ANNA)
AGENT = Trust(Actor(ActorKind.AGENT, "P01", "1"), permissions=frozenset({Permission.INGEST}))


def make_known(content: str = f"Acme likes the {WORD}", **facts: Any) -> Memory:
    """Known for some time: applied, edited, used, quoted, asked about."""
    facts = {"category": "preference", "status": Status.CONFIRMED, **facts}
    memory = make_memory(content, created_by_id=AGENT.actor.identity, **decay.awake(AT), **facts)
    passage.write(passage.of_memories([memory]))
    memory.audit("create", by=AGENT.actor, at=AT, after={"content": content}).save(force_insert=True)
    return memory


def make_famous(**facts: Any) -> Memory:
    memory = make_known(**facts)
    memory.edit({"content": f"{WORD} " * 600}, by=ANNA, at=AT, why=f"the {WORD} said so")
    memory.promote(to=Status.APPLIED, by=ANNA, at=AT, why=f"{WORD}!")
    other = make_memory("Acme likes animals")
    for source, target in ((memory, other), (other, memory)):
        Relation.objects.create(source=source, target=target, predicate="related_to")
    Evidence.objects.create(memory=memory, occasion="request:1", at=AT, kind="created", snapshot=f"a {WORD}")
    change = {"verb": "edit", "content": f"no {WORD}"}
    about: dict[str, Any] = {"by": AGENT.actor, "why": f"{WORD}?", "at": AT, "sensitivity": 1}
    Proposal.objects.propose("revision", memory, change, **about)
    merger = Proposal.objects.propose("merge", other, {"memory": {"content": f"animals, {WORD}"}}, **about)
    Proposal.objects.filter(pk=merger.pk).update(others=[memory.pk])
    told = {"memory": {"id": str(memory.pk), "content": memory.content}}
    IdempotencyKey.objects.create(caller="a", key="k", request_sha256=b"x", answer=told, expires_at=AT)
    items = [{"memory": str(memory.pk), "why": f"says {WORD}", "score": 0.5}]
    Injection.objects.create(agent="a", at=AT, task_sha256=b"x", items=items, status="ok", sensitivity=1)
    return memory


def test_no_word_of_it_is_left_anywhere() -> None:
    memory = make_famous(key="acme-likes")
    assert len(tables_with(WORD)) >= 8
    lifecycle.forget(memory, trust=PERSON, at=AT)
    assert tables_with(WORD) == set()


def test_the_receipt_says_what_went_and_a_dry_run_says_it_before() -> None:
    memory = make_famous()
    before = lifecycle.forget(memory, trust=PERSON, at=AT, dry_run=True)
    assert Memory.objects.filter(pk=memory.pk).exists()
    assert Adaptation.objects.active().count() == 1
    receipt = lifecycle.forget(memory, trust=PERSON, at=AT)
    assert receipt == before == lifecycle.Receipt(memory.pk, adaptations_reverted=1, relations=2, evidence=1)
    assert not Memory.objects.filter(pk=memory.pk).exists()


def test_answers_and_contexts_are_looked_through_once_however_many_proposals_go(
    django_assert_num_queries: Any,
) -> None:
    ids = {uuid4() for _ in range(20)}
    for number, named in enumerate([*ids, uuid4()]):
        facts: dict[str, Any] = {"request_sha256": b"x", "answer": {"proposal": str(named)}, "expires_at": AT}
        IdempotencyKey.objects.create(caller="a", key=str(number), **facts)
    with django_assert_num_queries(1):
        words_elsewhere.drop_answers(ids)
    assert IdempotencyKey.objects.count() == 1
    words_elsewhere.drop_answers(set())
    assert IdempotencyKey.objects.count() == 1


def test_its_history_is_a_skeleton() -> None:
    memory = make_famous()
    lifecycle.forget(memory, trust=PERSON, at=AT)
    trail = list(AuditEntry.objects.about("memory", memory.pk))
    assert [entry.action for entry in trail] == ["create", "revise", "promote", "delete"]
    assert [entry.actor for entry in trail] == ["P01", "anna", "anna", "anna"]
    assert {(entry.label, entry.rationale) for entry in trail} == {("", "")}
    assert trail[1].after == {"content": None}
    assert trail[2].after["status"] == "applied"


def test_the_behaviour_that_it_caused_ends() -> None:
    memory = make_famous()
    lifecycle.forget(memory, trust=PERSON, at=AT)
    adaptation = Adaptation.objects.get()
    assert (adaptation.revert_reason, adaptation.content, adaptation.memory) == ("forgotten", "", None)


def test_that_it_was_given_to_somebody_is_still_known() -> None:
    memory = make_famous()
    lifecycle.forget(memory, trust=PERSON, at=AT)
    assert Injection.objects.get().items == [{"memory": str(memory.pk), "score": 0.5}]


def make_told() -> Memory:
    """A conversation about the word."""
    said = [{"role": "system", "content": f"You keep a {WORD}"}, user(f"Feed the {WORD}")]
    messages = [*said, call("feed", animal=WORD), answer({WORD: "fed"})]
    return make_run(messages=messages, title=f"The {WORD}", outcome="success", chat_history=[f"{WORD}s"])


def test_an_episode_goes_with_its_events_and_with_what_was_quoted_from_it() -> None:
    episode = make_told()
    skill = make_skill(content="Feeds animals")
    witness = Witness(episode.pk, Outcome.SUCCESS, AT, f"Feed the {WORD}")
    evidence.count(skill.memory, [witness], at=AT)
    assert {"memories_event", "memories_evidence", "memories_instruction"} <= tables_with(WORD)
    receipt = lifecycle.forget(episode, trust=PERSON, at=AT)
    assert receipt == lifecycle.Receipt(episode.pk, events=3)
    assert tables_with(WORD) == set()
    quoted = Evidence.objects.get(memory=skill.memory)
    assert (quoted.occasion, quoted.episode, quoted.outcome) == (f"episode:{episode.pk}", None, "success")


def test_a_skill_that_was_learnt_from_a_forgotten_episode_is_put_before_a_person() -> None:
    episode, skill = make_told(), make_skill()
    evidence.count(skill.memory, [Witness(episode.pk, Outcome.SUCCESS, AT)], at=AT)
    lifecycle.forget(episode, trust=PERSON, at=AT)
    proposal = Proposal.objects.get()
    assert (proposal.memory_id, proposal.why) == (skill.pk, words_elsewhere.REREAD)
    assert SkillVersion.objects.get().status == "published"


def test_instructions_that_other_runs_begin_with_stay() -> None:
    first, second = make_told(), make_told()
    lifecycle.forget(first, trust=PERSON, at=AT)
    assert Instruction.objects.count() == 1
    lifecycle.forget(second, trust=PERSON, at=AT)
    assert (Instruction.objects.count(), Event.objects.count()) == (0, 0)


def test_a_forgotten_skill_is_withdrawn_and_not_one_of_its_words_stays() -> None:
    skill = make_skill(name=f"feed-{WORD}", content=f"Feeds a {WORD}")
    Memory.objects.filter(pk=skill.pk).update(payload={"skill": {"name": skill.name}})
    receipt = lifecycle.forget(Memory.objects.get(pk=skill.pk), trust=PERSON, at=AT)
    assert receipt.skills_withdrawn == 1
    assert not Skill.objects.exists()
    assert tables_with(WORD) == set()


def test_what_a_person_forgot_is_not_stored_again() -> None:
    memory = make_known(key="acme-likes")
    lifecycle.forget(memory, trust=PERSON, at=AT)
    stored = store(key="acme-likes")
    assert stored.suppressed
    assert (Memory.objects.count(), Tombstone.objects.get().hits) == (0, 1)


def test_a_conversation_that_a_person_forgot_is_not_imported_again() -> None:
    first, other = (make_run(trust=PERSON, id=id) for id in ("run-1", "run-2"))
    lifecycle.forget(first, trust=PERSON, at=AT)
    lines = [conversation.parse(run(id=id)) for id in ("run-1", "run-2", "run-3")]
    told = [one for one in episodes.conversations(lines, trust=PERSON, at=AT) if isinstance(one, Ingested)]
    assert [one.created for one in told] == [False, False, True]
    assert (told[0].memory, told[1].memory) == (None, other)
    assert Tombstone.objects.get().hits == 1


def test_a_conversation_that_a_person_forgot_leaves_nothing_when_it_comes_again() -> None:
    said = run(id="run-1", messages=[{"role": "system", "content": f"You keep a {WORD}"}, user(f"Feed the {WORD}")])
    lifecycle.forget(make_run(trust=PERSON, **said), trust=PERSON, at=AT)
    again = episodes.conversation(conversation.parse(said), trust=PERSON, at=AT)
    assert (again.memory, again.created, Tombstone.objects.get().hits) == (None, False, 1)
    assert not any(model.objects.exists() for model in (Memory, Event, Instruction, Passage))


def test_what_an_agent_deleted_may_be_stored_again() -> None:
    store(key="acme-likes")
    lifecycle.forget(Memory.objects.get(), trust=AGENT, at=AT)
    assert not Tombstone.objects.get().blocks
    assert store(key="acme-likes").created


def store(key: str) -> WriteResult:
    said = Statement(f"Acme likes the {WORD}", key, "", "P01", confidence=20, category=Category.PREFERENCE)
    occasions = [Occasion.request(at=AT)]
    return write(said, founding=occasions, confirming=occasions, trust=AGENT, at=AT)


@pytest.mark.parametrize(
    "facts",
    [
        {"created_by_id": "agent:2"},
        {"hold": Hold.FLOOR},
        {"status": Status.APPLIED},
        {"status": Status.DISMISSED},
        {"deletion_policy": DeletionPolicy.MANUAL_ONLY},
    ],
)
def test_an_agent_forgets_only_its_own_and_nothing_that_people_decided(facts: dict[str, Any]) -> None:
    memory = make_memory(**{"created_by_id": AGENT.actor.identity} | facts)
    for dry_run in (True, False):
        with pytest.raises(NotAllowed):
            lifecycle.forget(memory, trust=AGENT, at=AT, dry_run=dry_run)
    assert Memory.objects.exists()
    lifecycle.forget(memory, trust=PERSON, at=AT)
    assert not Memory.objects.exists()


def test_an_agent_writes_only_into_its_scopes() -> None:
    scoped = Trust(AGENT.actor, scopes=frozenset({"project:a"}), permissions=AGENT.permissions)
    with pytest.raises(NotAllowed, match="scope"):
        lifecycle.forget(make_memory(created_by_id=AGENT.actor.identity), trust=scoped, at=AT)


@pytest.mark.parametrize("verb", ["forget", "erase"])
def test_what_is_never_deleted_is_deleted_by_nobody(verb: str) -> None:
    memory = make_memory(deletion_policy=DeletionPolicy.NEVER)
    with pytest.raises(Conflict, match="never"):
        taken(verb, memory)
    assert Memory.objects.exists()


def taken(verb: str, memory: Memory) -> Any:
    if verb == "forget":
        return lifecycle.forget(memory, trust=PERSON, at=AT)
    return lifecycle.erase(memory.pk, trust=PERSON, at=AT)


def test_of_two_who_forget_the_slower_one_is_told_that_it_is_gone_as_a_moment_later() -> None:
    memory = make_memory()
    stale = Memory.objects.get()
    lifecycle.forget(memory, trust=PERSON, at=AT)
    with pytest.raises(NotFound, match="forgotten meanwhile"):
        lifecycle.forget(stale, trust=PERSON, at=AT)


@pytest.mark.parametrize("type", [Type.WORKING, Type.PLAN_GRAPH, Type.SEMANTIC])
def test_every_type_can_be_forgotten(type: Type) -> None:
    memory = make_memory(f"the {WORD}", type=type, payload={"said": WORD}, tags=[WORD], company_id=WORD)
    lifecycle.forget(memory, trust=PERSON, at=AT)
    assert tables_with(WORD) == set()


def test_no_suggestion_beyond_what_the_caller_may_see() -> None:
    keys: dict[str, dict[str, Any]] = {
        "acme-terms": {},
        "acme-vip-discount": {},
        "acme-vips": {"sensitivity": 4},
        "acme-vip2": {"scope": "project:b"},
        "zebra": {},
        "acme-vi": {"status": Status.DISMISSED},
    }
    for key, facts in keys.items():
        make_memory(key=key, **facts)
    may = frozenset({Permission.READ})
    trust = Trust(AGENT.actor, max_sensitivity=1, scopes=frozenset({"project:a"}), permissions=may)
    assert lifecycle.suggestions("acme-vip", scope="", trust=trust) == ["acme-vip-discount", "acme-terms"]
    assert lifecycle.suggestions("nothing-like-it", scope="", trust=trust) == []


def test_who_may_not_read_is_suggested_its_own_keys_alone_and_nobody_what_is_withheld() -> None:
    writer = Trust(AGENT.actor, scopes=frozenset({"global"}), permissions=frozenset({Permission.INGEST}))
    make_memory(key="acme-vip-discount", scope="global")
    make_memory(key="acme-vip", scope="global", created_by_id=AGENT.actor.identity)
    assert lifecycle.suggestions("acme-vi", scope="global", trust=writer) == ["acme-vip"]
    Memory.objects.filter(key="acme-vip").update(withheld_from=["project:a"])
    reader = Trust(AGENT.actor, scopes=frozenset({"project:a"}), permissions=frozenset({Permission.READ}))
    assert lifecycle.suggestions("acme-vi", scope="global", trust=reader) == ["acme-vip-discount"]


def test_at_most_three_suggestions() -> None:
    for number in range(9):
        make_memory(key=f"acme-vip-{number}")
    assert len(lifecycle.suggestions("acme-vip", scope="", trust=PERSON)) == 3
    assert lifecycle.suggestions(str(uuid4()), scope="", trust=PERSON) == []
