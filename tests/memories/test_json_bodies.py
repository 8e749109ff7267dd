"""JSON that PostgreSQL cannot keep is refused with its place, and nothing else is.

Answers are written as DRF writes them.
"""

import json
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest
from django.utils.functional import lazystr
from django.utils.safestring import mark_safe
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.renderers import JSONRenderer

from memories.api.json_bodies import JSON
from memories.values.choices import Sensitivity, Status
from memories.values.exceptions import Invalid
from memories.values.strict_json import DEEPEST, loads

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def storable(value: Any) -> bool:
    text = json.dumps(value, ensure_ascii=False)
    return "\\u0000" not in text


@given(VALUES.filter(storable))
def test_what_can_be_stored_is_read_as_it_is(value: Any) -> None:
    assert loads(json.dumps(value)) == value
    assert loads(json.dumps(value, ensure_ascii=False).encode()) == value


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "not JSON: Expecting value at character 0"),
        (b"{'a': 1}", "not JSON: Expecting property name enclosed in double quotes at character 1"),
        (b"\xff\xfe{\0}\0", "not UTF-8 at byte 0"),
        (b'{"a": "\xe9"}', "not UTF-8 at byte 7"),
        (b"NaN", "NaN is not a JSON number"),
        (b"[-Infinity]", "-Infinity is not a JSON number"),
        (b"[1e999]", "1e999 is too large for a number"),
        (b"9" * 5000, "an integer has too many digits"),
        (rb'{"a": ["\u0000"]}', "a[0]: a NUL character cannot be stored"),
        (rb'{"a": {"\ud800": "\u0000"}}', "a: a lone surrogate cannot be stored"),
        (rb'{"a/b~c": "\udfff"}', "a/b~c: a lone surrogate cannot be stored"),
        (b'"\0"', "not JSON: Invalid control character at at character 1"),
        (b"[" * 100_000, "nested more than 100 levels deep"),
        (b"[" * 101 + b"]" * 101, "nested more than 100 levels deep"),
        (b'{"a":' * 101 + b"1" + b"}" * 101, "nested more than 100 levels deep"),
    ],
)
def test_what_cannot_be_stored_is_refused_with_its_place(raw: bytes, said: str) -> None:
    with pytest.raises(Invalid) as caught:
        loads(raw)
    assert str(caught.value) == said


def test_places_are_escaped_as_json_pointers() -> None:
    with pytest.raises(Invalid) as caught:
        loads(rb'{"a/b~c": "\udfff"}')
    assert caught.value.errors[0].pointer == "/a~1b~0c"


@pytest.mark.parametrize("raw", [b"\xef\xbb\xbf[1]", rb'"\ud83d\ude00"', "[" * DEEPEST + "]" * DEEPEST, b'"\\\\u0000"'])
def test_what_only_looks_suspicious_is_read(raw: bytes | str) -> None:
    assert loads(raw) is not None


RENDERED: list[Any] = [
    {"id": UUID(int=7), "at": datetime(2026, 3, 1, 12, tzinfo=UTC), "none": None, "yes": True},
    [datetime(2026, 3, 1, 12, 0, 0, 123_400, tzinfo=UTC), datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=UTC)],
    [datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2))), date(2026, 3, 1), datetime(1, 1, 1, tzinfo=UTC)],
    [0.1, 1.0, -0.0, 1e-7, 1e22, 5e-324, 123456789.123456789, 10**30, -5],
    [Status.CONFIRMED, Sensitivity.HIGH, {1: "a number as a name"}],
    [lazystr("later"), mark_safe("<b>"), ("a", "tuple"), b"bytes"],
    'é 中文 🎁 " \\ / \n \t \x01 \x7f </script> \u2028 \u2029',
    {"中文": {"empty": {}, "none": [], "text": ""}},
]


@pytest.mark.parametrize("value", RENDERED, ids=range(len(RENDERED)))
def test_json_says_what_drf_would_say(value: Any) -> None:
    expected = JSONRenderer().render(value)
    written = JSON().render(value, "application/json", {})
    assert json.loads(written) == json.loads(expected)
    if not isinstance(value, list):
        assert written == expected


def test_no_character_of_a_text_ends_a_line_of_a_script() -> None:
    assert JSON().render("\u2028\u2029é") == '"\\u2028\\u2029é"'.encode()


def test_an_indent_that_is_asked_for_is_given() -> None:
    assert JSON().render({"a": 1}, "application/json; indent=4") == b'{\n    "a": 1\n}'


def test_a_number_that_json_cannot_say_is_null() -> None:
    assert JSON().render([float("nan"), float("inf"), 1.5]) == b"[null,null,1.5]"


def test_of_no_answer_nothing_is_written() -> None:
    assert JSON().render(None) == b""


def test_what_is_nested_deeper_than_pydantic_writes_is_written() -> None:
    deep: list[Any] = []
    for _ in range(300):
        deep = [deep]
    assert JSON().render(deep) == JSONRenderer().render(deep)
