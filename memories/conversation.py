"""A conversation as a caller sends it (POST conversations, one line of an import), checked and made ready to store."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from memories.choices import Outcome, Sensitivity
from memories.exceptions import FieldError, Invalid
from memories.messages import EventDraft, Reader, parse_instant

LONGEST_CONTENT = 500
SCOPE = r"^([A-Za-z0-9][A-Za-z0-9._:@+-]{0,127})?$"


def _text_id(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _instant(value: Any) -> datetime | None:
    instant = parse_instant(value) if value is not None else None
    if value is not None and instant is None:
        raise ValueError("must be an RFC 3339 time with its zone")
    return instant


def _tags(value: Any) -> Any:
    """Trimmed, without doubles, in their order."""
    if not isinstance(value, list) or not all(isinstance(tag, str) for tag in value):
        return value
    return list(dict.fromkeys(tag.strip() for tag in value if tag.strip()))


Identifier = Annotated[str, StringConstraints(max_length=512), BeforeValidator(_text_id)]
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
    tags: Annotated[list[Tag], Field(max_length=100), BeforeValidator(_tags)] = []
    timestamp: Annotated[datetime | None, BeforeValidator(_instant)] = None
    chat_history: list[Any] = []
    tools: list[dict[str, Any]] = []
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
        asked = next((event.text for event in self.events if event.role == "user" and event.text), "")
        said = next(
            (event.text for event in self.events if event.text and event.role not in ("system", "developer")), ""
        )
        return (self.given.title or asked or said or f"A run of {source}").strip()[
            :LONGEST_CONTENT
        ] or f"A run of {source}"


def parse(raw: Any) -> Draft:
    """Checks everything and names every wrong field at once (Invalid)."""
    if not isinstance(raw, dict):
        raise Invalid(FieldError("", "not_an_object", "a conversation must be an object with messages"))
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


MESSAGES = {
    "missing": "is required",
    "too_short": "needs at least one item",
    "string_pattern_mismatch": "letters, digits and . _ : @ + - only, beginning with a letter or digit, at most 128",
}


def field_error(wrong: Any) -> FieldError:
    """One of pydantic's errors in our words. `wrong` is an item of ValidationError.errors()."""
    pointer = "".join(f"/{part}" for part in wrong["loc"])
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
