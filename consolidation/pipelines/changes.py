"""Whether new runs change a skill enough for a new version, and the changelog that says how."""

import re

from skills.manifest import Fields
from skills.packaging.skill_md_writer import differs_beyond_track_record

NUMBER = re.compile(r"\d+")


def is_material(before: Fields, after: Fields, *, open_proposal: bool) -> bool:
    """Whether a new version is worth proposing.

    A proposal that nobody has decided follows whatever SKILL.md says beyond its track record; a published version only
    another way of working: steps, what each needs, failures met and what was done after them. Numbers alone never.
    """
    return differs_beyond_track_record(before, after) if open_proposal else _way(before) != _way(after)


def changelog(before: Fields | None, after: Fields) -> str:
    """One line that says how a version differs from the one before."""
    if before is None:
        return "First version, from recorded runs"
    changed = [
        *_named("steps added", _tools(after) - _tools(before)),
        *_named("steps gone", _tools(before) - _tools(after)),
        *(["order or need of steps"] if _steps(before) != _steps(after) and _tools(before) == _tools(after) else []),
        *(["failure modes"] if _masked(before.failure_modes) != _masked(after.failure_modes) else []),
        *(["fallbacks"] if _masked(before.fallbacks) != _masked(after.fallbacks) else []),
    ]
    return "; ".join(changed) or "Wording and numbers, after more runs"


def _named(what: str, tools: set[str]) -> list[str]:
    return [f"{what}: {', '.join(sorted(tools))}"] if tools else []


def _tools(fields: Fields) -> set[str]:
    return {step.tool for step in fields.recipe}


def _steps(fields: Fields) -> list[tuple[str, bool, tuple[str, ...]]]:
    return [(step.tool, step.optional, tuple(step.args_schema.get("required", ()))) for step in fields.recipe]


def _masked(lines: list[str]) -> set[str]:
    return {NUMBER.sub("#", line) for line in lines}


def _way(fields: Fields) -> tuple[object, ...]:
    return _steps(fields), _masked(fields.failure_modes), _masked(fields.fallbacks)
