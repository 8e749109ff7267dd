"""What an edit may change, checked: as a request sends it and as a proposal keeps it."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memories.values.choices import Sensitivity
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_types import (
    LONGEST_TEXT,
    SOMETHING,
    CategoryName,
    DeletionPolicyName,
    Instant,
    SensitivityName,
    Tags,
    field_error,
)

Words = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, pattern=SOMETHING)]


class Edit(BaseModel):
    """Fields that are not given stay as they are."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    content: Words = Field(default_factory=str)
    category: CategoryName = Field(default_factory=lambda: "fact")
    """Of a semantic memory only"""
    tags: Tags = Field(default_factory=list)
    sensitivity: SensitivityName = Field(default_factory=lambda: "low")
    """Only review lowers it"""
    expires_at: Instant = None
    """In the future; null: it does not expire"""
    deletion_policy: DeletionPolicyName = Field(default_factory=lambda: "auto_prune")
    """Only review sets it"""

    @property
    def given(self) -> dict[str, Any]:
        """The columns that were given, with the values that they take."""
        columns: dict[str, Any] = {name: getattr(self, name) for name in sorted(self.model_fields_set)}
        if "sensitivity" in columns:
            columns["sensitivity"] = Sensitivity.named(columns["sensitivity"]).value
        return columns

    @property
    def kept(self) -> dict[str, Any]:
        """The same in JSON's types, for a proposal."""
        return self.model_dump(mode="json", include=self.model_fields_set)

    def changing(self, row: Any, *, at: datetime) -> dict[str, Any]:
        """The columns of `row` that become something else; an expiry takes its time to live along."""
        change = {name: value for name, value in self.given.items() if getattr(row, name) != value}
        if "expires_at" in change:
            until = change["expires_at"]
            if until is not None and until <= at:
                raise Invalid(FieldError("/expires_at", "out_of_range", "must be in the future"))
            change["ttl"] = (until - at).total_seconds() if until else None
        return change


def edit(raw: Any) -> Edit:
    """Invalid names every field that is wrong."""
    if not isinstance(raw, dict):
        raise Invalid(FieldError("", "not_an_object", "must be a JSON object"))
    try:
        return Edit.model_validate(raw)
    except ValidationError as error:
        raise Invalid(*(_named(wrong) for wrong in error.errors(include_url=False))) from None


def _named(wrong: Any) -> FieldError:
    if wrong["loc"] == ("content",) and wrong["type"] in ("string_pattern_mismatch", "string_too_short"):
        return FieldError("/content", "required", "must say something")
    return field_error(wrong)
