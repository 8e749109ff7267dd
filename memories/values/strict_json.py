"""JSON that PostgreSQL can store: rejects NaN, infinity, NUL characters and lone surrogates."""

import json
import math
import re
from typing import Any, NoReturn

from memories.values.exceptions import FieldError, Invalid, within

DEEPEST = 100  # levels
TOO_DEEP = FieldError("", "too_deep", f"nested more than {DEEPEST} levels deep")
SUSPECT = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")  # an escape of a character that may not be storable


def _refuse_constant(name: str) -> NoReturn:
    raise Invalid(FieldError("", "not_a_number", f"{name} is not a JSON number"))


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise Invalid(FieldError("", "not_a_number", f"{digits[:40]} is too large for a number"))
    return number


def _fault(text: str) -> str:
    if "\0" in text:
        return "a NUL character cannot be stored"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "a lone surrogate cannot be stored"
    return ""


def unstorable(value: Any) -> FieldError | None:
    """Find the first text or key in `value` that PostgreSQL cannot store, with its pointer; None when there is none."""
    waiting = [(value, "")]
    while waiting:
        item, place = waiting.pop()
        if isinstance(item, str) and (fault := _fault(item)):
            return FieldError(place, "unstorable_text", fault)
        if isinstance(item, dict):
            waiting.extend((inner, within(place, key)) for key, inner in item.items())
            waiting.extend((key, place) for key in item)  # looked at first: a bad key is never part of a place
        elif isinstance(item, list):
            waiting.extend((inner, within(place, number)) for number, inner in enumerate(item))
    return None


def too_deep(value: Any) -> bool:
    """Whether lists and objects are nested deeper than DEEPEST; what is read must also be serializable again."""
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for item in level for inner in _members(item) if isinstance(inner, dict | list)]
        if not level:
            return False
    return True


def _members(item: Any) -> Any:
    return item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()


def object_of(value: Any, begins: tuple[str, ...] = ("{",)) -> Any:
    """Decode a text that holds a JSON object, or what else `begins` so; return any other value unchanged."""
    if not isinstance(value, str) or not value.lstrip().startswith(begins):
        return value
    try:
        return loads(value)  # what begins with { is an object or no JSON
    except Invalid:
        return value


def text_of(value: Any) -> Any:
    """Decode a text that holds a JSON string ('"Go"' -> Go), repeatedly; return any other value unchanged."""
    while isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        try:
            value = loads(value)
        except Invalid:
            break
    return value


def loads(raw: bytes | str) -> Any:
    """Parse JSON. Invalid: no JSON (with the position), or a value that cannot be stored (with the field)."""
    try:
        text = raw if isinstance(raw, str) else raw.decode("utf-8-sig")
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise Invalid(FieldError("", "not_utf8", f"not UTF-8 at byte {error.start}")) from None
    except RecursionError:
        raise Invalid(TOO_DEEP) from None
    except json.JSONDecodeError as error:
        raise Invalid(FieldError("", "not_json", f"not JSON: {error.msg} at character {error.pos}")) from None
    except ValueError:  # the digits of an integer beyond what Python reads
        raise Invalid(FieldError("", "not_a_number", "an integer has too many digits")) from None
    if text.count("[") + text.count("{") > DEEPEST and too_deep(value):
        raise Invalid(TOO_DEEP)
    if SUSPECT.search(text) and (fault := unstorable(value)):
        raise Invalid(fault)
    return value
