"""Which errors the tools returned, and what the runs that ended well did next."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from consolidation.learning import errors
from consolidation.learning.runs import Call, Run
from consolidation.learning.scope import Scope, distribution
from consolidation.learning.toolnames import code
from consolidation.learning.values import leaves, spelled

MOST = 8
LONGEST = 160
_MARKS = (
    (re.compile(r"\"[^\"\n]{1,120}\"|“[^”\n]{1,120}”|`[^`\n]{1,120}`|(?<!\w)'[^'\n]{1,120}'(?!\w)"), "{text}"),
    (re.compile(r"\S+@\S+\.\w+"), "{email}"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?"), "{date}"),
    (
        re.compile(
            r"(?:\w+://|~?/|\.{1,2}/)[^\s:,;)]+|\b[\w.-]+/[\w./-]+|\b[\w-]+\.(?:py|go|js|ts|tsx|rs|java|rb|c|h|cpp|md|json|yaml)\b"
        ),
        "{path}",
    ),
    (re.compile(r"[$€£¥]?\b\d+(?:[.,:]\d+)*%?(?![\w-])"), "{number}"),
    (re.compile(r"\b(?=[\w-]*\d)[\w-]+\b"), "{id}"),
)
_PIECE = re.compile(r"\{\w+\}|[^\W\d](?:[^\W\d]|['’-](?=\w))*|[^\w{}]+|[\w{}]")
_LEAD = re.compile(r"^\W*(?:error|fatal|failed|failure)\W*:\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Mode:
    """One kind of error of one tool: seen in `runs` runs, of which `recovered` ended well; what those did next."""

    tool: str
    template: str
    runs: int
    recovered: int
    next: tuple[tuple[str, int], ...]


def template(scope: Scope, text: str) -> str:
    """The message with placeholders for numbers, ids, quotes and every word that may not be repeated."""
    said = _LEAD.sub("", text[:400])
    for pattern, mark in _MARKS:
        said = pattern.sub(mark, said)
    pieces = [_piece(scope, piece) for piece in _PIECE.findall(said)]
    whole = re.sub(r"…(?:[\s,;:'()-]*…)+", "…", re.sub(r"\s+", " ", "".join(pieces))).strip(" :;,")
    return whole[:LONGEST] if re.search(r"[^\W\d_]{2,}", re.sub(r"\{\w+\}", "", whole)) else ""


def _piece(scope: Scope, piece: str) -> str:
    if piece.startswith("{") and piece.endswith("}"):
        return piece
    if not piece[0].isalpha():
        return piece if not re.search(r"[@*•█]", piece) else "…"
    parts = [part for part in re.split(r"_+", piece) if part]
    if len(parts) > 1:
        return piece if scope.may_name(piece) else "{id}"
    return piece if scope.may_quote(piece) else "…"


def modes(scope: Scope) -> list[Mode]:
    """The errors of the pattern's runs, the most frequent first, each run counted once per kind."""
    met: dict[tuple[str, str], list[Run]] = defaultdict(list)
    after: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for run in scope.runs:
        first = {}
        for n, call in enumerate(run.steps):
            if (
                call.failed
                and (kind := (call.tool.strip(), template(scope, errors.message(call.returned)))) not in first
            ):
                first[kind] = n
        for kind, n in first.items():
            met[kind].append(run)
            if run.succeeded:
                after[kind][_next(scope, run, n)] += 1
    found = [_mode(kind, runs, after[kind]) for kind, runs in met.items()]
    return sorted(found, key=lambda mode: (-mode.runs, mode.tool, mode.template))[:MOST]


def _mode(kind: tuple[str, str], runs: Sequence[Run], after: Counter[str]) -> Mode:
    tool, text = kind
    recovered = sum(1 for run in runs if run.succeeded)
    return Mode(tool, text, len(runs), recovered, tuple(distribution(after.elements())))


def _next(scope: Scope, run: Run, n: int) -> str:
    """What came after the failed call: the next tool, the same with other arguments, or no further call."""
    failed, later = run.steps[n], run.steps[n + 1 :]
    asked = "asked the user, then " if later and _spoke_between(run, failed, later[0]) else ""
    if not later:
        return "made no further call"
    following = later[0]
    if following.tool != failed.tool:
        again = " and tried again" if any(c.tool == failed.tool and not c.failed for c in later) else ""
        return f"{asked}called {code(following.tool)}{again}"
    changed = sorted(_changed(scope, failed, following))
    if not changed:
        return f"{asked}tried the same call again"
    return f"{asked}tried again with another {' and '.join(code(key) for key in changed[:3])}"


def _changed(scope: Scope, before: Call, after: Call) -> set[str]:
    old: dict[str, list[str]]
    new: dict[str, list[str]]
    old, new = ({spelled(scope.shown(path)): [] for path, _ in leaves(call.arguments)} for call in (before, after))
    for call, into in ((before, old), (after, new)):
        for path, leaf in leaves(call.arguments):
            into[spelled(scope.shown(path))].append(str(leaf))
    return {key for key in {*old, *new} if old.get(key) != new.get(key)}


def _spoke_between(run: Run, before: Call, after: Call) -> bool:
    return any(before.position < message.position < after.position for message in run.said)
