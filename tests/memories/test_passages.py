"""What is stored is found at once: its passages, their words, their vectors, and who may see them."""

from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from django.contrib.postgres.search import SearchQuery
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from memories import embedding
from memories.intake import episodes
from memories.intake.reports.events import EventReport, ObservationReport, ToolOutputReport, WorkingStateReport, check
from memories.intake.triples import observation
from memories.models import Event, Memory, Passage, Vector
from memories.models.passage import of_memories, write
from memories.values import passage_texts, search_words
from memories.values.choices import Sensitivity, Type
from memories.values.trust import everything
from tests.at_once import at_once
from tests.make import ANNA, AT, answer, call, make_memory, make_run, user
from tests.memories.searched import indexed

pytestmark = pytest.mark.django_db
MAY = datetime(2023, 5, 8, 22, tzinfo=UTC)


def found(query: str) -> list[str]:
    rows = Passage.objects.filter(search=SearchQuery(query, config="english", search_type="plain"))
    return list(rows.order_by("pk").values_list("text", flat=True))


def happened(**facts: Any) -> Memory:
    raw = {"source": "ci", "thread_id": "t", **facts}
    report = check(ToolOutputReport, raw) if "tool_name" in facts else check(EventReport, raw)
    stored = episodes.record_events([report], trust=everything(), at=AT)[0]
    assert isinstance(stored, episodes.Ingested) and stored.memory
    return stored.memory


def test_a_conversation_has_a_passage_for_each_event_that_says_something() -> None:
    said = [
        {"role": "system", "content": "Be kind"},
        user("Book a flight"),
        call("search", to="Rome"),
        answer("3 found"),
    ]
    memory = make_run(messages=said, title="The trip to Rome")
    rows = list(memory.passages.order_by("position").values_list("position", "text", "actor"))
    assert rows == [
        (0, "The trip to Rome", memory.source),
        (2, "Book a flight", "user"),
        (3, "search to: Rome\n3 found", "assistant"),
    ]
    assert set(memory.passages.values_list("event__position", flat=True)) == {None, 2, 3}
    assert Vector.objects.filter(passage__memory=memory, model=embedding.built_in().name).count() == 3


def test_each_passage_has_the_vector_of_its_own_words_and_one_without_meaning_has_none() -> None:
    memory = make_run(messages=[user("Book a flight"), user("The parcel is late")], title="\u2603")
    model = embedding.built_in()
    kept = {row.passage.position: row.embedding for row in Vector.objects.filter(passage__memory=memory)}
    said = [passage_texts.with_speaker("user", words) for words in ("Book a flight", "The parcel is late")]
    expected = [vector.astype("float16").tolist() for vector in model.embed(said) if vector is not None]
    assert [np.array(kept[position], dtype="float16").tolist() for position in sorted(kept)] == expected
    assert sorted(kept) == [1, 2]


def test_the_words_of_an_event_carry_who_said_it_and_on_what_day() -> None:
    said = {"role": "user", "name": "Caroline", "content": "I went there", "timestamp": MAY.isoformat()}
    make_run(messages=[said])
    assert found("Caroline went 8 May 2023") == ["I went there"]
    indexed("Nothing", source="Caroline", created_at=MAY)
    assert found("Caroline 2023") == ["I went there"]


def test_events_tool_outputs_observations_and_working_states_are_found() -> None:
    happened(event_kind="build", ref="r1", summary="The pipeline is green")
    happened(tool_name="get_order", args={"order_id": "order-17"}, result={"state": "delivered", "paid": True})
    happened(event_kind="deploy_failed", ref="build-42", thread_id="u")
    shape: dict[str, Any] = {"source": "me", "subject": "build", "predicate": "needs", "object": "PostgreSQL"}
    observation(check(ObservationReport, shape), trust=everything(), at=AT)
    assert found("pipeline") == ["The pipeline is green"]
    assert found("order-17") == found("delivered") == ["get_order order_id: order-17\nstate: delivered paid: true"]
    assert found("deploy") == ["deploy_failed build-42"]
    assert found("PostgreSQL") == ["build needs PostgreSQL"]


def test_a_working_state_is_found_by_its_latest_words() -> None:
    for summary in ("Looking for hotels", "Looking for hotels", "Paying the invoice"):
        raw = {"source": "a", "thread_id": "t", "state": "planning", "context_summary": summary}
        episodes.working_state(check(WorkingStateReport, raw), trust=everything(), at=AT)
    assert (found("hotels"), found("invoice")) == ([], ["Paying the invoice"])


def test_changed_words_are_found_and_the_former_ones_are_not() -> None:
    memory = indexed("Acme pays on net-30 terms")
    memory.edit({"content": "Acme prepays"}, by=ANNA, at=AT)
    assert (found("terms"), found("prepays")) == ([], ["Acme prepays"])
    assert Vector.objects.count() == 1


def test_an_episode_keeps_its_passages_whatever_becomes_of_its_summary() -> None:
    memory = make_run()
    Passage.objects.rewrite(memory)
    assert memory.passages.exists()


def test_a_long_text_is_found_to_its_last_word() -> None:
    words = [f"word{number}" for number in range(9_000)]
    memory = make_run(messages=[user(" ".join(words))])
    assert all(len(passage.text) <= passage_texts.LONGEST for passage in memory.passages.all())
    assert " ".join(memory.passages.order_by("part").values_list("text", flat=True)).split() == words
    assert len(found("word8999")) == 1


def test_only_the_beginning_of_what_a_tool_gave_is_searched() -> None:
    happened(tool_name="read", result={"text": "start " + "x " * 5_000 + "end"})
    assert len(found("start")) == 1 and found("end") == []


