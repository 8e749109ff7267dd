"""JSON that PostgreSQL cannot keep is refused with its place, and nothing else is."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
