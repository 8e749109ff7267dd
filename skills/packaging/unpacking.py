"""Zip -> Fields: which file is what. An upload is read leniently, and refused with every reason at once."""

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from pydantic import TypeAdapter, ValidationError

from skills.manifest import Fields, Step
from skills.names import file_name, shown
from skills.packaging import archives, skill_md_reader
from skills.packaging.archives import PackageRefused
from skills.packaging.skill_md_writer import RECIPE

_FIELDS = {"scripts": "scripts", "reference": "others", "references": "others", "assets": "assets"}
_CODE = {".py", ".sh", ".js", ".ts"}
_CLUTTER = {"__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini"}
_MOST = 50  # problems in one answer
_recipe = TypeAdapter(list[Step])


@dataclass(frozen=True, slots=True)
class Unpacked:
    fields: Fields
    warnings: list[str]


@dataclass(slots=True)
class _Layout:
    """The files of an archive by field, as far as they are understood."""

    skill_md: str = ""
    recipe: list[Step] = field(default_factory=list)
    groups: dict[str, dict[str, str]] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def read(content: bytes) -> Unpacked:
    """The fields in an uploaded zip. Raises PackageRefused; what was put right or left out stands in the warnings."""
    archive = archives.read(content)
    root = _root(archive)
    if root is None or not archive.files:
        raise PackageRefused(_counted(archive.problems or ["the zip is empty"]))
    layout = _Layout(problems=archive.problems)
    for name, data in archive.files.items():
        _place(layout, name, root, data)
    if layout.problems:
        raise PackageRefused(_counted(layout.problems))
    return _unpacked(layout, root)


def _root(archive: archives.Archive) -> str | None:
    """The folder of the one SKILL.md, "" for the top; None, and a problem, when it cannot be told."""
    found = {path.parent for name in archive.names if (path := PurePosixPath(name)).name.lower() == "skill.md"}
    roots = {"" if str(folder) == "." else str(folder) for folder in found if len(folder.parts) <= 1}
    if not archive.names:
        return None
    if len(roots) != 1:
        archive.problems.append(
            f"{len(roots)} folders with a SKILL.md, one is a skill"
            if roots
            else "no SKILL.md at the top or in the first folder"
        )
        return None
    return roots.pop()


def _place(layout: _Layout, name: str, root: str, data: bytes) -> None:
    parts = PurePosixPath(name).parts
    if any(part in _CLUTTER or part.startswith(".") for part in parts):
        layout.warnings.append(f"{shown(name)}: left out")
        return
    if root and parts[0] != root:
        layout.warnings.append(f"{shown(name)}: outside the skill's folder, left out")
        return
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = "\x00"
    inside = parts[1:] if root else parts
    if "\x00" in text:
        layout.problems.append(f"{shown(name)}: not a text in UTF-8")
    elif len(inside) == 1 and inside[0].lower() == "skill.md":
        layout.skill_md = text
        layout.problems += archives.too_large({"SKILL.md": data})
    elif inside == (RECIPE,) and (recipe := _steps(text)):
        layout.recipe = recipe
    else:
        _keep(layout, inside, text)


def _keep(layout: _Layout, inside: tuple[str, ...], text: str) -> None:
    """A file of scripts, reference or assets; one at the top goes where its kind belongs."""
    name, path = inside[-1], "/".join(inside)
    top = "scripts" if PurePosixPath(name).suffix.lower() in _CODE else "reference"
    folder = inside[0] if len(inside) == 2 else top
    if len(inside) > 2 or folder not in _FIELDS:
        layout.problems.append(f"{shown(path)}: files lie in scripts/, reference/ or assets/, no deeper")
        return
    try:
        safe = file_name(name, default=".md" if _FIELDS[folder] == "others" else "")
    except ValueError as error:
        layout.problems.append(str(error))
        return
    group = layout.groups.setdefault(_FIELDS[folder], {})
    new = f"{'reference' if folder == 'references' else folder}/{safe}"
    if safe.lower() in map(str.lower, group):
        layout.problems.append(f"{shown(path)}: there is another {new}")
    group[safe] = text
    if new != path:
        layout.moved[path] = new
        layout.warnings.append(f"{shown(path)}: is now {new}")


def _steps(text: str) -> list[Step]:
    try:
        return _recipe.validate_json(text)
    except (ValidationError, ValueError, RecursionError):
        return []


def _unpacked(layout: _Layout, root: str) -> Unpacked:
    text = layout.skill_md
    for old, new in layout.moved.items():  # links follow the file
        link = re.compile(rf"(?<=[(`]){re.escape(old)}(?=[)`#])")
        text = new.join(link.split(text))
    try:
        fields, warnings = skill_md_reader.read(text, folder=root, recipe=layout.recipe, **layout.groups)
    except ValidationError as error:
        told = [
            f"{'.'.join(map(str, each['loc']))}: {each['msg'].removeprefix('Value error, ')}" for each in error.errors()
        ]
        raise PackageRefused(_counted(told)) from error
    return Unpacked(fields, [*layout.warnings, *warnings])


def _counted(problems: list[str]) -> list[str]:
    more = len(problems) - _MOST
    return [*problems[:_MOST], f"and {more} more"] if more > 0 else problems
