"""What changes from one version of a skill to another, word by word, section by section and file by file.

Counters are left out: a track record that grew is no change.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from memories.values import changes as sequences
from skills.manifest import Fields
from skills.models import SkillVersion
from skills.packaging import is_text
from skills.packaging.skill_md_writer import sections

_WORD = re.compile(r"[一-鿿぀-ヿ가-힯]|\s+|[^\W_一-鿿぀-ヿ가-힯]+|\W|_")  # Chinese by characters: 30 -> 60 shows as that
BRIEF_CHANGES, BRIEF_TEXT, BESIDE = 3, 1_500, 60  # changes with words in a row; characters of a text; and around
LONGEST_PART, MARKED = 16_000, 80  # characters of changes that a page shows at once; what the marks of one piece take
MOST_WORDS = 3_000  # of either text; longer ones are compared line by line


@dataclass(frozen=True)
class Piece:
    kind: str  # same, removed or added
    text: str


@dataclass(frozen=True)
class Change:
    """`name`: of a section, or the path of a file; `kind`: added, removed, renamed or changed. `pieces` []: no texts.

    `former`: the path of a file that was renamed and holds what it held.
    """

    name: str
    kind: str
    pieces: list[Piece] = field(default_factory=list)
    former: str = ""


def section_changes(before: SkillVersion, after: SkillVersion) -> list[Change]:
    return list(_changes(_sections(before), _sections(after)))


def brief_changes(before: SkillVersion, after: SkillVersion) -> list[Change]:
    """Of sections and of files that the fields hold, for a row of a list: the words of short texts, and of few."""
    old, new = ({**_sections(version), **_texts(version)} for version in (before, after))
    changes: list[Change] = []
    for name, kind in _changed_names(old, new):
        texts = old.get(name, ""), new.get(name, "")
        is_brief = len(changes) < BRIEF_CHANGES and kind == "changed" and max(map(len, texts)) <= BRIEF_TEXT
        changes.append(Change(name, kind, shorten(word_pieces(*texts)) if is_brief else []))
    return changes


def shorten(pieces: list[Piece]) -> list[Piece]:
    """The pieces with long stretches that are the same cut to what stands beside a change."""
    return [
        Piece(piece.kind, f"{piece.text[:BESIDE]} … {piece.text[-BESIDE:]}")
        if piece.kind == "same" and len(piece.text) > 3 * BESIDE
        else piece
        for piece in pieces
    ]


def in_parts(changes: Iterable[Change]) -> list[list[Change]]:
    """The changes in parts that fit on a page each; a change that does not fit goes on in the next one."""
    parts: list[list[Change]] = [[]]
    room = LONGEST_PART
    for change in changes:
        part_pieces: list[Piece] = []
        for piece in _short_enough(change.pieces):
            size = len(piece.text) + (0 if piece.kind == "same" else MARKED)
            if size > room and room < LONGEST_PART:
                parts[-1] += [replace(change, pieces=part_pieces)] if part_pieces else []
                parts.append([])
                part_pieces, room = [], LONGEST_PART
            part_pieces.append(piece)
            room -= size
        if part_pieces or not change.pieces:
            parts[-1].append(replace(change, pieces=part_pieces))
    return parts


def _short_enough(pieces: Iterable[Piece]) -> Iterator[Piece]:
    for piece in pieces:
        for start in range(0, len(piece.text), LONGEST_PART):
            yield Piece(piece.kind, piece.text[start : start + LONGEST_PART])


def file_changes(before: SkillVersion, after: SkillVersion) -> list[Change]:
    """Of the files beside SKILL.md; with the words of those that the fields hold."""
    return list(_file_changes(_hashes(before), _hashes(after), _texts(before), _texts(after)))


def content_changes(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[Change]:
    """Of files by path; with the words of all that are texts."""
    old, new = ({path: data.decode() for path, data in files.items() if is_text(data)} for files in (before, after))
    return list(_file_changes(before, after, old, new))


def _file_changes(
    before: Mapping[str, object], after: Mapping[str, object], old: Mapping[str, str], new: Mapping[str, str]
) -> Iterator[Change]:
    """`before`, `after`: by path what tells whether a file is the same; `old`, `new`: the texts of some."""
    path_by_content = {content: path for path, content in before.items() if path not in after}
    former_paths = {
        path: path_by_content.pop(content)
        for path, content in after.items()
        if path not in before and content in path_by_content
    }
    for path in sorted((before.keys() | after.keys()) - set(former_paths.values())):
        if path in former_paths:
            yield Change(path, "renamed", former=former_paths[path])
        elif before.get(path) != after.get(path):
            kind = "added" if path not in before else "removed" if path not in after else "changed"
            texts = old.get(path), new.get(path)
            has_texts = (texts[0] is not None or path not in before) and (texts[1] is not None or path not in after)
            yield Change(path, kind, word_pieces(texts[0] or "", texts[1] or "") if has_texts else [])


def word_pieces(before: str, after: str) -> list[Piece]:
    """The pieces of two texts that are the same, removed or added, in order."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    if max(len(old), len(new)) > MOST_WORDS:
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    pieces = []
    for tag, a, b, c, d in sequences.changes(old, new):
        parts = [("same", old[a:b])] if tag == "equal" else [("removed", old[a:b]), ("added", new[c:d])]
        pieces += [Piece(kind, "".join(words)) for kind, words in parts if words]
    return pieces


def _changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    for name, kind in _changed_names(old, new):
        yield Change(name, kind, word_pieces(old.get(name, ""), new.get(name, "")))


def _changed_names(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in dict.fromkeys([*old, *new]):
        if name not in old or name not in new:
            yield name, "added" if name in new else "removed"
        elif old[name] != new[name]:
            yield name, "changed"


def _sections(version: SkillVersion) -> dict[str, str]:
    fields = Fields.model_validate(version.fields).model_copy(update={"performance": None})
    texts = {"Title": fields.title, "Description": fields.description, **sections(fields)}
    return {title: text for title, text in texts.items() if text}


def _texts(version: SkillVersion) -> dict[str, str]:
    fields = Fields.model_validate(version.fields)
    groups = (("scripts", fields.scripts), (fields.reference_folder, fields.others), ("assets", fields.assets))
    return {f"{folder}/{name}": text for folder, group in groups for name, text in (group or {}).items()}


def _hashes(version: SkillVersion) -> dict[str, str]:
    return {file["path"]: file["sha256"] for file in version.files if file["path"] != "SKILL.md"}
