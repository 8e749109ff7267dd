"""Tell what a file that somebody drops is, by its content alone."""

import json
import re
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from consolidation.packs.making import MANIFEST
from memories.transfer.membrane import RECORDS
from memories.transfer.memos_lines import SHAPES
from memories.transfer.options import Format

SKILL = "skill"
SQLITE, ZIP, BOM = b"SQLite format 3\0", b"PK\x03\x04", b"\xef\xbb\xbf"
FIRST_LINES = 20  # looked at until one is an object
OF_MEMBRANE = re.compile(rb'CREATE TABLE "?' + RECORDS.encode(), re.IGNORECASE)
FRONTMATTER = re.compile(rb"---\s*\n(?:[^\n]*\n){0,40}?(name|description|id):")


def recognise(content: bytes) -> Format | str | None:
    """The format of an import, or SKILL for a package or a SKILL.md; None: nothing that comes in.

    It only guesses: whoever reads the file says what is wrong with it.
    """
    if content.startswith(ZIP):
        return _packed(content)
    if content.startswith(SQLITE):
        return Format.MEMBRANE if OF_MEMBRANE.search(content) else Format.FOUNDER_OS
    text = content.removeprefix(BOM).lstrip()
    if begun := FRONTMATTER.match(text):
        return Format.MEM0 if begun[1] == b"id" else SKILL
    return _of_lines(text)


def _packed(content: bytes) -> Format | str:
    try:
        with ZipFile(BytesIO(content)) as packed:
            return Format.PACK if MANIFEST in packed.namelist() else SKILL
    except BadZipFile:
        return SKILL  # its page names what is damaged


def _of_lines(text: bytes) -> Format | None:
    for line in text.split(b"\n", FIRST_LINES)[:FIRST_LINES]:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict) and (language := _of_row(row)):
            return language
    return Format.MEM0 if text[:1] in (b"[", b"{") else None


def _of_row(row: dict[str, Any]) -> Format | None:
    if "messages" in row:
        return Format.CONVERSATIONS
    if row.get("kind") in SHAPES:
        return Format.MEMOS
    return Format.OPEN_MEMORY if "content" in row or "text" in row else None
