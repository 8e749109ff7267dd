"""Reading the fields of a skill from an uploaded zip: lenient, and a refusal names every reason at once."""

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from pydantic import TypeAdapter, ValidationError

from skills.manifest import Fields, Step
from skills.names import file_name, printable
from skills.packaging import archives, skill_md_reader
from skills.packaging.archives import PackageRefused
from skills.packaging.skill_md_writer import RECIPE

_FIELD_OF_FOLDER = {"scripts": "scripts", "reference": "others", "references": "others", "assets": "assets"}
_CODE_EXTENSIONS = {".py", ".sh", ".js", ".ts"}
_IGNORED_NAMES = {"__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini"}
_MAX_PROBLEMS = 50  # problems in one answer
_recipe = TypeAdapter(list[Step])


@dataclass(frozen=True, slots=True)
class UnpackedSkill:
    fields: Fields
    warnings: list[str]


@dataclass(slots=True)
class _Layout:
    """The files of an archive assigned to the fields of a skill. `moved`: new path by the path in the archive."""

    skill_md: str = ""
    recipe: list[Step] = field(default_factory=list)
    groups: dict[str, dict[str, str]] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def read(content: bytes) -> UnpackedSkill:
    """The fields in an uploaded zip, with warnings about changes and omissions. PackageRefused names every problem."""
    archive = archives.read(content)
    root = _root(archive)
    if root is None or not archive.files:
        raise PackageRefused(_truncate(archive.problems or ["the zip is empty"]))
    layout = _Layout(problems=archive.problems)
    for name, data in archive.files.items():
        _place(layout, name, root, data)
    if layout.problems:
        raise PackageRefused(_truncate(layout.problems))
    return _parse(layout, root)


def _root(archive: archives.Archive) -> str | None:
    """The folder of the only SKILL.md, "" for the top; without exactly one None, and a problem in `archive`."""
    folders = {path.parent for name in archive.names if (path := PurePosixPath(name)).name.lower() == "skill.md"}
    roots = {"" if str(folder) == "." else str(folder) for folder in folders if len(folder.parts) <= 1}
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
    if any(part in _IGNORED_NAMES or part.startswith(".") for part in parts):
        layout.warnings.append(f"{printable(name)}: left out")
        return
    if root and parts[0] != root:
        layout.warnings.append(f"{printable(name)}: outside the skill's folder, left out")
        return
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = "\x00"
    inside = parts[1:] if root else parts
    if "\x00" in text:
        layout.problems.append(f"{printable(name)}: not a text in UTF-8")
    elif len(inside) == 1 and inside[0].lower() == "skill.md":
        layout.skill_md = text
        layout.problems += archives.size_problems({"SKILL.md": data})
    elif inside == (RECIPE,) and (recipe := _steps(text)):
        layout.recipe = recipe
    else:
        _add_file(layout, inside, text)


def _add_file(layout: _Layout, inside: tuple[str, ...], text: str) -> None:
    """Add a file of scripts/, reference/ or assets/; one at the top joins scripts/ or reference/ by its extension."""
    name, path = inside[-1], "/".join(inside)
    top = "scripts" if PurePosixPath(name).suffix.lower() in _CODE_EXTENSIONS else "reference"
    folder = inside[0] if len(inside) == 2 else top
    if len(inside) > 2 or folder not in _FIELD_OF_FOLDER:
        layout.problems.append(f"{printable(path)}: files lie in scripts/, reference/ or assets/, no deeper")
        return
    try:
        safe = file_name(name, default=".md" if _FIELD_OF_FOLDER[folder] == "others" else "")
    except ValueError as error:
        layout.problems.append(str(error))
        return
    group = layout.groups.setdefault(_FIELD_OF_FOLDER[folder], {})
    new = f"{'reference' if folder == 'references' else folder}/{safe}"
    if safe.lower() in map(str.lower, group):
        layout.problems.append(f"{printable(path)}: there is another {new}")
    group[safe] = text
    if new != path:
        layout.moved[path] = new
        layout.warnings.append(f"{printable(path)}: is now {new}")


def _steps(text: str) -> list[Step]:
    try:
        return _recipe.validate_json(text)
    except (ValidationError, ValueError, RecursionError):
        return []


def _parse(layout: _Layout, root: str) -> UnpackedSkill:
    text = layout.skill_md
    for old, new in layout.moved.items():  # links follow the file
        link = re.compile(rf"(?<=[(`]){re.escape(old)}(?=[)`#])")
        text = new.join(link.split(text))
    try:
        fields, warnings = skill_md_reader.read(text, folder=root, recipe=layout.recipe, **layout.groups)
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, each['loc']))}: {each['msg'].removeprefix('Value error, ')}" for each in error.errors()
        ]
        raise PackageRefused(_truncate(problems)) from error
    return UnpackedSkill(fields, [*layout.warnings, *warnings])


def _truncate(problems: list[str]) -> list[str]:
    more = len(problems) - _MAX_PROBLEMS
    return [*problems[:_MAX_PROBLEMS], f"and {more} more"] if more > 0 else problems
