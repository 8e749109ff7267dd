"""A conversation's fields: every wrong one is named, what is no field is kept, and repetition is known by a hash."""

from typing import Any

import pytest

from memories.intake.reports import conversation
from memories.values.exceptions import Invalid
from memories.values.field_types import SCOPE_IN_WORDS
from tests.make import answer, call, run, user


def wrong(**fields: Any) -> list[str]:
    with pytest.raises(Invalid) as caught:
        conversation.parse(run(**fields))
    return [str(error) for error in caught.value.errors]


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("messages", None, "messages: is required"),
        ("messages", [], "messages: needs at least one item"),
        ("messages", "hi", "messages: Input should be a valid list"),
        ("outcome", "banana", "outcome: must be one of success, failure, partial"),
        ("outcome", ["success"], "outcome: must be one of success, failure, partial"),
        ("sensitivity", "private", "sensitivity: must be one of public, low, medium, high, hyper"),
        ("scope", "a b", f"scope: {SCOPE_IN_WORDS}"),
        ("scope", "a\n", f"scope: {SCOPE_IN_WORDS}"),
        ("id", True, "id: Input should be a valid string"),
        ("id", "i" * 513, "id: String should have at most 512 characters"),
        ("id", "漢" * 400, "id: is longer than 1,024 bytes"),
        ("thread_id", {"a": 1}, "thread_id: Input should be a valid string"),
        ("title", "t" * 501, "title: String should have at most 500 characters"),
        ("tags", "a,b", "tags: Input should be a valid list"),
        ("tags", [f"t{n}" for n in range(101)], "tags: needs no more than 100 items"),
        ("tags", ["t" * 257], "tags[0]: String should have at most 256 characters"),
        ("timestamp", "not-a-time", "timestamp: must be an RFC 3339 time with its zone, from 1900 to 9000"),
        ("tools", ["search"], "tools[0]: must be a JSON object"),
        ("extract", "perhaps", "extract: must be true or false"),
        ("complete_skill_memory", [], "complete_skill_memory: must be true or false"),
    ],
)
def test_a_wrong_field_is_named(field: str, value: Any, said: str) -> None:
    assert wrong(**{field: value}) == [said]


@pytest.mark.parametrize("raw", [[], "text", 5, None])
def test_a_conversation_is_an_object(raw: Any) -> None:
    with pytest.raises(Invalid, match="a conversation must be an object with messages"):
        conversation.parse(raw)


def test_wrong_fields_and_wrong_messages_are_named_together() -> None:
    said = wrong(outcome="banana", messages=[{"content": "x"}, {"role": 5}])
    assert [line.split(":")[0] for line in said] == ["outcome", "messages[0].role", "messages[1].role"]


def test_a_list_of_millions_of_wrong_items_is_one_error() -> None:
    assert len(wrong(tools=[1] * 100_000)) == 1


def test_null_is_absent_and_a_blank_id_names_nothing() -> None:
    plain = conversation.parse(run())
    absent = dict.fromkeys(["outcome", "title", "tags", "tools", "extract", "timestamp", "chat_history"])
    blank = dict.fromkeys(["id", "source", "thread_id"], " ")
    assert conversation.parse(run(**absent, **blank)).fields == plain.fields


@pytest.mark.parametrize(
    ("fields", "mode"),
    [
        ({"complete_skill_memory": False}, "simple"),
        ({"complete_skill_memory": True}, "full"),
        ({"complete_skill_memory": False, "mode": "simple"}, "simple"),
        ({"complete_skill_memory": None, "mode": "full"}, "full"),
        ({}, None),
    ],
)
def test_how_skills_are_extracted_has_two_words(fields: dict[str, Any], mode: str | None) -> None:
    assert conversation.parse(run(**fields)).environment == ({"mode": mode} if mode else {})


@pytest.mark.parametrize("complete", [True, False])
def test_two_words_that_disagree_are_refused(complete: bool) -> None:
    other, meant = ("simple", "full") if complete else ("full", "simple")
    assert wrong(mode=other, complete_skill_memory=complete) == [
        f"complete_skill_memory: is another word for mode {meant}, and mode is {other}: give one of them"
    ]


def test_tags_are_trimmed_and_kept_once() -> None:
    assert conversation.parse(run(tags=["x", "x", " x ", "", "y"])).fields.tags == ["x", "y"]


def test_ids_may_be_numbers() -> None:
    assert conversation.parse(run(id=7, thread_id=8)).fields.id == "7"


def test_what_is_no_field_is_kept_beside_the_tools() -> None:
    draft = conversation.parse(run(tools=[{"name": "search"}], model="m-1", reward=0.5, source_plugin="P01"))
    assert draft.environment == {"tools": [{"name": "search"}], "model": "m-1", "reward": 0.5}
    assert draft.fields.source == "P01"


@pytest.mark.parametrize(
    ("fields", "content"),
    [
        ({"title": " A title "}, "A title"),
        ({"title": " "}, "Book a flight"),
        ({"messages": [{"role": "system", "content": "Be kind"}, user(" "), user("Hello")]}, "Hello"),
        ({"messages": [{"role": "system", "content": "Be kind"}, {"role": "assistant", "content": "Hi"}]}, "Hi"),
        ({"messages": [{"role": "system", "content": "Be kind"}, call("a")]}, "A run of P01"),
        ({"messages": [user("x" * 600)]}, "x" * 500),
    ],
)
def test_an_episode_says_its_title_or_the_first_thing_said(fields: Any, content: str) -> None:
    assert conversation.parse(run(**fields)).content("P01") == content


def test_the_hash_is_of_what_was_said_not_of_when() -> None:
    def sha256(**message: Any) -> bytes:
        return conversation.parse(run(messages=[{**user("hi"), **message}])).sha256

    assert sha256(timestamp="2026-01-01T00:00:00Z") == sha256(timestamp="2026-02-02T00:00:00+01:00") == sha256()
    assert len({sha256(), sha256(content="ho"), sha256(role="agent"), sha256(name="anna"), sha256(ref="r")}) == 5


def test_the_hash_is_of_calls_and_results() -> None:
    def sha256(result: Any = "x", **args: Any) -> bytes:
        return conversation.parse(run(messages=[call("a", **args), answer(result)])).sha256

    assert sha256(a=1, b=2) == sha256(b=2, a=1)
    assert len({sha256(), sha256("y"), sha256(a=1), sha256({"a": 1})}) == 4
