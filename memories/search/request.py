"""Validation of requests for search and context, including parameter names of other published designs."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic.json_schema import SkipJsonSchema

from memories.values.choices import BELIEVED, UNDECIDED, Sensitivity, Type
from memories.values.field_types import (
    AS_INSTANT,
    CategoryName,
    Described,
    Given,
    Instant,
    NotBoolean,
    ScopeName,
    SensitivityName,
    Tags,
    Text,
    YesNo,
    read_question,
)
from memories.values.trust import Trust

OTHER_NAMES = {"SkillMemory": Type.COMPETENCE.value}


def _type(name: Any) -> Any:
    return OTHER_NAMES.get(name, name) if isinstance(name, str) else name


TypeName = Annotated[
    Literal["episodic", "semantic", "working", "competence", "plan_graph"],
    BeforeValidator(_type),
    Field(json_schema_extra={"enum": [*Type.values, *OTHER_NAMES]}),
]
StatusName = Literal["candidate", "confirmed", "applied", "contested", "dismissed", "superseded", "retracted"]
Scopes = Annotated[list[ScopeName], Field(max_length=100)]


class InScopes(Described):
    """A question in some scopes."""

    scopes: Scopes = []
    scope: SkipJsonSchema[ScopeName | None] = None  # a list of one

    @property
    def named_scopes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.scopes, *([] if self.scope is None else [self.scope])]))


PAST = "Answer with what was live then, in its former words, without what was forgotten since; nothing counts as used"
PastInstant = Annotated[Instant, Field(description=f"{PAST}. {AS_INSTANT}", examples=["2026-03-01T12:00:00Z"])]


class Narrowed(BaseModel):
    """Narrows the caller's trust."""

    model_config = ConfigDict(extra="ignore")

    max_sensitivity: SensitivityName | None = None
    scopes: Scopes = []


class Narrowing(InScopes):
    """A question about what the caller may see, or about less."""

    scopes: Scopes = []
    """Scopes to read; memories without one or with a global one always count"""
    max_sensitivity: SensitivityName | None = None
    trust: Narrowed | None = None
    """Narrows what the caller may see, as `scopes` and `max_sensitivity` do"""

    def narrows(self, trust: Trust) -> Trust:
        """The caller's trust, as restricted by the request."""
        less = _narrowed(trust, self.max_sensitivity, self.named_scopes)
        return _narrowed(less, self.trust.max_sensitivity, self.trust.scopes) if self.trust else less


def _narrowed(trust: Trust, ceiling: SensitivityName | None, scopes: Sequence[str]) -> Trust:
    return trust.narrowed(max_sensitivity=Sensitivity.named(ceiling) if ceiling else None, scopes=scopes)


class AskingRun(Described):
    """The run that asks."""

    for_run: Annotated[str, StringConstraints(strip_whitespace=True, max_length=512)] = ""
    """The thread or episode that asks; omits skills withheld from it"""


class SearchRequest(AskingRun, Narrowing):
    """What to search. Without a `query`: the most salient memories, then the newest."""

    query: Text = Field("", validation_alias=AliasChoices("query", "task_descriptor"))
    types: list[TypeName] = Field([], validation_alias=AliasChoices("types", "memory_types"), max_length=10)
    statuses: Annotated[list[StatusName], Field(max_length=10)] = []
    """Default: confirmed and applied. `dismissed` needs the permission review (403)"""
    categories: Annotated[list[CategoryName], Field(max_length=10)] = []
    tags: Tags = []
    """Only memories with all of these tags"""
    source: Given | None = Field(None, validation_alias=AliasChoices("source", "source_plugin"))
    company_id: Given | None = None
    thread_id: Given | None = None
    min_salience: Annotated[float, Field(ge=0, le=1), NotBoolean] = 0.0
    """Only memories with at least this salience now"""
    min_confidence: Annotated[int, Field(ge=0, le=100), NotBoolean] = 0
    as_of: PastInstant = None
    limit: Annotated[int, Field(ge=1, le=100), NotBoolean] = 10
    include_redacted: YesNo = False
    """Adds stubs of memories exactly one level above the caller's clearance, after the results"""
    include_candidates: YesNo = False
    """Includes candidates and contested memories"""
    unit: Literal["memory", "passage"] = "memory"
    selection_confidence_threshold: Annotated[float, Field(ge=0, le=1), NotBoolean] | None = None
    """Below this confidence the selection among competences and plans says `needs_more`; default: 0.7"""
    explain: YesNo = False

    @property
    def statuses_wanted(self) -> list[str]:
        undecided_statuses = [status.value for status in UNDECIDED] if self.include_candidates else []
        return [*(self.statuses or (status.value for status in BELIEVED)), *undecided_statuses]


def check(raw: Any) -> SearchRequest:
    """Validate a request body. Invalid names every wrong field. Null and blank identifiers count as not given."""
    return read_question(SearchRequest, raw)


class ContextRequest(Narrowing):
    """What to give as context. Without a `task`: what is known about the company and from the source."""

    task: Text = Field("", validation_alias=AliasChoices("task", "task_descriptor"))
    """What the agent is about to do, in any words"""
    source: Given | None = Field(None, validation_alias=AliasChoices("source", "source_plugin"))
    """The source that asks; default: the caller"""
    company_id: Given | None = None
    """Default: the known company that the task names, if it names one only"""
    thread_id: Given | None = None
    """The thread in which the context will be used; it does not limit what is given"""
    repository: Annotated[str, Field(max_length=512)] = ""
    """Where the agent works: a repository's address, `owner/name`, or a folder"""
    as_of: PastInstant = None
    limit: Annotated[int, Field(ge=1, le=100), NotBoolean] = 5
    token_budget: Annotated[int, Field(ge=1, le=100_000), NotBoolean] = 300
    """The most tokens of memories and quotes; guidance adds up to 200, the `repository` a few lines. A token is four
    characters, or one of Chinese, Japanese or Korean"""
    quotes: Annotated[int, Field(ge=0, le=20), NotBoolean] = 3
    """The most passages of earlier conversations to give where no memory fits"""

    def only_scope(self, trust: Trust) -> str | None:
        """The scope to write down with this request: the only one that it names, if it is the caller's; else None."""
        scopes = self.named_scopes
        return scopes[0] if len(scopes) == 1 and (trust.scopes is None or scopes[0] in trust.scopes) else None


def check_context(raw: Any) -> ContextRequest:
    """As `check`, of a request for a context."""
    return read_question(ContextRequest, raw)
