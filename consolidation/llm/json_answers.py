"""One JSON value in what a model wrote: alone, in a fence, or with prose around it."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, TypeVar

import json5
from pydantic import BaseModel, ValidationError

from consolidation.llm.errors import Unusable
from memories.values import strict_json

MOST_PLACES = 200  # at which a JSON value is sought in prose
MOST_FAULTS = 8
LONGEST_FAULT = 300
UNSTORABLE = re.compile("[\0\ud800-\udfff]")
BEGUN = re.compile(r'[{\[]\s*(?:"|[{\[])')  # JSON that was meant as such, not a bracket of prose
NULL = re.compile(r"\s*(?:```\w*\s*)?null(?:\s*```)?\s*")  # an answer that is nothing but null
OBJECT = re.compile(
    r"\s*(?:```\w*\s*)?([{\[].*[}\]])(?:\s*```)?\s*", re.DOTALL
)  # an answer that is nothing but one value
LONGEST_CARELESS = 50_000  # characters; a parser that forgives takes its time
THOUGHTS = re.compile(  # chat templates may begin them, then the answer holds the end of them alone
    r"\A\s*(?:<(think|thinking|reasoning)>.*?</\1>|(?![<{\[`]).*?</think(?:ing)?>(?=[^{\[]*[{\[]))", re.DOTALL
)
_decoder = json.JSONDecoder(strict=False)  # a line that ends within a text means one thing
T = TypeVar("T", bound=BaseModel)


def read(text: str, shape: type[T]) -> T:
    """The one value in a text that fits the shape. Unusable: there is none, or there are several that differ.

    The message says what is wrong, for people and for the model that is asked to repair it.
    """
    first_fault = ""
    fitting: dict[str, T] = {}
    without_thoughts = THOUGHTS.sub("", text)
    for value in list(_values(without_thoughts)) or _careless(without_thoughts):
        try:
            answer = shape.model_validate(value)
            fitting[answer.model_dump_json()] = answer
        except ValidationError as error:
            first_fault = first_fault or _faults(error)
    if len(fitting) == 1:
        return next(iter(fitting.values()))
    several = "the answer holds several matching JSON values: give one"
    raise Unusable(several if fitting else first_fault or "the answer holds no complete JSON value", answer=text)


def _values(text: str) -> Iterator[Any]:
    """The objects and lists of a text, from its beginning, without those inside another. One that is broken or cut off
    ends them: what stands inside it is no answer. Of null alone None.
    """
    if NULL.fullmatch(text):
        yield None
    at, tries = 0, 0
    while tries < MOST_PLACES and (start := _next_start(text, at)) is not None:
        tries += 1
        try:
            value, at = _decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            if BEGUN.match(text, start):
                return
            at = start + 1
            continue
        if not strict_json.too_deep(value):
            yield _storable(value)


def _careless(text: str) -> Iterator[Any]:
    """The object of an answer that is JSON but for single quotes, commas at the end, comments or names in no quotes."""
    match = OBJECT.fullmatch(text)
    if match and len(text) <= LONGEST_CARELESS:
        with suppress(ValueError, RecursionError):
            value = json5.loads(match[1], allow_duplicate_keys=False)
            if not strict_json.too_deep(value):
                yield _storable(value)


def _next_start(text: str, at: int) -> int | None:
    places = [place for place in (text.find("{", at), text.find("[", at)) if place >= 0]
    return min(places, default=None)


def _storable(value: Any) -> Any:
    """The value without characters that the database cannot store."""
    if isinstance(value, str):
        return UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_storable(key): _storable(inner) for key, inner in value.items()}
    return [_storable(inner) for inner in value] if isinstance(value, list) else value


def _faults(error: ValidationError) -> str:
    """What is wrong where, without the values."""
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    named = [f"{'.'.join(map(str, fault['loc'])) or 'the answer'}: {fault['msg']}" for fault in faults[:MOST_FAULTS]]
    more = f"; and {len(faults) - MOST_FAULTS} more" if len(faults) > MOST_FAULTS else ""
    return "; ".join(fault[:LONGEST_FAULT] for fault in named) + more
