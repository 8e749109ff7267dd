"""Reading the fields of a skill from uploaded files: lenient, and a refusal names every reason at once.

The files keep their names and bytes. Only what could not be exported again is changed, and told as a warning: an unsafe
file name, or a frontmatter that does not follow the specification.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from pydantic import TypeAdapter, ValidationError

from skills.manifest import Fields, Step
from skills.names import BARE_NAMES, EXTENSIONS, PATH_PART, file_name, for_windows, printable
from skills.packaging import frontmatter, skill_md_reader, zip_reading
from skills.packaging.skill_md_writer import RECIPE
from skills.packaging.zip_reading import Archive, PackageRefused

ASSETS = "assets"
_FIELD_OF_FOLDER = {"scripts": "scripts", "reference": "others", "references": "others", ASSETS: ASSETS}
_IGNORED_NAMES = {"__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini"}
_MAX_PROBLEMS = 50  # problems in one answer
_MAX_DEPTH = 8
NOT_YAML = "SKILL.md: the frontmatter is not valid YAML, or too long or deep"
_recipe = TypeAdapter(list[Step])


@dataclass(frozen=True, slots=True)
class UnpackedSkill:
    """`files`: every file by its path in the skill's folder, SKILL.md included."""

    fields: Fields
    files: dict[str, bytes]
    warnings: list[str]


@dataclass(slots=True)
class _Layout:
    """The acceptable files of an archive by path. `new_paths`: changed path by the path in the archive."""

    skill_md: bytes = b""
    files: dict[str, bytes] = field(default_factory=dict)
    new_paths: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def read(archive: Archive) -> UnpackedSkill:
    """The skill in an archive, with warnings about changes and omissions. PackageRefused names every problem."""
    root = _root(archive)
    if not archive.names:
        raise PackageRefused(_truncate(archive.problems or ["the zip is empty"]))
    if root is None:  # the problems of the files are named too
        _place_without_root(archive)
        raise PackageRefused(_truncate(archive.problems))
    layout = _Layout(problems=archive.problems)
    for name, data in archive.files.items():
        _place(layout, name, root, data)
    _add_problems_of_unread(layout, archive.unread, root)
    if layout.problems:
        raise PackageRefused(_truncate([*layout.problems, *_field_problems(layout, root)]))
    return _parse(layout, root)


def _add_problems_of_unread(layout: _Layout, names: Iterable[str], root: str) -> None:
    """Add why files that were not read, because the archive exceeds a limit, may not lie where they do."""
    for name in names:
        parts = PurePosixPath(name).parts
        is_ignored = any(part in _IGNORED_NAMES or part.startswith(".") for part in parts)
        inner_parts = parts[1:] if root else parts
        if is_ignored or (root and parts[0] != root) or [part.lower() for part in inner_parts] == ["skill.md"]:
            continue
        try:
            safe_path("/".join(inner_parts))
        except ValueError as error:
            layout.problems.append(str(error))


def _field_problems(layout: _Layout, root: str) -> list[str]:
    """What is wrong within a SKILL.md of a bearable size, beside the problems of the files."""
    if not layout.skill_md or len(layout.skill_md) > zip_reading.MAX_SKILL_MD:
        return []
    try:
        _parse(layout, root)
    except PackageRefused as refused:
        return refused.problems
    return []


def with_name(skill: UnpackedSkill, name: str) -> UnpackedSkill:
    """The skill under another name: in the frontmatter, which is written anew; all else stays as it is."""
    fields = skill.fields.model_copy(update={"name": name})
    text = frontmatter.rewritten(skill.files["SKILL.md"].decode(), fields)
    warning = f"it is called {name} here: the name in its frontmatter was changed"
    return UnpackedSkill(fields, {**skill.files, "SKILL.md": text.encode()}, [*skill.warnings, warning])


def _root(archive: Archive) -> str | None:
    """The folder of the only SKILL.md, "" for the top; without exactly one None, and a problem in `archive`."""
    folders = {path.parent for name in archive.names if (path := PurePosixPath(name)).name.lower() == "skill.md"}
    roots = {"" if str(folder) == "." else str(folder) for folder in folders if len(folder.parts) <= 1}
    if not archive.names:
        return None
    if "" in roots or len(roots) == 1:  # one at the top: those below are files of it
        return "" if "" in roots else roots.pop()
    problem = f"{len(roots)} folders with a SKILL.md, one is a skill"
    archive.problems.append(problem if roots else "no SKILL.md at the top or in the first folder")
    return None


def _place_without_root(archive: Archive) -> None:
    """Add the problems of the files, each of which lies in the skill of its first folder where that has a SKILL.md."""
    skill_files = {name for name in archive.names if PurePosixPath(name).name.lower() == "skill.md"}
    folders = {parts[0] for name in skill_files if len(parts := PurePosixPath(name).parts) == 2}
    tops = {parts[0] for name in archive.names if len(parts := PurePosixPath(name).parts) > 1}
    skill_folders = tops if len(tops) == 1 and all("/" in name for name in archive.names) else folders
    layout = _Layout(problems=archive.problems)
    for name in archive.unread:
        top = PurePosixPath(name).parts[0]
        _add_problems_of_unread(layout, [name], top if top in skill_folders else "")
    for name, data in archive.files.items():
        top = PurePosixPath(name).parts[0]
        layout = _Layout(problems=archive.problems)
        _place(layout, name, top if top in skill_folders else "", data)