def test_chinese_is_found_by_its_pairs() -> None:
    indexed("客户喜欢绿茶 and coffee")
    assert found(search_words.searchable("绿茶") or "") == found("coffee") == ["客户喜欢绿茶 and coffee"]
    assert found(search_words.searchable("红茶") or "") == []


@pytest.mark.parametrize("character", "客茶绿")
def test_chinese_is_found_by_a_single_character_wherever_it_stands(character: str) -> None:
    indexed("客户喜欢绿茶 and coffee")
    assert found(search_words.searchable(character) or "") == ["客户喜欢绿茶 and coffee"]
    assert found(search_words.searchable("红") or "") == []


def test_what_was_stored_before_is_found_by_single_characters_after_the_migration() -> None:
    said = "客户喜欢𠀋绿茶 and coffee"
    Passage.objects.filter(memory=indexed(said)).update(searchable=search_words.searchable(said))
    assert found("茶") == []
    migration = import_module("memories.migrations.0012_single_characters")
    with connection.cursor() as cursor:
        cursor.execute(migration.ADD, [migration.ONE])
    assert found("茶") == found("𠀋") == [said]
    assert set((Passage.objects.get().searchable or "").split()) == set((search_words.indexed(said) or "").split())


@pytest.mark.parametrize("content", ["...", "x" * 30_000, "a" * 1_999 + "b" * 9, "\n \n".join("ab" * 900)])
def test_whatever_can_be_stored_can_be_indexed(content: str) -> None:
    parts = indexed(content).passages.order_by("position").values_list("text", flat=True)
    assert "".join("".join(parts).split()) == "".join(content.split())


def test_many_are_written_by_the_statements_of_one() -> None:
    memories = [make_memory(f"Fact {number}") for number in range(50)]
    with CaptureQueriesContext(connection) as queries:
        write(of_memories(memories))
    assert len(queries) == 1
    assert Passage.objects.count() == Vector.objects.count() == 50


def test_what_is_indexed_twice_stands_once() -> None:
    memory = indexed("Acme prepays")
    write(of_memories([memory]))
    assert Passage.objects.count() == Vector.objects.count() == 1


def test_a_text_without_a_vector_is_found_by_its_words() -> None:
    indexed("☂☂☂")
    assert Passage.objects.count() == 1 and Vector.objects.count() == 0


def test_what_is_raised_is_raised_everywhere() -> None:
    memory = indexed("Acme prepays")
    Memory.objects.filter(pk=memory.pk).update(sensitivity=Sensitivity.HIGH, scope="team:a")
    passage, vector = Passage.objects.get(), Vector.objects.get()
    assert (passage.scope, passage.sensitivity, passage.type) == ("team:a", Sensitivity.HIGH, Type.SEMANTIC)
    assert (vector.scope, vector.sensitivity) == ("team:a", Sensitivity.HIGH)


def test_an_episode_that_something_secret_joins_has_secret_passages() -> None:
    happened(event_kind="e", ref="r", summary="First")
    happened(event_kind="e", ref="r", summary="Second", sensitivity="high")
    assert set(Passage.objects.values_list("sensitivity", flat=True)) == {Sensitivity.HIGH}


@pytest.mark.parametrize("table", ["passage", "vector"])
def test_the_database_refuses_a_copy_that_differs(table: str) -> None:
    indexed("Acme prepays")
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE memories_{table} SET sensitivity = 0")


def test_deleting_takes_everything_along_without_loading_it() -> None:
    memory = make_run(messages=[user(f"Message {number}") for number in range(30)])
    with CaptureQueriesContext(connection) as queries:
        memory.delete()
    assert not any("memories_passage" in query["sql"] for query in queries.captured_queries)
    assert not Passage.objects.exists() and not Vector.objects.exists()


def test_passages_go_with_their_event() -> None:
    make_run(messages=[user("One"), user("Two")])
    Event.objects.get(position=1).delete()
    assert list(Passage.objects.values_list("text", flat=True)) == ["Two"]


@pytest.mark.django_db(transaction=True)
def test_what_is_raised_while_it_is_indexed_ends_equal() -> None:
    memories = [make_memory(f"Fact {number}") for number in range(20)]

    def index(memory: Memory) -> None:
        write(of_memories([memory]))

    def raise_it(memory: Memory) -> None:
        Memory.objects.filter(pk=memory.pk).update(sensitivity=Sensitivity.HIGH)

    for memory in memories:
        at_once(partial(index, memory), partial(raise_it, memory))
    assert list(Passage.objects.values_list("sensitivity", flat=True)) == [Sensitivity.HIGH] * 20


def test_texts_are_cut_where_something_ends() -> None:
    paragraph = "This is one sentence. " * 68
    assert list(passage_texts.split(f"{paragraph}\n\n{paragraph}")) == [paragraph.strip()] * 2
    assert [len(part) for part in passage_texts.split("字" * 1400 + "。" + "句" * 1400)] == [1401, 1400]
    assert list(passage_texts.split(" \n ")) == []


def test_a_value_costs_what_is_taken_of_it() -> None:
    endless = {"rows": [{"a": "b"}] * 100_000}
    assert len(passage_texts.of_value(endless)) <= passage_texts.LONGEST_VALUE
    assert passage_texts.of_value({"to": ["Rome", 7, None, False]}) == "to: Rome 7 false"


def test_the_words_in_a_path_of_a_memory_find_it() -> None:
    memory = indexed("In sympy `bin/test` starts (5 of 5 runs); see doc/src/index.rst or https://ci.example/build/log.")
    for words in ("tests", "bin", "index", "bin/test"):
        assert found(words) == [memory.content], words
    assert found("log") == []
    at_work = happened(event_kind="deploy", ref="b7", summary="it ran bin/test")
    assert found("test") == [memory.content]
    assert Passage.objects.get(memory=at_work).searchable is None
