"""Guidance in the caller's own words: tools by the names that its harness has for them ("`replace`", not "`edit`")."""

import re
from collections.abc import Mapping
from typing import Any

from consolidation.guidance.request import GuidanceQuestion
from consolidation.learning.runs.harness_tools import names_of
from memories.values.trust import Trust

NAMING = frozenset({"effects", "tool"})  # fields that hold names of tools
SPEAKING = frozenset({"text", "note", "summary", "steps", "checks", "avoid", "said"})  # of ours, with names in code


def of_caller(asked: GuidanceQuestion, trust: Trust) -> dict[str, str]:
    """Common name -> the caller's, by the source that it speaks for, else by the tools that it has called."""
    about = asked.request.about_to
    called = [call.tool for call in asked.run.steps] + ([about.tool] if about else [])
    return names_of(asked.request.source or trust.actor.name, tuple(called))


def in_names(value: Any, names: Mapping[str, str], field: str = "") -> Any:
    """The JSON value with common names of tools replaced where they name tools, and nowhere else."""
    if isinstance(value, dict):
        return {key: in_names(item, names, key) for key, item in value.items()}
    if isinstance(value, list):
        return [in_names(item, names, field) for item in value]
    if isinstance(value, str) and field in NAMING:
        return names.get(value, value)
    return text_in_names(value, names) if isinstance(value, str) and field in SPEAKING else value


def text_in_names(text: str, names: Mapping[str, str]) -> str:
    """The text with the names that stand in it as code replaced."""
    return re.sub(r"`([a-z]+)`", lambda found: f"`{names.get(found[1], found[1])}`", text)
