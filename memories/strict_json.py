"""JSON as PostgreSQL can keep it: no NaN, no infinity, no NUL character, no lone surrogate. One place refuses them."""

import json
import math
import re
from typing import Any, NoReturn

from memories.exceptions import FieldError, Invalid

SUSPECT = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")  # an escape that may stand for what cannot be stored


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


def unstorable(value: Any, pointer: str = "") -> FieldError | None:
    """The first text or key in `value` that PostgreSQL cannot keep, with its place; None when all is well."""
    waiting = [(value, pointer)]
    while waiting:
        item, place = waiting.pop()
        if isinstance(item, str) and (fault := _fault(item)):
            return FieldError(place, "unstorable_text", fault)
        if isinstance(item, dict):
            waiting.extend((key, place) for key in item)
            waiting.extend((inner, f"{place}/{key}") for key, inner in item.items())
        elif isinstance(item, list):
            waiting.extend((inner, f"{place}/{number}") for number, inner in enumerate(item))
    return None


def loads(raw: bytes | str) -> Any:
    """What `raw` says. Invalid: no JSON (says where), or it holds what cannot be stored (names the field)."""
    try:
        text = raw if isinstance(raw, str) else raw.decode("utf-8-sig")
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise Invalid(FieldError("", "not_utf8", f"not UTF-8 at byte {error.start}")) from None
    except RecursionError:
        raise Invalid(FieldError("", "too_deep", "nested too deeply")) from None
    except json.JSONDecodeError as error:
        raise Invalid(FieldError("", "not_json", f"not JSON: {error.msg} at character {error.pos}")) from None
    except ValueError:  # the digits of an integer beyond what Python reads
        raise Invalid(FieldError("", "not_a_number", "an integer has too many digits")) from None
    if SUSPECT.search(text) and (fault := unstorable(value)):
        raise Invalid(fault)
    return value
