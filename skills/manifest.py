"""The fields of a skill version: what a procedure is made of, whoever wrote it (runs, a model, an upload, a person).

A `Fields` is always in canonical form: texts clean, names safe, empty optionals None. That is what makes the way to a
SKILL.md and back exact. Coercions are those that models need (null, a string for a list); anything else is refused.
"""

import json
import re
from collections.abc import Callable
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from skills import markdown
from skills.names import file_name, readable, slug

__all__ = ["Fields", "Step", "TrackRecord", "slug"]

DESCRIPTION = 1024  # characters, by the specification
TITLE = 200
_LIST = re.compile(r"\s*([-*+]|\d+[.)])\s")


def _empty(value: Any) -> Any:
    return "" if value is None else value


def _some(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value


def _encodable(value: Any) -> Any:
    """Half surrogates, which models write, are refused by pydantic with all that surrounds them: mended beforehand."""
    if isinstance(value, str):
        return markdown.encodable(value)
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    return {_encodable(key): _encodable(item) for key, item in value.items()} if isinstance(value, dict) else value


def _json(value: dict[str, Any]) -> dict[str, Any]:
    """As JSON gives it back, and as PostgreSQL can hold it."""
    try:
        text = json.dumps(value, allow_nan=False, sort_keys=True, ensure_ascii=False)
    except (TypeError, RecursionError) as error:
        raise ValueError("not JSON") from error
    loaded: dict[str, Any] = json.loads(re.sub(r"(?<!\\)((?:\\\\)*)\\u0000", r"\1", markdown.encodable(text)))
    return loaded


def _cut(length: int) -> Callable[[str], str]:
    def cut(text: str) -> str:
        """One line without `---` (the reference validator splits on it), shortened between words."""
        line = re.sub(r"-{3,}", "—", markdown.one_line(text))
        return line if len(line) <= length else (line[: length - 1].rsplit(" ", 1)[0].rstrip() + "…")

    return cut


def _items(value: Any) -> Any:
    if isinstance(value, str):
        return markdown.items(markdown.paragraph(value)) if _LIST.match(value) else [value]
    return [] if value is None else value


def _terms(value: Any) -> Any:
    if isinstance(value, str) and not _LIST.match(value):
        return re.split(r"[,，、\n]", value)
    return _items(value)


def _numbered(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(step, str) for step in value):
        steps = [re.sub(r"^\d+[.)]\s+", "", markdown.paragraph(step)) for step in value]
        return markdown.listed([step for step in steps if step], numbered=True)
    return _empty(value)


def _filled(items: list[str]) -> list[str]:
    return [item for item in items if item]


def _files(folder: str, default: str = "") -> Callable[[Any], Any]:
    def named(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        files = {file_name(str(name), folder=folder, default=default): text for name, text in value.items()}
        if len({name.lower() for name in files}) < len(value):
            raise ValueError(f"{folder}: two files would have the same name")
        return files

    return named


def _or_none(value: Any) -> Any:
    return value or None


Line = Annotated[str, BeforeValidator(_empty), AfterValidator(markdown.one_line)]
Text = Annotated[str, AfterValidator(markdown.paragraph)]
Terms = Annotated[list[Line], BeforeValidator(_terms), AfterValidator(_filled)]
Texts = Annotated[list[Text], BeforeValidator(_items), AfterValidator(_filled)]
Blocks = Annotated[list[Annotated[str, AfterValidator(markdown.clean)]], AfterValidator(_filled)]
Files = dict[str, str] | None


class Step(BaseModel):
    """One step of a recipe: what to do, with which tool, with what arguments, and how success looks."""

    model_config = ConfigDict(extra="forbid")

    step: Line
    tool: Line = ""
    args_schema: Annotated[dict[str, Any], AfterValidator(_json)] = Field(default_factory=dict)
    validation: Line = ""
    optional: bool = False
    share: float = Field(default=1.0, ge=0, le=1)  # of the successful runs that took this step

    def __str__(self) -> str:
        properties = self.args_schema.get("properties")
        names = ", ".join(f"`{name}`" for name in properties) if isinstance(properties, dict) else ""
        tool = f" (`{self.tool}`{' with ' + names if names else ''})" if self.tool else ""
        validation = f". Done when: {self.validation}" if self.validation else ""
        return f"{'Optional: ' if self.optional else ''}{self.step}{tool}{validation}".strip()


class TrackRecord(BaseModel):
    """How often it worked, counted once per episode. `since` and `until` are ISO dates of the runs."""

    successes: int = Field(default=0, ge=0)
    failures: int = Field(default=0, ge=0)
    partials: int = Field(default=0, ge=0)
    since: Line = ""
    until: Line = ""


class Fields(BaseModel):
    """The fields of a version, as 7-skills names them; `title` is the display name, `name` the slug."""

    name: Annotated[str, AfterValidator(_some), AfterValidator(slug)]
    title: Annotated[str, BeforeValidator(_empty), AfterValidator(_cut(TITLE))] = ""
    description: Annotated[str, AfterValidator(_cut(DESCRIPTION)), AfterValidator(_some)]
    trigger: Terms = Field(default_factory=list)
    procedure: Annotated[Text, BeforeValidator(_numbered), AfterValidator(markdown.closed)] = ""
    experience: Texts = Field(default_factory=list)
    preference: Texts = Field(default_factory=list)
    examples: Annotated[Blocks, BeforeValidator(lambda value: [value] if isinstance(value, str) else value or [])] = (
        Field(default_factory=list)
    )
    scripts: Annotated[Files, BeforeValidator(_files("scripts")), AfterValidator(_or_none)] = None
    tool: Annotated[Texts | None, AfterValidator(_or_none)] = None
    others: Annotated[Files, BeforeValidator(_files("reference", ".md")), AfterValidator(_or_none)] = None
    assets: Annotated[Files, BeforeValidator(_files("assets")), AfterValidator(_or_none)] = None
    recipe: Annotated[list[Step], BeforeValidator(_items)] = Field(default_factory=list)
    failure_modes: Texts = Field(default_factory=list)
    fallbacks: Texts = Field(default_factory=list)
    performance: TrackRecord | None = None
    license: Annotated[str, BeforeValidator(_empty), AfterValidator(_cut(500))] = ""
    compatibility: Annotated[str, BeforeValidator(_empty), AfterValidator(_cut(500))] = ""

    @model_validator(mode="before")
    @classmethod
    def _title_keeps_what_the_slug_loses(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        try:
            data = _encodable(data)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
        name, title = data.get("name"), data.get("title")
        if not name and isinstance(title, str):
            return {**data, "name": title}
        if not title and isinstance(name, str) and name != slug(name):
            return {**data, "title": name}
        return data

    @model_validator(mode="after")
    def _canonical(self) -> Self:
        self.title = self.title or readable(self.name)
        if not self.procedure and self.recipe:
            steps = markdown.listed(_filled([str(step) for step in self.recipe]), numbered=True)
            self.procedure = markdown.closed(markdown.paragraph(steps))
        if self.performance == TrackRecord():
            self.performance = None
        return self
