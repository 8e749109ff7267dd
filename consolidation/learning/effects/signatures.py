"""Words of a tool's name, and whether they mark it as read-only."""

import re
from functools import lru_cache

from memories.lexicon.english_verbs import OF_TOOLS
from memories.lexicon.tool_names import (
    CHANGING,
    CHANGING_ZH,
    HANDING_OVER,
    HANDING_OVER_ZH,
    PEOPLE,
    READING,
    READS_ZH,
    READS_ZH_LAST,
)

_BOUNDARY = re.compile(r"[^\w]+|_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Of these verbs the same name reads in one harness and changes something in the next.
AMBIGUOUS = frozenset({
    "analyze", "apply", "call", "confirm", "convert", "estimate", "evaluate", "handle", "monitor", "perform", "poll",
    "predict", "process", "recommend", "run", "scan", "select", "suggest", "summarize", "sync", "transform",
    "translate", "use", "validate",
})  # fmt: skip
THOUGHTS = frozenset({"think", "thinking", "thought", "reflect", "sequentialthinking", "思考"})
_NAMESPACE = re.compile(r"[./:](?=\w)")
_MCP = re.compile(r"^mcp_+(?:[^_]+(?:_[^_]+)*?)__(?=.)", re.IGNORECASE)


def words(tool: str) -> list[str]:
    """Return the words of a tool's name in lower case, without the server of an MCP tool or a dotted namespace."""
    bare = bare_name(tool)
    parts = [word.lower() for word in _BOUNDARY.split(bare) if word]
    return parts or [tool.strip().lower()]


@lru_cache(maxsize=20_000)
def bare_name(tool: str) -> str:
    """Return a tool's name without the server of an MCP tool or a dotted namespace."""
    bare = _MCP.sub("", tool.strip())
    return _NAMESPACE.split(bare)[-1] or bare


def is_thought(tool: str) -> bool:
    """Return whether a tool only takes down what the agent thinks."""
    return "".join(words(tool)) in THOUGHTS


def first_word_reads(tool: str) -> bool:
    """Return whether a tool's name marks it as read-only: by its first word, in Chinese by its beginning or end."""
    first, last = (parts := words(tool))[0], parts[-1]
    return first in READING or first.startswith(READS_ZH) or last.endswith(READS_ZH_LAST)


def name_tells(tool: str) -> bool:
    """Return whether the verb of a tool's name tells if it reads or changes something."""
    first = words(tool)[0]
    changes = first in CHANGING or first.startswith(CHANGING_ZH) or first in OF_TOOLS - AMBIGUOUS
    return first_word_reads(tool) or changes


def name_hands_over(tool: str) -> bool:
    """Return whether a tool hands the request over to a person: escalate_to_human."""
    parts = words(tool)
    to_people = parts[0] in HANDING_OVER and bool(PEOPLE & set(parts[1:]))
    return to_people or parts[0].startswith(HANDING_OVER_ZH)
