"""A conversation as a caller sends it (POST conversations, one line of an import), checked and made ready to store."""

import functools
import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from memories.choices import Outcome, Sensitivity
from memories.drafts import EventDraft
from memories.exceptions import FieldError, Invalid, within
from memories.faults import NOT_AN_INSTANT, as_text, parse_instant
from memories.messages import Reader

LONGEST_CONTENT = 500
LARGEST_IDENTIFIER = 1024  # bytes; an index entry holds two of them and a scope
ABSENT_WHEN_BLANK = ("id", "source", "source_plugin", "thread_id")
SYSTEM_ROLES = ("system", "developer")
SCOPE = r"^([A-Za-z0-9][A-Za-z0-9._:@+-]{0,127})?$"
SCOPE_IN_WORDS = "letters, digits and . _ : @ + - only, beginning with a letter or digit, at most 128"


def _instant(value: Any) -> datetime | None:
    instant = parse_instant(value)
    if value is not None and instant is None:
        raise ValueError(NOT_AN_INSTANT)
    return instant


def _indexable(value: str) -> str:
    if len(value.encode()) > LARGEST_IDENTIFIER:
        raise ValueError(f"is longer than {LARGEST_IDENTIFIER:,} bytes")
    return value


def _tags(value: Any) -> Any:
    """Trimmed, without doubles, in their order."""
    if not isinstance(value, list) or not all(isinstance(tag, str) for tag in value):
        return value
    return list(dict.fromkeys(tag.strip() for tag in value if tag.strip()))


Identifier = Annotated[str, StringConstraints(max_length=512), BeforeValidator(as_text), AfterValidator(_indexable)]
Tag = Annotated[str, StringConstraints(max_length=256)]


class Conversation(BaseModel):
    """The fields of POST conversations. What is not named here is kept in the episode's environment."""

    model_config = ConfigDict(extra="allow")

    messages: list[Any] = Field(min_length=1)
    id: Identifier | None = None
    source: Identifier | None = Field(None, validation_alias=AliasChoices("source", "source_plugin"))
    scope: Annotated[str, StringConstraints(pattern=SCOPE)] | None = None
    thread_id: Identifier | None = None
    title: Annotated[str, StringConstraints(max_length=500)] = ""
    outcome: Literal["success", "failure", "partial"] | None = None
    sensitivity: Literal["public", "low", "medium", "high", "hyper"] | None = None
    tags: Annotated[list[Tag], Field(max_length=100, fail_fast=True), BeforeValidator(_tags)] = []
    timestamp: Annotated[datetime | None, BeforeValidator(_instant)] = None
    chat_history: list[Any] = []
    tools: Annotated[list[dict[str, Any]], Field(fail_fast=True)] = []
    extract: bool = True
    mode: Literal["full", "simple"] | None = None


@dataclass(frozen=True)
class Draft:
    """A checked conversation: its fields, its events, and the hash by which a repetition is known."""

    given: Conversation
    events: list[EventDraft]
    sha256: bytes

    @property
    def outcome(self) -> Outcome | None:
        return Outcome(self.given.outcome) if self.given.outcome else None

    @property
    def sensitivity(self) -> Sensitivity | None:
        return Sensitivity.named(self.given.sensitivity) if self.given.sensitivity else None

    @property
    def environment(self) -> dict[str, Any]:
        """What came along and is no field: kept, not interpreted."""
        kept = {"tools": self.given.tools, "chat_history": self.given.chat_history, **(self.given.model_extra or {})}
        return {name: value for name, value in kept.items() if value not in ([], {}, None)}

    def content(self, source: str) -> str:
        """What the episode's memory says: title, else the first thing a user said, else the first thing anybody did."""
        asked = (event.text for event in self.events if event.role == "user")
        said = (event.text for event in self.events if event.role not in SYSTEM_ROLES)
        found = next((text.strip() for text in (self.given.title, *asked, *said) if text.strip()), "")
        return found[:LONGEST_CONTENT] or f"A run of {source}"


def parse(raw: Any) -> Draft:
    """Checks everything and names every wrong field at once (Invalid)."""
    if not isinstance(raw, dict):
        raise Invalid(FieldError("", "not_an_object", "a conversation must be an object with messages"))
    raw = {name: value for name, value in raw.items() if not _absent(name, value)}
    errors: list[FieldError] = []
    given, events = None, []
    try:
        given = Conversation.model_validate(raw)
    except ValidationError as error:
        errors += [field_error(wrong) for wrong in error.errors(include_url=False)]
    if isinstance(raw.get("messages"), list):
        try:
            events = Reader().read(raw["messages"])
        except Invalid as invalid:
            errors += invalid.errors
    if errors or given is None:
        raise Invalid(*errors)
    return Draft(given, events, _sha256(events))


def _absent(name: str, value: Any) -> bool:
    return value is None or (name in ABSENT_WHEN_BLANK and isinstance(value, str) and not value.strip())


MESSAGES = {
    "missing": "is required",
    "too_short": "needs at least one item",
    "too_long": "needs no more than 100 items",
    "string_pattern_mismatch": SCOPE_IN_WORDS,
}


def field_error(wrong: Any) -> FieldError:
    """One of pydantic's errors in our words. `wrong` is an item of ValidationError.errors()."""
    pointer = functools.reduce(within, wrong["loc"], "")
    if wrong["type"] == "literal_error":
        expected = wrong["ctx"]["expected"].replace("'", "").replace(" or ", ", ")
        return FieldError(pointer, "unknown_value", f"must be one of {expected}")
    if wrong["type"] == "value_error":
        return FieldError(pointer, "invalid", str(wrong["ctx"]["error"]))
    detail = MESSAGES.get(wrong["type"], wrong["msg"])
    return FieldError(pointer, "required" if wrong["type"] == "missing" else wrong["type"], detail)


def _sha256(events: list[EventDraft]) -> bytes:
    """Of what was said and done, not of when: the same conversation sent again has the same hash."""
    said = [[e.kind, e.role, e.actor, e.ref, e.text, e.tool, e.args, e.result, e.ok, e.flags] for e in events]
    return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode()).digest()
