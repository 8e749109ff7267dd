"""The next version of a skill from the former one and new material, without a language model."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from memories.values import text
from skills.manifest import Fields

LONGEST_STEM = 80  # of a file name that gets a number
MOST_LOST = 0.3  # share of the lines of a procedure that may go unnoticed


@dataclass(frozen=True)
class Merged:
    """The fields of the next version. `losses`: what of the former one is gone, for the reviewer."""

    fields: Fields
    losses: tuple[str, ...] = ()


def merge(former: Fields, new: Fields) -> Merged:
    """Unite lists and files; the procedure is the new one's, unless the former one was counted from runs.

    Name, title, record, recipe and what was learned from runs stay. A script or document that differs under one name is
    kept twice.
    """
    counted = bool(former.recipe)
    procedure = former.procedure if counted or not new.procedure else new.procedure
    update = {
        "description": former.description if counted else new.description,
        "procedure": procedure,
        "trigger": united(former.trigger, new.trigger),
        "experience": united(former.experience, new.experience),
        "preference": united(former.preference, new.preference),
        "examples": united(former.examples, new.examples),
        "tool": _united_tools(former.tool or [], new.tool or []) or None,
        "scripts": _files(former.scripts or {}, new.scripts or {}) or None,
        "others": _files(former.others or {}, new.others or {}) or None,
    }
    return Merged(former.model_copy(update=update), tuple(_losses(former.procedure, procedure)))


def unite(kept: Fields, other: Fields) -> Fields:
    """One skill of two that overlap: lists and files of both. The kept one's procedure comes first; what the other one
    does differently follows under its title, so that nothing vanishes.
    """
    both = merge(kept, other).fields
    known = {_compared(line) for line in kept.procedure.splitlines()}
    differs = any(_compared(line) not in known for line in other.procedure.splitlines() if line.strip())
    parts = [kept.procedure, f"### {other.title}", other.procedure] if differs else [kept.procedure]
    update = {
        "description": kept.description,
        "procedure": "\n\n".join(part for part in parts if part),
        "failure_modes": united(kept.failure_modes, other.failure_modes),
        "fallbacks": united(kept.fallbacks, other.fallbacks),
        "assets": _files(kept.assets or {}, other.assets or {}) or None,
    }
    return Fields.model_validate(both.model_copy(update=update).model_dump())


def united(former: Sequence[str], new: Sequence[str]) -> list[str]:
    """Both, each line once whatever its case, width of letters and closing mark."""
    lines: dict[str, str] = {}
    for line in (*former, *new):
        lines.setdefault(_compared(line), line)
    return list(lines.values())


def _compared(line: str) -> str:
    return " ".join(text.normal(line).casefold().split()).rstrip(".!。！;；")


def _united_tools(former: Sequence[str], new: Sequence[str]) -> list[str]:
    """Each tool once: a line is "`name`: what for", and the newer sentence about a tool holds."""
    lines = {line.partition(":")[0].strip("` "): line for line in (*former, *new)}
    return list(lines.values())


def _files(former: dict[str, str], new: dict[str, str]) -> dict[str, str]:
    """Both; one that differs under the same name, in whatever case, gets a number, unless an earlier merge has kept it
    so.
    """
    files = dict(former)
    for name, content in new.items():
        known = {path.lower(): text for path, text in files.items()}
        path = PurePosixPath(name)
        numbered = (f"{path.stem[:LONGEST_STEM]}-{number}{path.suffix}" for number in range(2, len(files) + 3))
        place = next(other for other in (name, *numbered) if known.get(other.lower(), content) == content)
        if place.lower() not in known:
            files[place] = content
    return files


def _losses(former: str, new: str) -> list[str]:
    before = [_compared(line) for line in former.splitlines() if line.strip()]
    after = {_compared(line) for line in new.splitlines()}
    gone = [line for line in before if line not in after]
    return (
        [f"{len(gone)} of {len(before)} lines of the procedure are gone"] if len(gone) > MOST_LOST * len(before) else []
    )
