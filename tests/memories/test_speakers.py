"""Who has said a claim: agents by their tokens, in the words that stand; nothing that a person takes back stays."""

from datetime import timedelta
from importlib import import_module
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.db.models import F

from memories.intake import claims, edits, episodes, revisions
from memories.intake.claims import Occasion, Statement, remember
from memories.intake.reports.claims import read_teaching
from memories.intake.reports.events import EventReport, check
from memories.lifecycle.words_elsewhere import erasing
from memories.models import AuditEntry, Episode, Event, Evidence, FormerState, Memory
from memories.models.as_of import AsOf
from memories.people import trust_of
from memories.transfer.importing import import_file
from memories.transfer.options import Format, Options
from memories.values.choices import ActorKind, Origin, Review, Status, Type
from memories.values.speakers import agents_of, is_unreviewed, review_of
from memories.values.trust import Actor, Trust, everything
from memos_site import review
from tests.make import ANNA, AT, make_agent, make_memory, make_person, make_run
from tests.memories.storing import NET30, NET60, agent, numbers, store

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
MIGRATION = import_module("memories.migrations.0050_speakers")
RULES = Actor(ActorKind.SYSTEM, "Memos", "patterns")


@pytest.fixture
def ada() -> Trust:
    return agent("ada")


@pytest.fixture
def bob() -> Trust:
    return agent("bob")


def row() -> Memory:
    return Memory.objects.get(type=Type.SEMANTIC)


def stands(memory: Memory | None = None) -> tuple[str | None, int | None]:
    memory = Memory.objects.get(pk=memory.pk) if memory else row()
    found = review_of(memory)
    rows: Any = Memory.objects.with_review()
    assert found == rows.values_list("review", flat=True).get(pk=memory.pk)
    return found, agents_of(memory)


def last_batch() -> UUID:
    return AuditEntry.objects.about("memory", row().pk).values_list("batch_id", flat=True).reverse()[0]


def is_own(trust: Trust) -> bool:
    return not is_unreviewed(row(), reader=trust.actor.identity)


def learned(*episode_ids: Any, content: str = NET30, key: str = "acme-terms") -> Memory:
    """A claim that a rule read from these episodes."""
    statement = Statement(content, key, "", "patterns", 20, origin=Origin.DETECTED)
    occasions = [Occasion.episode(pk, at=AT) for pk in episode_ids]
    stored = remember(statement, occasions=occasions, by=RULES, at=AT)
    assert stored.memory is not None
    return stored.memory


def test_a_second_agent_that_says_the_same_is_a_second_speaker_and_the_first_one_again_is_none(
    ada: Trust, bob: Trust
) -> None:
    store(trust=ada)
    store(trust=ada)
    assert (stands(), is_own(ada), is_own(bob)) == ((Review.ONE_AGENT, 1), True, False)
    store(trust=bob)
    assert (stands(), is_own(ada), is_own(bob)) == ((Review.AGENTS, 2), True, True)
    store(trust=agent("cyd"), content="Acme pays on terms of net-30")
    assert stands() == (Review.AGENTS, 3)


def test_the_ladder_counts_as_ever(ada: Trust) -> None:
    for _ in range(4):
        store(trust=ada)
    assert numbers(store(trust=ada)) == (Status.APPLIED, 80, 4)
    assert stands() == (Review.ONE_AGENT, 1)


def test_one_token_is_one_speaker_whatever_sources_it_names(ada: Trust) -> None:
    for source in ("P01", "P02", "User", "bob"):
        store(trust=ada, source=source)
    assert stands() == (Review.ONE_AGENT, 1)


def test_two_tokens_of_one_owner_are_two_and_a_rotated_token_stays_one() -> None:
    owner = make_person()
    first, second = (make_agent(name, owner=owner)[0] for name in ("ci", "desk"))
    store(trust=first.trust)
    first.rotate(by=ANNA, at=AT)
    first.refresh_from_db()
    store(trust=first.trust)
    assert stands() == (Review.ONE_AGENT, 1)
    store(trust=second.trust)
    assert stands() == (Review.AGENTS, 2)


def test_who_says_something_else_under_the_key_has_not_said_what_stood_there(ada: Trust, bob: Trust) -> None:
    store("Maria prefers tea", trust=ada)
    store("Maria prefers coffee", trust=bob)
    assert (row().content, row().times_confirmed) == ("Maria prefers coffee", 1), "a rewording, by the ladder"
    assert (stands(), is_own(ada), is_own(bob)) == ((Review.ONE_AGENT, 1), False, True)


def test_a_changed_claim_begins_anew_with_who_changed_it(ada: Trust, bob: Trust) -> None:
    store(NET30, trust=ada)
    store(NET60, trust=bob)
    assert (stands(), is_own(ada), is_own(bob)) == ((Review.ONE_AGENT, 1), False, True)
    store(NET30, trust=bob)
    assert stands() == (Review.AGENTS, 2), "what the first agent had said stands there again"


