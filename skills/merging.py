"""The next version of a skill from the former one and new material, without a language model."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from memories.values import text
from skills.manifest import Fields

LONGEST_STEM = 80  # of a file name that gets a number
MOST_LOST = 0.3  # share of the lines of a procedure that may go unnoticed


@dataclass(frozen=True)
class MergedFields:
    """The fields of the next version. `losses`: what of the former one is gone, for the reviewer."""

    fields: Fields
    losses: tuple[str, ...] = ()


def merge(former: Fields, new: Fields) -> MergedFields:
    """Unite lists and files; the procedure is the new one's, unless the former one was counted from runs.

    Name, title, record, recipe and what was learned from runs stay. A script or document that differs under one name is
    kept twice.
    """
    is_counted = bool(former.recipe)
    procedure = former.procedure if is_counted or not new.procedure else new.procedure
    update = {
        "description": former.description if is_counted else new.description,
        "procedure": procedure,
        "trigger": unite_lines(former.trigger, new.trigger),
        "experience": unite_lines(former.experience, new.experience),
        "preference": unite_lines(former.preference, new.preference),
        "examples": unite_lines(former.examples, new.examples),
        "tool": _unite_tools(former.tool or [], new.tool or []) or None,
        "scripts": _files(former.scripts or {}, new.scripts or {}) or None,
        "others": _files(former.others or {}, new.others or {}) or None,
    }
    return MergedFields(former.model_copy(update=update), tuple(_losses(former.procedure, procedure)))


def unite(main: Fields, other: Fields) -> Fields:
    """Merge two skills that overlap: lists and files of both. The procedure of `main` comes first; that of `other`
    follows under its title if it has a line that the first lacks.
    """
    merged_fields = merge(main, other).fields
    main_lines = {_comparison_key(line) for line in main.procedure.splitlines()}
    differs = any(_comparison_key(line) not in main_lines for line in other.procedure.splitlines() if line.strip())
    parts = [main.procedure, f"### {other.title}", other.procedure] if differs else [main.procedure]
    update = {
        "description": main.description,
        "procedure": "\n\n".join(part for part in parts if part),
        "failure_modes": unite_lines(main.failure_modes, other.failure_modes),
        "fallbacks": unite_lines(main.fallbacks, other.fallbacks),
        "assets": _files(main.assets or {}, other.assets or {}) or None,
    }
    return Fields.model_validate(merged_fields.model_copy(update=update).model_dump())


def unite_lines(former: Sequence[str], new: Sequence[str]) -> list[str]:
    """The lines of both, without duplicates; case, width of letters and a closing mark make no difference."""
    lines: dict[str, str] = {}
    for line in (*former, *new):
        lines.setdefault(_comparison_key(line), line)
    return list(lines.values())


def _comparison_key(line: str) -> str:
    return " ".join(text.normal(line).casefold().split()).rstrip(".!。！;；")


def _unite_tools(former: Sequence[str], new: Sequence[str]) -> list[str]:
    """The tools of both, each once: of two lines "`name`: purpose" with one name the new one is taken."""
    lines = {line.partition(":")[0].strip("` "): line for line in (*former, *new)}
    return list(lines.values())


def _files(former: dict[str, str], new: dict[str, str]) -> dict[str, str]:
    """The files of both, name -> content. A new one that differs from one of the same name (in any case) gets the first
    numbered name that is free or has this content already.
    """
    files = dict(former)
    for name, content in new.items():
        text_by_path = {path.lower(): text for path, text in files.items()}
        path = PurePosixPath(name)
        numbered_names = (f"{path.stem[:LONGEST_STEM]}-{number}{path.suffix}" for number in range(2, len(files) + 3))
        free_name = next(
            candidate
            for candidate in (name, *numbered_names)
            if text_by_path.get(candidate.lower(), content) == content
        )
        if free_name.lower() not in text_by_path:
            files[free_name] = content
    return files


def _losses(former: str, new: str) -> list[str]:
    before = [_comparison_key(line) for line in former.splitlines() if line.strip()]
    after = {_comparison_key(line) for line in new.splitlines()}
    lost_lines = [line for line in before if line not in after]
    return (
        [f"{len(lost_lines)} of {len(before)} lines of the procedure are gone"]
        if len(lost_lines) > MOST_LOST * len(before)
        else []
    )
