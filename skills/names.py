"""Names that every system accepts: a skill's slug by the Agent Skills specification, and safe file names."""

import re
import unicodedata
from pathlib import PurePosixPath

from memories.values.text import latin, short_hash
from memories.values.text import slug as text_slug

EXTENSIONS = frozenset({
    ".py", ".sh", ".js", ".ts", ".md", ".json", ".yaml", ".yml", ".txt", ".csv", ".toml", ".html", ".css", ".sql",
})  # fmt: skip
RESERVED_SLUGS = frozenset({"prompt", "versions", "uses"})  # words of the API beneath /skills/
BARE_NAMES = frozenset({"LICENSE", "NOTICE", "README", "CHANGELOG"})  # files without an extension
SLUG_LENGTH = 64
FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)  # Windows makes no such file
PATH_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")  # of an upload, which keeps its names: `__init__.py`


def slug(text: str) -> str:
    """A slug of 1-64 [a-z0-9-]. Accents are dropped; text without Latin letters, or beyond the length, adds a hash."""
    name = text_slug(text, SLUG_LENGTH, nameless="skill")
    return f"{name}-skill" if name in RESERVED_SLUGS else name


def display_name(name: str) -> str:
    """A display name made of a slug: travel-planning -> Travel Planning."""
    return " ".join(word.capitalize() for word in name.split("-"))


def file_name(name: str, *, folder: str = "", default: str = "") -> str:
    """A safe file name: removes `folder`, replaces blanks and foreign letters, appends `default` as the extension.

    ValueError: a path, a leading dot, an extension that is not in EXTENSIONS, or more than 100 characters.
    """
    plain = unicodedata.normalize("NFKC", name).strip().removeprefix("./")
    plain = plain.removeprefix(f"{folder}/") if folder else plain
    if re.search(r"[\\/\x00-\x1f]|^\.", plain) or not plain:
        raise ValueError(f"{printable(name)}: a file name has no path and no leading dot")
    stem, suffix = _split(plain)
    suffix = suffix or default
    if suffix.lower() not in EXTENSIONS:
        raise ValueError(f"{printable(name)}: files end in {' '.join(sorted(EXTENSIONS))}")
    safe = _stem(stem) + suffix.lower()
    if not FILE_NAME.fullmatch(safe):
        raise ValueError(f"{printable(name)}: a file name has at most 100 characters")
    return safe


def for_windows(name: str) -> str:
    """A safe name of a file or folder that Windows makes too: con.py -> _con.py."""
    return f"_{name}" if _DEVICE.fullmatch(name) else name


def printable(name: str) -> str:
    """A foreign name as an error message may repeat it: printable, in one line, at most 100 characters of it."""
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
