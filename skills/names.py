"""Names that every system takes: a skill's slug by the Agent Skills specification, and file names without surprises."""

import re
import unicodedata
from pathlib import PurePosixPath

from memories.values.text import latin, short_hash
from memories.values.text import slug as text_slug

EXTENSIONS = frozenset({
    ".py", ".sh", ".js", ".ts", ".md", ".json", ".yaml", ".yml", ".txt", ".csv", ".toml", ".html", ".css", ".sql",
})  # fmt: skip
RESERVED = frozenset({"prompt", "versions", "uses"})  # words of the API beneath /skills/
LENGTH = 64
FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def slug(text: str) -> str:
    """A name of 1-64 [a-z0-9-]. Accents go; what has no Latin letter, or no room, leaves a short hash instead."""
    name = text_slug(text, LENGTH, nameless="skill")
    return f"{name}-skill" if name in RESERVED else name


def readable(name: str) -> str:
    """The display name of a skill that has none: travel-planning -> Travel Planning."""
    return " ".join(word.capitalize() for word in name.split("-"))


def file_name(name: str, *, folder: str = "", default: str = "") -> str:
    """A safe name for `name`: its own folder, blanks and foreign letters are put right; ValueError for the rest."""
    plain = unicodedata.normalize("NFKC", name).strip().removeprefix("./")
    plain = plain.removeprefix(f"{folder}/") if folder else plain
    if re.search(r"[\\/\x00-\x1f]|^\.", plain) or not plain:
        raise ValueError(f"{shown(name)}: a file name has no path and no leading dot")
    stem, suffix = _split(plain)
    suffix = suffix or default
    if suffix.lower() not in EXTENSIONS:
        raise ValueError(f"{shown(name)}: files end in {' '.join(sorted(EXTENSIONS))}")
    fixed = _stem(stem) + suffix.lower()
    if not FILE_NAME.fullmatch(fixed):
        raise ValueError(f"{shown(name)}: a file name has at most 100 characters")
    return fixed


def shown(name: str) -> str:
    """A name from outside as a message may repeat it: printable, one line, not endless."""
    return "".join(char if char.isprintable() else f"<U+{ord(char):04X}>" for char in name[:100]) or "(no name)"


def _split(name: str) -> tuple[str, str]:
    suffix = PurePosixPath(name).suffix
    return name.removesuffix(suffix), suffix


def _stem(stem: str) -> str:
    if FILE_NAME.fullmatch(stem):
        return stem
    words = re.sub(r"[^A-Za-z0-9._-]+", "_", latin(stem)).strip("._-")
    if words and not any(char.isalnum() and not char.isascii() for char in latin(stem)):
        return words
    return f"{words[:80] or 'file'}-{short_hash(stem)}"
