"""How the files that runs write begin, where they agree: the label of a note (`Added:`), front matter, a mark."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from consolidation.learning.commands.shell import LONGEST_LINE, plain_commands
from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs.harness_tools import PATHS, WRITE
from consolidation.learning.runs.privacy import Holders, names_somebody, safe
from consolidation.learning.runs.run import Call, Run
from consolidation.learning.runs.values import leaves

CONSISTENT = 0.75  # of the runs that are known to have written a file of a shape
MOST = 3
_PATH, _END = r"['\"]?([^\s'\"<>;|&]+)['\"]?", r"<<-?[ \t]*\\?['\"]?\w+['\"]?"
_HEREDOC = re.compile(rf"\bcat\s*(?:>\s*{_PATH}\s*{_END}|{_END}\s*>\s*{_PATH})[^\n]*\n([^\n]+)")
_ADDED = re.compile(r"^\*\*\* Add File: (\S+)\n\+([^\n]+)", re.MULTILINE)  # of apply_patch
_BY_CODE = re.compile(r"(?:Path|open)\(\s*['\"]([^'\"\n]+)['\"][^)\n]*\)\.write(?:_text)?\(\s*f?['\"]+([^\n]+)")
_CONTENT = ("content", "contents", "file_text")
_LABEL = re.compile(r"(?:[^\w\s\"'`(<]+ )?\w[\w+()/ -]{0,30}[:：](?=\s|$)|[^\w\s]{3,}$|#+ \w+$")


def common(scope: Scope, runs: Sequence[Run], paths: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return how files begin that nearly all runs wrote at these paths of each, the most frequent first.

    None names anybody or holds a digit; () where they begin otherwise.
    """
    holders, by_run = Holders(), list[set[str]]()
    for run, own in zip(runs, paths, strict=True):
        ends = tuple(f"/{path}" for path in own)
        written = dict(pair for call in run.steps if own for pair in _written(call))
        own_lines = (line for path, line in written.items() if f"/{path}".replace("\\", "/").endswith(ends))
        starts = {found[0] if (found := _LABEL.match(line)) else "" for line in own_lines}
        holders.add(starts, run.thread)
        by_run += [starts] if starts else []
    ranked = Counter(start for starts in by_run for start in starts).most_common(MOST)
    told = [start for start, _ in ranked if holders.common(start) and _may_be_told(scope, start)]
    agree = sum(1 for starts in by_run if starts.intersection(told))
    return tuple(told) if agree >= CONSISTENT * len(by_run) else ()


def _may_be_told(scope: Scope, start: str) -> bool:
    words = re.findall(r"\w+", start.lower())
    return safe(start) and not names_somebody(start) and not scope.names.intersection(words)


def _written(call: Call) -> Iterator[tuple[str, str]]:
    """Yield (path, first line) of each file that a call writes as a whole."""
    text = next((text for key in _CONTENT if isinstance(text := call.arguments.get(key), str)), "")
    if call.name == WRITE and text.strip():
        yield from ((str(call.arguments[key]), text.splitlines()[0]) for key in PATHS & call.arguments.keys())
    texts = [call.line] if call.line else [leaf for _, leaf in leaves(call.arguments)] or [call.args]
    yield from ((found[1], found[2]) for text in texts if isinstance(text, str) for found in _ADDED.finditer(text))
    line = call.line[:LONGEST_LINE]
    yield from ((found[1] or found[2], found[3]) for found in _HEREDOC.finditer(line))
    yield from ((found[1], found[2]) for found in _BY_CODE.finditer(line))
    for words, target in plain_commands(line) if ">" in line else ():
        if target and words[0] in {"echo", "printf"} and (said := " ".join(words[1:])):
            yield target, re.split(r"\\n|\n", re.sub(r"^-\w+ ", "", said))[0]
