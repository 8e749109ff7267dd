"""Tool names: their words, whether these mark a tool as read-only, and the name as an English phrase (cancel_order ->
cancel the order)."""

import re

from consolidation.learning.commands import resources
from consolidation.learning.commands.programs import ALSO_TOOLS
from consolidation.learning.runs import operations
from memories.lexicon import words as set_of
from memories.lexicon.english_verbs import OF_TOOLS
from memories.lexicon.english_words import OF_TOOL_NAMES
from memories.lexicon.tool_words import (
    CHANGING,
    CHANGING_ZH,
    HANDING_OVER,
    HANDING_OVER_ZH,
    LAST,
    PEOPLE,
    READING,
    READS_ZH,
    READS_ZH_LAST,
    without_server,
)

_BOUNDARY = re.compile(r"[^\w]+|_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Of these verbs the same name reads in one harness and changes something in the next.
AMBIGUOUS = frozenset({
    "analyze", "apply", "call", "confirm", "convert", "estimate", "evaluate", "handle", "monitor", "perform", "poll",
    "predict", "process", "recommend", "run", "scan", "select", "suggest", "summarize", "sync", "transform",
    "translate", "use", "validate",
})  # fmt: skip
THOUGHTS = frozenset({"think", "thinking", "thought", "reflect", "sequentialthinking", "思考"})
_VERBS = READING | CHANGING | OF_TOOLS | HANDING_OVER
_BROWSER = re.compile(r"^(?:browser|puppeteer|playwright|computer)[_.](?=[a-z])")
_NAMESPACE = re.compile(r"[./:](?=\w)")
_LOOKS = {"get", "fetch", "show", "query", "retrieve", "lookup"}
_ALONE = {
    "think": "think it through", "calculate": "do the arithmetic", "navigate": "open the page", "goto": "open the page",
}  # fmt: skip
_SEARCHES = {"search", "grep", "rg", "glob"}
_UNCOUNTED = set_of("insurance information info weather data status baggage luggage access feedback code mail")
_FIELDS = {"birthday", "city", "country", "date", "dob", "email", "id", "name", "phone", "sku", "zip"}  # alone, too
_COUNTED = {
    "booking", "building", "drawing", "filing", "listing", "meeting", "opening", "ordering", "posting", "rating",
    "reading", "recording", "ring", "ruling", "setting", "string", "thing", "training", "warning",
}  # fmt: skip


def words(tool: str) -> list[str]:
    """Return the words of a tool's name in lower case, without the server of an MCP tool or a dotted namespace."""
    bare = bare_name(tool)
    parts = [word.lower() for word in _BOUNDARY.split(bare) if word]
    return parts or [tool.strip().lower()]


def bare_name(tool: str) -> str:
    """Return a tool's name without the server of an MCP tool or a dotted namespace; of an operation as of a tool."""
    if operation_name := operations.tool_name(tool) or resources.tool_name(tool):
        return operation_name
    bare = _BROWSER.sub("", without_server(tool.strip()))
    return _NAMESPACE.split(bare)[-1] or bare


def is_thought(tool: str) -> bool:
    """Return whether a tool only takes down what the agent thinks."""
    return "".join(words(tool)) in THOUGHTS


def _verb_first(parts: list[str]) -> list[str]:
    """Move a verb at the end of a name to its beginning, unless it begins with one: kunde suchen -> suchen kunde."""
    begins = parts[0] in _VERBS
    return [parts[-1], *parts[:-1]] if not begins and parts[-1] in LAST else parts


def _verb(tool: str) -> str:
    """Return the verb of a name, or its first word; of a command, whose words have blanks between them, the first."""
    parts = words(tool)
    return parts[0] if " " in bare_name(tool) else _verb_first(parts)[0]


def name_reads(tool: str) -> bool:
    """Return whether the verb of a tool's name marks it as read-only; in Chinese its beginning or end."""
    parts = words(tool)
    verb, last = _verb(tool), parts[-1]
    return verb in READING or verb.startswith(READS_ZH) or last.endswith(READS_ZH_LAST)


def name_tells(tool: str) -> bool:
    """Return whether the verb of a tool's name tells if it reads or changes something."""
    verb = _verb(tool)
    changes = verb in CHANGING or verb.startswith(CHANGING_ZH) or verb in OF_TOOLS - AMBIGUOUS
    return name_reads(tool) or changes


def name_hands_over(tool: str) -> bool:
    """Return whether a tool hands the request over to a person: escalate_to_human."""
    parts = words(tool)
    to_people = parts[0] in HANDING_OVER and bool(PEOPLE & set(parts[1:]))
    return to_people or parts[0].startswith(HANDING_OVER_ZH)


def phrase(tool: str, *, article: str = "the") -> str:
    """Return a tool's name as a phrase; with a verb of another language as it is.

    cancel_order -> cancel the order; transfer_to_agents -> transfer to agents; crm.orders.get -> look up the orders;
    go_test -> run go test; kundeSuchen -> kunde suchen; press Put on hold -> put on hold; write sheet Staff of
    people.xlsx -> update Staff.
    """
    if operations.is_sheet(tool):
        title = " ".join(operations.sheet_title(tool).replace(operations.NAME, "").split())
        return f"update {title or f'{article} sheet'.strip()}"
    parts = words(tool)
    if len(parts) == 1 and len(namespaces := _NAMESPACE.split(without_server(tool.strip()))) > 2:
        kind = words(namespaces[-2])
        parts = [*parts, *kind] if parts[0] in OF_TOOLS else [*kind, *parts]
    is_button = operations.is_button(tool)
    verb, *rest = parts if is_button else _verb_first(parts)
    if is_button and verb not in OF_TOOLS:
        return " ".join(parts)
    if verb not in OF_TOOLS and verb not in _ALONE:
        return " ".join(parts) if verb in READING | CHANGING else f"run {' '.join(parts)}"
    rest = _apart(rest)
    if not rest:
        return _ALONE.get(verb, verb)
    words_of_object = _object(rest, article if verb not in _SEARCHES | {"list"} else "")
    if verb in _SEARCHES:
        return f"search for {_plural(words_of_object)}"
    return f"{'look up' if verb in _LOOKS else verb} {words_of_object}"


def _apart(rest: list[str]) -> list[str]:
    """Put an "and" between the fields by which something is found: by name zip -> by name and zip."""
    parts: list[str] = []
    for n, word in enumerate(rest):
        if "by" in rest[:n] and word in _FIELDS and rest[n - 1] in _FIELDS:
            parts.append("and")
        parts.append(word)
    return parts


def _object(rest: list[str], article: str) -> str:
    joined = " ".join(rest)
    if not article or rest[0] in OF_TOOL_NAMES or rest[0] in {"all", "a", "an", "the", "my", "user's"}:
        return joined
    if article == "a":
        head = _head(rest)
        if is_plural(head) or head in _UNCOUNTED or (head.endswith("ing") and head not in _COUNTED):
            return joined
        return f"{'an' if joined[0] in 'aeio' else 'a'} {joined}"
    return f"{article} {joined}"


def _head(rest: list[str]) -> str:
    """Return the head noun: the last word before a preposition."""
    for n, word in enumerate(rest):
        if n and word in OF_TOOL_NAMES:
            return rest[n - 1]
    return rest[-1]


def is_plural(word: str) -> bool:
    """Return whether an English noun looks plural."""
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


def _plural(noun_phrase: str) -> str:
    last = noun_phrase.rsplit(" ", 1)[-1]
    if (
        set(noun_phrase.split()) & OF_TOOL_NAMES
        or is_plural(last)
        or last in _UNCOUNTED
        or last.endswith(("aux", "eux"))
        or not last.isascii()
        or not last.isalpha()
    ):
        return noun_phrase
    if last.endswith("y") and last[-2:-1] not in "aeiou":
        return noun_phrase[:-1] + "ies"
    return noun_phrase + ("es" if last.endswith(("s", "x", "ch", "sh")) else "s")


def code(tool: str, most: int = 80) -> str:
    """Return a name as inline Markdown code of at most `most` characters; a command told from a tool as it is."""
    bare = " ".join((tool.removeprefix("sh ") if tool[3:] in ALSO_TOOLS else tool).split()).replace("`", "'")
    return f"`{bare[:most]}`"
