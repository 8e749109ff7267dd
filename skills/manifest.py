"""The fields of a skill version, whoever wrote it: consolidation, a language model, an upload or a person.

A `Fields` is always in canonical form (texts cleaned, names safe, empty optionals None), so that writing a SKILL.md and
reading it back gives the same fields. Coerced is only what language models often write (null, a string for a list);
anything else is a ValidationError.
"""

import json
import re
from collections.abc import Callable
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from skills import markdown
from skills.names import display_name, file_name, slug

__all__ = ["Fields", "Step", "TrackRecord", "slug"]

DESCRIPTION = 1024  # characters, by the specification
TITLE = 200
OUR_METADATA = frozenset({"version", "source", "display-name"})  # of the frontmatter
_LIST = re.compile(r"\s*([-*+]|\d+[.)])\s")


def _null_as_empty(value: Any) -> Any:
    return "" if value is None else value


def _non_empty(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value


def _replace_surrogates(value: Any) -> Any:
    """The value with lone surrogates replaced in every text: language models write them, and pydantic refuses them."""
    if isinstance(value, str):
        return markdown.replace_unencodable(value)
    if isinstance(value, list):
        return [_replace_surrogates(item) for item in value]
    return (
        {_replace_surrogates(key): _replace_surrogates(item) for key, item in value.items()}
        if isinstance(value, dict)
        else value
    )


def _storable_json(value: dict[str, Any]) -> dict[str, Any]:
    """The value as JSON returns it and PostgreSQL can store it (no NUL, no lone surrogates). ValueError: not JSON."""
    try:
        text = json.dumps(value, allow_nan=False, sort_keys=True, ensure_ascii=False)
    except (TypeError, RecursionError) as error:
        raise ValueError("not JSON") from error
    storable: dict[str, Any] = json.loads(
        re.sub(r"(?<!\\)((?:\\\\)*)\\u0000", r"\1", markdown.replace_unencodable(text))
    )
    return storable


def _shorten_to(length: int) -> Callable[[str], str]:
    """A validator: one line of at most `length` characters without `---` (the reference validator splits on it)."""

    def shorten(text: str) -> str:
        line = re.sub(r"-{3,}", "—", markdown.one_line(text))
        return line if len(line) <= length else (line[: length - 1].rsplit(" ", 1)[0].rstrip() + "…")

    return shorten


def _as_list(value: Any) -> Any:
    if isinstance(value, str):
        return markdown.parse_list(markdown.paragraph(value)) if _LIST.match(value) else [value]
    return [] if value is None else value


def _as_terms(value: Any) -> Any:
    if isinstance(value, str) and not _LIST.match(value):
        return re.split(r"[,，、\n]", value)
    return _as_list(value)


def _as_numbered_list(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(step, str) for step in value):
        steps = [re.sub(r"^\d+[.)]\s+", "", markdown.paragraph(step)) for step in value]
        return markdown.format_list([step for step in steps if step], numbered=True)
    return _null_as_empty(value)


def _drop_empty(items: list[str]) -> list[str]:
    return [item for item in items if item]


def _safe_file_names(folder: str, default: str = "") -> Callable[[Any], Any]:
    """A validator of {file name: text} that makes every name safe. ValueError: unsafe, or equal to another one."""

    def rename(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        files = {file_name(str(name), folder=folder, default=default): text for name, text in value.items()}
        if len({name.lower() for name in files}) < len(value):
            raise ValueError(f"{folder}: two files would have the same name")
        return files

    return rename


def _foreign_metadata(values: dict[str, str]) -> dict[str, str]:
    """The metadata that others wrote, in single lines; what Memos writes itself is left out."""
    shorten = _shorten_to(500)
    pairs = sorted((shorten(key), shorten(value)) for key, value in values.items())
    return {key: value for key, value in pairs if key and value and key not in OUR_METADATA}


def _empty_as_none(value: Any) -> Any:
    return value or None


Line = Annotated[str, BeforeValidator(_null_as_empty), AfterValidator(markdown.one_line)]
Text = Annotated[str, AfterValidator(markdown.paragraph)]
Terms = Annotated[list[Line], BeforeValidator(_as_terms), AfterValidator(_drop_empty)]
Texts = Annotated[list[Text], BeforeValidator(_as_list), AfterValidator(_drop_empty)]
Blocks = Annotated[list[Annotated[str, AfterValidator(markdown.clean)]], AfterValidator(_drop_empty)]
Files = dict[str, str] | None


class Step(BaseModel):
    """One step of a recipe: what to do, the tool and its arguments (a JSON schema), and how success is recognised."""

    model_config = ConfigDict(extra="forbid")

    step: Line
    tool: Line = ""
    args_schema: Annotated[dict[str, Any], AfterValidator(_storable_json)] = Field(default_factory=dict)
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
    """How often the skill worked, counted once per episode. `since` and `until` are ISO dates of the runs."""

    successes: int = Field(default=0, ge=0)
    failures: int = Field(default=0, ge=0)
    partials: int = Field(default=0, ge=0)
    since: Line = ""
    until: Line = ""


class Fields(BaseModel):
    """The fields of a skill version; `name` is the slug, `title` the display name."""

    name: Annotated[str, AfterValidator(_non_empty), AfterValidator(slug)]
    title: Annotated[str, BeforeValidator(_null_as_empty), AfterValidator(_shorten_to(TITLE))] = ""
    description: Annotated[str, AfterValidator(_shorten_to(DESCRIPTION)), AfterValidator(_non_empty)]
    trigger: Terms = Field(default_factory=list)
    procedure: Annotated[Text, BeforeValidator(_as_numbered_list), AfterValidator(markdown.close_fence)] = ""
    experience: Texts = Field(default_factory=list)
    preference: Texts = Field(default_factory=list)
    examples: Annotated[Blocks, BeforeValidator(lambda value: [value] if isinstance(value, str) else value or [])] = (
        Field(default_factory=list)
    )
    scripts: Annotated[Files, BeforeValidator(_safe_file_names("scripts")), AfterValidator(_empty_as_none)] = None
    tool: Annotated[Texts | None, AfterValidator(_empty_as_none)] = None
    others: Annotated[Files, BeforeValidator(_safe_file_names("reference", ".md")), AfterValidator(_empty_as_none)] = (
        None
    )
    assets: Annotated[Files, BeforeValidator(_safe_file_names("assets")), AfterValidator(_empty_as_none)] = None
    recipe: Annotated[list[Step], BeforeValidator(_as_list)] = Field(default_factory=list)
    failure_modes: Texts = Field(default_factory=list)
    fallbacks: Texts = Field(default_factory=list)
    performance: TrackRecord | None = None
    license: Annotated[str, BeforeValidator(_null_as_empty), AfterValidator(_shorten_to(500))] = ""
    compatibility: Annotated[str, BeforeValidator(_null_as_empty), AfterValidator(_shorten_to(500))] = ""
    allowed_tools: Annotated[str, BeforeValidator(_null_as_empty), AfterValidator(_shorten_to(DESCRIPTION))] = ""
    metadata: Annotated[dict[str, str], AfterValidator(_foreign_metadata)] = Field(default_factory=dict)
    reference_folder: Literal["reference", "references"] = "reference"

    @model_validator(mode="before")
    @classmethod
    def _complete_name_and_title(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        try:
            data = _replace_surrogates(data)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
        name, title = data.get("name"), data.get("title")
        if not name and isinstance(title, str):
            return {**data, "name": title}
        if not title and isinstance(name, str) and name != slug(name):
            return {**data, "title": name}
        return data

    @model_validator(mode="after")
    def _complete_derived_fields(self) -> Self:
        self.title = self.title or display_name(self.name)
        if not self.procedure and self.recipe:
            steps = markdown.format_list(_drop_empty([str(step) for step in self.recipe]), numbered=True)
            self.procedure = markdown.close_fence(markdown.paragraph(steps))
        if self.performance == TrackRecord():
            self.performance = None
        return self
