"""The runs behind each line of a skill, as a reviewer sees them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from consolidation.learning.commands.forms import in_braces
from consolidation.models.worth import MODEL
from memories.models import Episode
from memories.values.trust import Trust
from skills.models import SkillVersion

NUMBER = re.compile(r"\d+")
TITLES = {
    "procedure": _("Procedure"),
    "experience": _("Experience"),
    "failure_modes": _("Failure modes"),
    "fallbacks": _("Fallbacks"),
}


@dataclass(frozen=True)
class LineRuns:
    """A line of a field, with those of its `of` runs that are named; `by_model`: a language model wrote it."""

    field: str
    text: str
    runs: Sequence[UUID]
    of: int
    by_model: bool = False


@dataclass(frozen=True)
class Link:
    pk: UUID
    outcome: str
    title: str
    at: datetime


def of_version(lines: Mapping[str, Sequence[Mapping[str, Any]]], version: SkillVersion | None) -> list[LineRuns]:
    """The lines that a version holds, compared without numbers and placeholders: it may be older, or edited."""
    if version is None:
        return []
    shown_lines = []
    for field, rows in lines.items():
        version_lines = {_masked(line) for line in _lines(version.fields.get(field))}
        rows_with_runs = [row for row in rows if row["runs"] and _masked(row["text"]) in version_lines]
        shown_lines += [_line(field, row) for row in rows_with_runs]
    return shown_lines


def _line(field: str, row: Mapping[str, Any]) -> LineRuns:
    runs = [UUID(run) for run in row["runs"]]
    return LineRuns(field, row["text"], runs, row["of"], by_model=row.get("by") == MODEL)


def visible(lines: Iterable[LineRuns], trust: Trust) -> dict[UUID, Link]:
    """Links to those of the runs that exist and that the caller may see, in one query."""
    ids = {run for line in lines for run in line.runs}
    if not ids:
        return {}
    rows = Episode.objects.visible_to(trust).filter(pk__in=ids, closed_at__isnull=False)
    columns = rows.values_list("pk", "outcome", "title", "closed_at")
    return {pk: Link(pk, outcome or "", title, at) for pk, outcome, title, at in columns if at}


def sections(lines: Sequence[LineRuns], links: Mapping[UUID, Link]) -> list[dict[str, Any]]:
    """Field by field its lines, each with links to its runs, the newest first."""
    sections_shown = []
    for field, title in TITLES.items():
        rows = [(line, [links[run] for run in line.runs if run in links]) for line in lines if line.field == field]
        lines_with_runs = [
            {
                "text": line.text,
                "of": line.of,
                "by_model": line.by_model,
                "runs": sorted(runs, key=lambda run: run.at, reverse=True),
            }
            for line, runs in rows
            if runs
        ]
        if lines_with_runs:
            sections_shown.append({"title": title, "lines": lines_with_runs})
    return sections_shown


def _lines(value: Any) -> list[str]:
    """Of a numbered text, or of a list."""
    if isinstance(value, str):
        return [re.sub(r"^\d+\. ", "", line) for line in value.splitlines()]
    return value if isinstance(value, list) else []


def _masked(line: str) -> str:
    return NUMBER.sub("#", in_braces(line))
