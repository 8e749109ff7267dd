"""What a run did, as a name: the tools it used, and those of them that change something."""

import re
from collections.abc import Collection, Mapping

from consolidation.learning.lexicon import READS
from consolidation.learning.runs import Run

_BOUNDARY = re.compile(r"[^\w]+|_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MCP = re.compile(r"^mcp_+(?:[^_]+(?:_[^_]+)*?)__(?=.)", re.IGNORECASE)


def words(tool: str) -> list[str]:
    """The words of a tool's name in lower case, without the server of an MCP tool or a dotted namespace."""
    bare = _MCP.sub("", tool.strip())
    bare = re.split(r"[./:](?=\w)", bare)[-1] or bare
    found = [word.lower() for word in _BOUNDARY.split(bare) if word]
    return found or [tool.strip().lower()]


def is_read_only(tool: str, marked: Mapping[str, bool]) -> bool:
    """As marked by the caller or a person; else by the first word of its name."""
    if tool in marked:
        return marked[tool]
    return words(tool)[0] in READS


def exact(run: Run, ignored: Collection[str]) -> str:
    """The sorted distinct tools, joined with +; '' when none is left."""
    return "+".join(sorted(run.tools - set(ignored)))


def effects(run: Run, ignored: Collection[str], read_only: Mapping[str, bool]) -> str:
    """The same of the tools that change something; '' when the run only looked."""
    return "+".join(sorted(tool for tool in run.tools - set(ignored) if not is_read_only(tool, read_only)))
