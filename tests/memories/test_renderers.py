"""Answers are written as DRF writes them."""

import json
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest
from django.utils.functional import lazystr
from django.utils.safestring import mark_safe
from rest_framework.renderers import JSONRenderer

from memories.api.json_bodies import JSON
from memories.values.choices import Sensitivity, Status

VALUES: list[Any] = [
    {"id": UUID(int=7), "at": datetime(2026, 3, 1, 12, tzinfo=UTC), "none": None, "yes": True},
    [datetime(2026, 3, 1, 12, 0, 0, 123_400, tzinfo=UTC), datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=UTC)],
    [datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2))), date(2026, 3, 1), datetime(1, 1, 1, tzinfo=UTC)],
    [0.1, 1.0, -0.0, 1e-7, 1e22, 5e-324, 123456789.123456789, 10**30, -5],
    [Status.CONFIRMED, Sensitivity.HIGH, {1: "a number as a name"}],
    [lazystr("later"), mark_safe("<b>"), ("a", "tuple"), b"bytes"],
    'é 中文 🎁 " \\ / \n \t \x01 \x7f </script> \u2028 \u2029',
    {"中文": {"empty": {}, "none": [], "text": ""}},
]


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
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