def _place(layout: _Layout, name: str, root: str, data: bytes) -> None:
    parts = PurePosixPath(name).parts
    if any(part in _IGNORED_NAMES or part.startswith(".") for part in parts):
        layout.warnings.append(f"{printable(name)}: left out")
        return
    if root and parts[0] != root:
        layout.warnings.append(f"{printable(name)}: outside the skill's folder, left out")
        return
    inside = parts[1:] if root else parts
    if inside[0] != ASSETS and not is_text(data):
        layout.problems.append(f"{printable(name)}: not a text in UTF-8; other files belong into {ASSETS}/")
    elif len(inside) == 1 and inside[0].lower() == "skill.md":
        layout.skill_md = data
        layout.problems += zip_reading.size_problems({"SKILL.md": data})
    else:
        _add_file(layout, inside, data)


def _add_file(layout: _Layout, inside: tuple[str, ...], data: bytes) -> None:
    path = "/".join(inside)
    try:
        place = safe_path(path)
    except ValueError as error:
        layout.problems.append(str(error))
        return
    if place.lower() in map(str.lower, layout.files):
        layout.problems.append(f"{printable(path)}: there is another {place}")
    layout.files[place] = data
    if place != path:
        layout.new_paths[path] = place
        layout.warnings.append(f"{printable(path)}: is now {place}")


def safe_path(path: str) -> str:
    """Where a file may lie in a skill's folder: its path, the name made safe. ValueError: nowhere."""
    *folders, name = PurePosixPath(path).parts
    if len(folders) >= _MAX_DEPTH or not all(PATH_PART.fullmatch(folder) for folder in folders):
        raise ValueError(f"{printable(path)}: folders have names of A-Z a-z 0-9 . _ -, at most {_MAX_DEPTH} deep")
    safe = for_windows(name if PATH_PART.fullmatch(name) else file_name(name))
    if not _may_lie_in(folders[0] if folders else "", safe):
        ends = " ".join(sorted(EXTENSIONS))
        raise ValueError(f"{printable(path)}: files end in {ends}; others belong into {ASSETS}/")
    return "/".join((*map(for_windows, folders), safe))


def path_problem(path: str) -> str:
    """Why a person may not give a file of a skill this path; "" if nothing speaks against it."""
    if problems := zip_reading.name_problems(path):
        return problems[0]
    if path.lower() in ("skill.md", RECIPE):
        return f"{path} is written from the fields"
    try:
        safe = safe_path(path)
    except ValueError as error:
        return str(error)
    if any(part in _IGNORED_NAMES for part in PurePosixPath(path).parts):
        return f"{path}: packages leave such files out"
    return f"{printable(path)}: a name that every system takes is {safe}" if safe != path else ""


def _may_lie_in(folder: str, name: str) -> bool:
    return folder == ASSETS or name in BARE_NAMES or PurePosixPath(name).suffix.lower() in EXTENSIONS


def is_text(data: bytes) -> bool:
    try:
        return "\x00" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False


def _parse(layout: _Layout, root: str) -> UnpackedSkill:
    text = layout.skill_md.decode()
    for old, new in layout.new_paths.items():  # links follow the file
        link = re.compile(rf"(?<=[(`]){re.escape(old)}(?=[)`#])")
        text = new.join(link.split(text))
    recipe = _steps(layout.files.get(RECIPE, b""))
    try:
        fields, warnings = skill_md_reader.read(text, folder=root, recipe=recipe, **field_files(layout.files))
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, detail['loc']))}: {detail['msg'].removeprefix('Value error, ')}"
            for detail in error.errors()
        ]
        unreadable = skill_md_reader.is_unreadable(text)
        raise PackageRefused(_truncate([*([NOT_YAML] if unreadable else []), *problems])) from error
    if not frontmatter.is_strict(text, fields.name):
        text = frontmatter.rewritten(text, fields)
        warnings.append("the frontmatter was rewritten to follow the specification")
    files = {**layout.files, "SKILL.md": text.encode()}
    return UnpackedSkill(fields, dict(sorted(files.items())), [*layout.warnings, *warnings])


def field_files(files: Mapping[str, bytes]) -> dict[str, Any]:
    """The texts that the fields hold, by field: those right in the three folders. All others are files alone."""
    references = "reference" if any(path.startswith("reference/") for path in files) else "references"
    groups: dict[str, dict[str, str]] = {}
    for path, data in files.items():
        folder, _, name = path.partition("/")
        is_other = folder.startswith("reference") and folder != references
        if folder in _FIELD_OF_FOLDER and not is_other and _is_name_of_a_field(name) and is_text(data):
            groups.setdefault(_FIELD_OF_FOLDER[folder], {})[name] = data.decode()
    return {**groups, "reference_folder": references if "others" in groups else "reference"}


def _is_name_of_a_field(name: str) -> bool:
    try:
        return file_name(name) == name
    except ValueError:
        return False


def _steps(data: bytes) -> list[Step]:
    try:
        return _recipe.validate_json(data)
    except (ValidationError, ValueError, RecursionError):
        return []


def _truncate(problems: list[str]) -> list[str]:
    more = len(problems) - _MAX_PROBLEMS
    return [*problems[:_MAX_PROBLEMS], f"and {more} more"] if more > 0 else problems
