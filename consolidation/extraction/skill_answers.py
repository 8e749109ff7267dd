"""Shapes of the language model's answers about a skill. Coerced is what models often write; the rest is refused."""

from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, Field, GetJsonSchemaHandler, StringConstraints, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from consolidation.learning.writing import naming
from memories.values import text
from skills.manifest import Fields

MOST_FILES = 5  # scripts, and documents, of one skill
NOTHING = "#.… \t\r\n"  # a file of these alone repeats the form of the answer
FIELDS = ("name", "description", "trigger", "procedure", "experience", "preference", "examples")


class Query(BaseModel):
    """One sentence with which memories and skills are recalled."""

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1_000)]

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: Any) -> Any:
        return {"query": value} if isinstance(value, str) else value


class Brief(BaseModel):
    """A file that is to be written: its name, and what it holds."""

    file: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
    brief: str = ""


def _briefs(value: Any) -> Any:
    """Briefs of a list of objects or sentences ("name: what it does"), or of an object by file name."""
    if isinstance(value, dict):
        value = [{"file": name, "brief": brief} for name, brief in value.items()]
    if isinstance(value, str):
        value = [value]
    return [_brief(item) for item in value if item] if isinstance(value, list) else [] if value is None else value


def _brief(item: Any) -> Any:
    if isinstance(item, str):
        name, _, brief = item.partition(":")
        return {"file": name, "brief": brief.strip()}
    if isinstance(item, dict):
        return {
            "file": item.get("file") or item.get("name") or item.get("filename"),
            "brief": str(item.get("brief", "")),
        }
    return item


Briefs = Annotated[list[Brief], BeforeValidator(_briefs), Field(max_length=50)]


def _as_bool(value: Any) -> Any:
    return str(value).strip().lower() in ("true", "yes", "1", "是") if isinstance(value, str) else bool(value)


class ToolUse(BaseModel):
    name: str
    use: str = ""


def _as_uses(value: Any) -> Any:
    """Uses of a list of tools or their names, or of one."""
    items = value if isinstance(value, list) else [] if value is None else [value]
    return [{"name": item} if isinstance(item, str) else item for item in items]


ToolUses = Annotated[list[ToolUse], BeforeValidator(_as_uses)]


class DraftSkill(BaseModel):
    """The fields of a skill as the model extracts them; `scripts` and `others` are yet to be written.

    `update`, `old_memory_id`: the recalled skill that it improves, in the model's opinion.
    """

    fields: Fields
    tool: ToolUses = []
    scripts: Briefs = []
    others: Briefs = []
    update: Annotated[bool, BeforeValidator(_as_bool)] = False
    old_memory_id: str | None = None

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """As the prompts ask for it: the fields beside the to-do lists. A model that answers in a schema writes nothing
        else, and what it may leave out a weak one does."""
        reference = handler(core)
        schema = handler.resolve_ref_schema(reference)
        fields = handler.resolve_ref_schema(schema["properties"].pop("fields"))["properties"]
        schema["properties"] = {name: fields[name] for name in FIELDS} | schema["properties"]
        schema["required"] = [*FIELDS, "tool"]
        return reference

    @model_validator(mode="before")
    @classmethod
    def _apart(cls, value: Any) -> Any:
        """The fields of the version apart from the to-do lists, which have other shapes there. What else a version
        holds, such as its record, is not the model's to say."""
        if not isinstance(value, dict):
            return value
        if isinstance(fields := value.get("fields"), dict):
            return {**value, "fields": {name: fields[name] for name in (*FIELDS, "title") if name in fields}}
        named = {name: value.get(name) for name in FIELDS if value.get(name) is not None}
        if isinstance(skill_name := named.get("name"), str) and text.UNSPACED.search(skill_name):
            named |= {
                "name": naming.slug(skill_name, skill_name, ()),
                "title": skill_name,
            }  # pinyin, as learned skills have it
        to_do = {name: value[name] for name in ("tool", "scripts", "others", "update") if name in value}
        old = value.get("old_memory_id")
        return {"fields": named, **to_do, "old_memory_id": str(old) if old else None}


class Extraction(BaseModel):
    """A skill, or none: null means that nothing is worth keeping. Also read from the fields alone, and from null."""

    skill: DraftSkill | None = None
    reason: str = ""

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: Any) -> Any:
        if not value:
            return {}
        if isinstance(value, dict) and "skill" not in value and "name" in value:
            return {"skill": value}
        if isinstance(value, dict) and not value.keys() & cls.model_fields.keys():
            raise ValueError("it has neither a skill nor a reason")
        if isinstance(value, dict):
            return {"skill": value.get("skill") or None, "reason": str(value.get("reason") or "")}
        return value


class Scripts(BaseModel):
    """Programs by file name."""

    scripts: dict[str, str] = {}

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: Any) -> Any:
        if isinstance(value, dict) and "scripts" not in value:
            value = {"scripts": value}
        files = (value["scripts"] or {}) if isinstance(value, dict) else value
        if isinstance(files, dict):
            files = {name: code for name, code in files.items() if str(code).strip(NOTHING)}
        return {"scripts": files}


class Tools(BaseModel):
    """The tools that a skill needs, each with what it is for."""

    tools: ToolUses = []

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: Any) -> Any:
        return {"tools": value.get("tools") if isinstance(value, dict) else value}


class Document(BaseModel):
    """The text of one reference document, in Markdown; empty: there was not enough for it."""

    content: str = ""

    @model_validator(mode="after")
    def _stripped(self) -> Self:
        self.content = self.content.strip() if self.content.strip(NOTHING) else ""
        return self