def test_words_that_drift_away_step_by_step_lose_the_first_speaker(ada: Trust, bob: Trust) -> None:
    store("Acme wants invoices by mail every month in two copies", trust=ada)
    steps = (
        "Acme wants invoices by mail every month in signed copies",
        "Acme wants invoices by mail every week in signed copies",
        "Acme wants reports by mail every week in signed copies",
    )
    for words in steps:
        store(words, trust=bob)
    assert row().content == steps[-1]
    assert (stands(), is_own(bob)) == ((Review.ONE_AGENT, 1), True)


def test_a_word_that_counts_nothing_still_makes_the_new_words_those_of_who_said_them(ada: Trust, bob: Trust) -> None:
    store("Maria prefers tea", trust=ada, thread_id="t1")
    store("Maria prefers tea", trust=ada, thread_id="t1")
    store("Maria prefers coffee", trust=bob, thread_id="t1")
    assert (row().content, row().times_confirmed, is_own(ada), is_own(bob)) == ("Maria prefers coffee", 1, False, True)


def test_undone_a_rewording_gives_the_words_back_to_who_said_them(ada: Trust, bob: Trust) -> None:
    store("Maria prefers tea", trust=ada)
    store("Maria prefers coffee", trust=bob)
    review.undo(trust_of(make_person()), last_batch(), at=AT + MINUTE)
    assert (row().content, is_own(ada), is_own(bob)) == ("Maria prefers tea", True, False)


def test_a_token_that_takes_a_rewording_back_has_not_said_the_words_that_stand_again(ada: Trust, bob: Trust) -> None:
    store("Maria prefers tea", trust=ada)
    store("Maria prefers coffee", trust=bob)
    judge = make_agent("judge", permissions=["read", "review"])[0].trust
    review.undo(judge, last_batch(), at=AT + MINUTE)
    assert (stands(), is_own(ada)) == ((Review.ONE_AGENT, 1), True)


def test_a_persons_promotion_decides_and_undone_it_decides_nothing(ada: Trust) -> None:
    store(trust=ada)
    batch = row().promote(by=ANNA, at=AT).batch_id
    assert stands() == (Review.PERSON, 1)
    review.undo(trust_of(make_person()), batch, at=AT + MINUTE)
    assert stands() == (Review.ONE_AGENT, 1)


def test_a_lesson_and_its_undo_leave_no_speaker_behind(ada: Trust) -> None:
    store(trust=ada)
    anna = trust_of(make_person())
    claims.teach(read_teaching({"content": NET30, "key": "acme-terms"}), trust=anna, at=AT + MINUTE)
    assert stands() == (Review.PERSON, 1)
    review.undo(anna, last_batch(), at=AT + 2 * MINUTE)
    assert stands() == (Review.ONE_AGENT, 1)


def test_a_token_that_may_review_decides_as_a_person_does_and_does_not_by_storing(ada: Trust) -> None:
    store(trust=ada)
    judge = make_agent("judge", permissions=["read", "ingest", "review"])[0].trust
    store(trust=judge)
    assert stands() == (Review.AGENTS, 2)
    edits.edit(judge, row().pk, edits.parse_edit({"content": "Acme pays net 30"}), at=AT + MINUTE)
    assert stands()[0] == Review.PERSON


def test_a_dismissal_that_is_taken_back_decides_nothing(ada: Trust) -> None:
    store(trust=ada)
    row().dismiss(by=ANNA, why="wrong", at=AT)
    row().restore(by=ANNA, at=AT + MINUTE)
    assert stands() == (Review.ONE_AGENT, 1)


def test_what_a_person_chose_of_two_that_contradict_each_other_is_decided(ada: Trust) -> None:
    kept, other = (make_memory(words, status=Status.CONFIRMED, key=words) for words in (NET30, NET60))
    batch = uuid4()
    revisions.choose(kept.pk, [kept.pk, other.pk], scope="", by=ANNA, why="", at=AT, batch=batch)
    assert stands(kept)[0] == Review.PERSON
    review.undo(trust_of(make_person()), batch, at=AT + MINUTE)
    assert (stands(kept)[0], stands(other)[0]) == (Review.ONE_AGENT, Review.ONE_AGENT)


def test_a_merged_claim_has_the_speakers_of_both_once_its_decision_is_gone(ada: Trust, bob: Trust) -> None:
    store(trust=ada, key="a")
    store(trust=bob, key="b", content="Acme pays on terms of net-30")
    first, second = Memory.objects.order_by("created_at", "pk")
    merged, batch = review.merge(everything(ANNA), first.pk, second.pk, NET30, at=AT)
    assert stands(merged) == (Review.PERSON, 2)
    review.undo(everything(ANNA), batch, at=AT + MINUTE)
    assert (stands(first), stands(second)) == ((Review.ONE_AGENT, 1), (Review.ONE_AGENT, 1))


