"""A conversation as a caller sends it (POST conversations, one line of an import), checked and made ready to store."""

import hashlib
import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from memories.intake.reports.drafts import EventDraft, holds_secret
from memories.intake.reports.messages import Reader
from memories.scanning import credentials
from memories.values import roles
from memories.values.choices import Outcome, Sensitivity
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_types import (
    DeletionPolicyName,
    Identifier,
    Instant,
    OutcomeName,
    ScopeName,
    SensitivityName,
    Tags,
    YesNo,
    field_errors,
    without_absent,
)
from memories.values.text import as_text

LONGEST_CONTENT = 500
MODES = {True: "full", False: "simple"}
ABSENT_WHEN_BLANK = ("id", "source", "source_plugin", "thread_id")


class Conversation(BaseModel):
    """The fields of POST conversations. What is not named here is kept in the episode's environment."""

    model_config = ConfigDict(extra="allow", defer_build=True)

    messages: list[Any] = Field(min_length=1)
    id: Identifier | None = None
    source: Identifier | None = Field(None, validation_alias=AliasChoices("source", "source_plugin"))
    scope: ScopeName | None = None
    thread_id: Identifier | None = None
    title: Annotated[str, StringConstraints(max_length=500)] = ""
    outcome: OutcomeName | None = None
    sensitivity: SensitivityName | None = None
    tags: Tags = []
    timestamp: Instant = None
    chat_history: list[Any] = []
    tools: Annotated[list[dict[str, Any]], Field(fail_fast=True)] = []
    deletion_policy: DeletionPolicyName | None = None
    extract: YesNo = True
    mode: Literal["full", "simple"] | None = None
    complete_skill_memory: YesNo | None = Field(None, description="Alias of `mode`: true means `full`, false `simple`")

    @field_validator("complete_skill_memory")
    @classmethod
    def _says_the_same(cls, complete: bool | None, info: ValidationInfo) -> bool | None:
        mode = info.data.get("mode")
        if complete is not None and mode not in (None, MODES[complete]):
            raise ValueError(f"is another word for mode {MODES[complete]}, and mode is {mode}: give one of them")
        return complete

    @property
    def wanted_mode(self) -> str | None:
        """How its skills are extracted; None: as the setting says."""
        return self.mode if self.complete_skill_memory is None else MODES[self.complete_skill_memory]


@dataclass(frozen=True)
class Draft:
    """A checked conversation: its fields, its events, and the hash by which a repetition is known."""

    fields: Conversation
    events: list[EventDraft]
    sha256: bytes

    @property
    def outcome(self) -> Outcome | None:
        return Outcome(self.fields.outcome) if self.fields.outcome else None

    @property
    def sensitivity(self) -> Sensitivity | None:
        return Sensitivity.named(self.fields.sensitivity) if self.fields.sensitivity else None

    @property
    def environment(self) -> dict[str, Any]:
        """What was sent beside the known fields, as the episode keeps it; not interpreted."""
        extras = {
            "tools": self.fields.tools,
            "chat_history": self.fields.chat_history,
            "mode": self.fields.wanted_mode,
            **(self.fields.model_extra or {}),
        }
        return {name: value for name, value in extras.items() if value not in ([], {}, None)}

    @property
    def holds_secret(self) -> bool:
        """In its messages and calls, in its title, or in what came along; schemas of tools hold none."""
        texts = [self.fields.title, *(value for name, value in self.environment.items() if name != "tools")]
        return holds_secret(self.events) or any(credentials.is_in(as_text(value)) for value in texts)

    def content(self, source: str) -> str:
        """What the episode's memory says: title, else the first thing a user said, else the first thing anybody did."""
        requests = (event.text for event in self.events if roles.of(event.role) == roles.USER)
        words = (event.text for event in self.events if roles.of(event.role) != roles.SYSTEM)
        text = next((text.strip() for text in (self.fields.title, *requests, *words) if text.strip()), "")
        return text[:LONGEST_CONTENT] or f"A run of {source}"


def parse(raw: Any) -> Draft:
    """Checks everything and names every wrong field at once (Invalid)."""
    if not isinstance(raw, dict):
        raise Invalid(FieldError("", "not_an_object", "a conversation must be an object with messages"))
    raw = without_absent(raw, ABSENT_WHEN_BLANK)
    errors: list[FieldError] = []
    fields, events = None, []
    try:
        fields = Conversation.model_validate(raw)
    except ValidationError as error:
        errors += field_errors(Conversation, error)
    if isinstance(raw.get("messages"), list):
        try:
            events = Reader().read(raw["messages"])
        except Invalid as invalid:
            errors += invalid.errors
    if errors or fields is None:
        raise Invalid(*errors)
    return Draft(fields, events, _sha256(events))


def _sha256(events: list[EventDraft]) -> bytes:
    """Of what was said and done, not of when: the same conversation sent again has the same hash."""
    words = [[e.kind, e.role, e.actor, e.ref, e.text, e.tool, e.args, e.result, e.ok, e.flags] for e in events]
    return hashlib.sha256(json.dumps(words, sort_keys=True, ensure_ascii=False).encode()).digest()
