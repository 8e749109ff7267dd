"""Validation of context requests, including parameter names of other published designs."""

from typing import Annotated, Any

from pydantic import AliasChoices, Field

from memories.search.request import Narrowing, PastInstant
from memories.values.field_types import Given, NotBoolean, Text, read_question
from memories.values.trust import Trust


class ContextRequest(Narrowing):
    """Without a task: what is known of the company and from the source."""

    task: Text = Field("", validation_alias=AliasChoices("task", "task_descriptor"))
    """What the agent is about to do, in any words"""
    source: Given | None = Field(None, validation_alias=AliasChoices("source", "source_plugin"))
    """Default: the caller"""
    company_id: Given | None = None
    """Default: the one known company that the task names"""
    thread_id: Given | None = None
    """Where it is going to be used; what was learnt elsewhere is known here too"""
    repository: Annotated[str, Field(max_length=512)] = ""
    """Where it works: a repository's address, `owner/name`, or a folder"""
    as_of: PastInstant = None
    limit: Annotated[int, Field(ge=1, le=100), NotBoolean] = 5
    token_budget: Annotated[int, Field(ge=1, le=100_000), NotBoolean] = 300
    """Of memories and quotes; guidance adds at most 200, and the `repository` a few lines. Four characters count as a
    token, of Chinese, Japanese and Korean one"""
    quotes: Annotated[int, Field(ge=0, le=20), NotBoolean] = 3
    """Of what was said before, where nothing is known"""

    def only_scope(self, trust: Trust) -> str | None:
        """The scope to write down with this request: the only one that it names, if it is the caller's; else None."""
        scopes = self.named_scopes
        return scopes[0] if len(scopes) == 1 and (trust.scopes is None or scopes[0] in trust.scopes) else None


def check(raw: Any) -> ContextRequest:
    """Validate a request body. Invalid names every wrong field. Null and blank identifiers count as not given."""
    return read_question(ContextRequest, raw)
