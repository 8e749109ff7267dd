"""The fields of a skill version: what a procedure is made of, whoever wrote it (runs, a model, an upload, a person)."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Step(BaseModel):
    """One step of a recipe: what to do, with which tool, with what arguments, and how success looks."""

    model_config = ConfigDict(extra="forbid")

    step: str
    tool: str = ""
    args_schema: dict[str, Any] = Field(default_factory=dict)
    validation: str = ""
    optional: bool = False
    share: float = 1.0  # of the successful runs that took this step


class TrackRecord(BaseModel):
    """How often it worked, counted once per episode. `since` and `until` are ISO dates of the runs."""

    successes: int = 0
    failures: int = 0
    partials: int = 0
    since: str = ""
    until: str = ""


class Fields(BaseModel):
    """The fields of a version, as 7-skills names them; `title` is the display name, `name` the slug."""

    name: str
    title: str = ""
    description: str
    trigger: list[str] = Field(default_factory=list)
    procedure: str = ""
    experience: list[str] = Field(default_factory=list)
    preference: list[str] = Field(default_factory=list)
    examples: list[str] = Field(default_factory=list)
    scripts: dict[str, str] | None = None
    tool: list[str] | None = None
    others: dict[str, str] | None = None
    recipe: list[Step] = Field(default_factory=list)
    failure_modes: list[str] = Field(default_factory=list)
    fallbacks: list[str] = Field(default_factory=list)
    performance: TrackRecord | None = None
