"""What a run did, as a name: the tools it used, and those of them that change something."""

import re
from collections.abc import Collection, Mapping

from consolidation.learning.lexicon import READS, READS_ZH, READS_ZH_LAST
from consolidation.learning.runs import Run

_BOUNDARY = re.compile(r"[^\w]+|_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MCP = re.compile(r"^mcp_+(?:[^_]+(?:_[^_]+)*?)__(?=.)", re.IGNORECASE)


def words(tool: str) -> list[str]:
    """The words of a tool's name in lower case, without the server of an MCP tool or a dotted namespace."""
    bare = bare_name(tool)
    found = [word.lower() for word in _BOUNDARY.split(bare) if word]
    return found or [tool.strip().lower()]


def bare_name(tool: str) -> str:
    """A tool's name without the server of an MCP tool or a dotted namespace."""
    bare = _MCP.sub("", tool.strip())
    return re.split(r"[./:](?=\w)", bare)[-1] or bare


def first_word_reads(tool: str) -> bool:
    """Does the first word of its name say that it only looks? A Chinese name says it at its beginning or end."""
    first, last = (found := words(tool))[0], found[-1]
    return first in READS or first.startswith(READS_ZH) or last.endswith(READS_ZH_LAST)


def is_read_only(tool: str, marked: Mapping[str, bool]) -> bool:
    """As marked by the caller or a person; else by the first word of its name."""
    if tool in marked:
        return marked[tool]
    return first_word_reads(tool)


def exact(run: Run, ignored: Collection[str]) -> str:
    """The sorted distinct tools, joined with +; '' when none is left."""
    return "+".join(sorted(run.tools - set(ignored)))


def effects(run: Run, ignored: Collection[str], read_only: Mapping[str, bool]) -> str:
    """The same of the tools that change something; '' when the run only looked."""
    return "+".join(sorted(tool for tool in run.tools - set(ignored) if not is_read_only(tool, read_only)))
