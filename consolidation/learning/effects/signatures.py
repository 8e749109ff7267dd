"""Words of a tool's name, and whether they mark it as read-only."""

import re
from functools import lru_cache

from consolidation.learning.lexicon import READS, READS_ZH, READS_ZH_LAST

_BOUNDARY = re.compile(r"[^\w]+|_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NAMESPACE = re.compile(r"[./:](?=\w)")
_MCP = re.compile(r"^mcp_+(?:[^_]+(?:_[^_]+)*?)__(?=.)", re.IGNORECASE)


def words(tool: str) -> list[str]:
    """Return the words of a tool's name in lower case, without the server of an MCP tool or a dotted namespace."""
    bare = bare_name(tool)
    found = [word.lower() for word in _BOUNDARY.split(bare) if word]
    return found or [tool.strip().lower()]


@lru_cache(maxsize=20_000)
def bare_name(tool: str) -> str:
    """Return a tool's name without the server of an MCP tool or a dotted namespace."""
    bare = _MCP.sub("", tool.strip())
    return _NAMESPACE.split(bare)[-1] or bare


def first_word_reads(tool: str) -> bool:
    """Return whether a tool's name marks it as read-only: by its first word, in Chinese by its beginning or end."""
    first, last = (found := words(tool))[0], found[-1]
    return first in READS or first.startswith(READS_ZH) or last.endswith(READS_ZH_LAST)