def test_what_rules_read_is_said_by_the_agents_that_reported_the_runs(ada: Trust, bob: Trust) -> None:
    of_ada = [make_run(trust=ada).pk for _ in range(2)]
    memory = learned(*of_ada)
    assert (stands(memory), is_own(ada), is_own(bob)) == ((Review.ONE_AGENT, 1), True, False)
    learned(make_run(trust=bob).pk)
    assert stands(memory) == (Review.AGENTS, 2)


def test_a_run_into_which_another_token_reported_speaks_for_nobody(ada: Trust, bob: Trust) -> None:
    """A thread is joined by whoever names its source: otherwise one agent could speak in the name of another."""
    for trust in (ada, bob):
        event = {"source": "ada", "event_kind": "note", "ref": trust.actor.name, "thread_id": "t1"}
        episodes.record_events([check(EventReport, event)], trust=trust, at=AT)
    [joined] = Episode.objects.all()
    assert joined.event_count == 2
    memory = learned(joined.pk)
    assert (stands(memory), is_own(ada)) == ((Review.ONE_AGENT, 1), False)
    store(trust=bob)
    assert stands(memory) == (Review.ONE_AGENT, 1), "who is not known is no second speaker"


def test_a_run_that_is_gone_has_spoken(ada: Trust, bob: Trust) -> None:
    runs = [make_run(trust=trust) for trust in (ada, bob)]
    memory = learned(*(run.pk for run in runs))
    for run in runs:
        run.delete()
    assert stands(memory) == (Review.AGENTS, 2)


def test_an_import_is_one_speaker_and_no_decision_of_who_imported(tmp_path: Any, bob: Trust) -> None:
    path = tmp_path / "mem0.json"
    path.write_text('[{"id": "1", "memory": "Acme pays on net-30 terms", "user_id": "u"}]')
    options = Options(format=Format.MEM0, trust=trust_of(make_person()))
    list(import_file(path, options, at=lambda: AT))
    assert (row().origin, stands()) == (Origin.IMPORTED, (Review.ONE_AGENT, 1))
    Memory.objects.update(key="acme-terms")
    store(trust=bob)
    assert stands() == (Review.AGENTS, 2)


def test_what_a_person_stores_the_person_has_said() -> None:
    store(trust=trust_of(make_person()))
    assert stands() == (Review.PERSON, 0)
    store(trust=agent())
    assert stands() == (Review.PERSON, 1)


def test_as_of_then_it_had_been_said_by_one(ada: Trust, bob: Trust) -> None:
    store(trust=ada)
    store(trust=bob, at=AT + MINUTE)
    row().promote(by=ANNA, at=AT + 2 * MINUTE)
    reviews = [review_of(Memory.objects.as_of(AsOf(AT + n * MINUTE, 4)).get(type=Type.SEMANTIC)) for n in range(3)]
    assert reviews == [Review.ONE_AGENT, Review.AGENTS, Review.PERSON]


def test_an_upgrade_finds_the_speakers_of_what_is_there_and_of_how_it_stood(ada: Trust, bob: Trust) -> None:
    for minutes, trust in enumerate((ada, bob, ada)):
        store(trust=trust, at=AT + minutes * MINUTE)
    store("Maria prefers tea", key="tea", trust=ada)
    store("Maria prefers coffee", key="tea", trust=bob, at=AT + MINUTE)
    store("Globex pays late", key="globex", trust=ada)
    joined = make_run(trust=agent("cyd"), id="joined")
    Event.objects.filter(episode=joined.pk).update(made_by="somebody else")
    runs = [make_run(trust=ada, id="a"), make_run(trust=bob, id="b"), joined]
    learned(*(run.pk for run in runs), content="P01 runs at 8", key="eight")
    Evidence.objects.update(created_at=F("at"))
    written, former = _speakers_then_and_now()
    assert sorted(map(len, written.values())) == [0, 0, 0, 0, 1, 2, 2]
    with erasing(), connection.cursor() as cursor:  # the trigger of the former version keeps no speakers
        Memory.objects.update(speakers=[])
        FormerState.objects.update(speakers=[])
        for statement in (MIGRATION.SPOKEN, MIGRATION.PRESENT, MIGRATION.FORMER):
            cursor.execute(statement)
    assert _speakers_then_and_now() == (written, former)


def _speakers_then_and_now() -> tuple[dict[Any, list[str]], dict[Any, list[str]]]:
    now, then = (rows.values_list("pk", "speakers") for rows in (Memory.objects.all(), FormerState.objects.all()))
    return dict(now), dict(then)
