"""What a page shows of a decision: changed words side by side, what a proposal asks for, what a rule did alone."""

import re
from difflib import SequenceMatcher
from typing import Any

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memories.lifecycle.ladder import Ladder
from memories.models import AuditEntry, Memory, Proposal
from memories.values.choices import Category, Hold, Sensitivity, Status
from memos_site import review

register = template.Library()

WORD = re.compile(r"\s+|[\w'-]+|[^\w\s]")
MOST_WORDS = 1_500  # of either text; beyond, comparing takes longer than reading
FACTS = ("category", "sensitivity", "tags", "expires_at")
AROUND = 12  # words of what is the same that stay beside a change
WORDS = {
    "edit": gettext_lazy("say it otherwise"),
    "supersede": gettext_lazy("replace it"),
    "fork": gettext_lazy("add a variant"),
    "contest": gettext_lazy("doubt it"),
    "retract": gettext_lazy("take it back"),
    "merge": gettext_lazy("merge it with others"),
}
Piece = dict[str, str]
Span = tuple[int, int, int, int]


@register.simple_tag
def word_diff(before: str, after: str) -> list[Piece]:
    """[{kind: same, removed or added, text}]; long stretches that are the same are cut to what stands around."""
    old, new = WORD.findall(before), WORD.findall(after)
    if max(len(old), len(new)) > MOST_WORDS:
        return [*_piece("removed", old[:AROUND], cut=True), *_piece("added", new[:AROUND], cut=True)]
    pieces: list[Piece] = []
    for kind, (a, b, c, d) in _runs(old, SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
        if kind == "equal":
            pieces += _same(old[a:b], first=not pieces, last=b == len(old))
        else:
            pieces += [*_piece("removed", old[a:b]), *_piece("added", new[c:d])]
    return pieces


def _runs(old: list[str], codes: list[Any]) -> list[tuple[str, Span]]:
    """Changes with only a space between them are one: of `net-30 days` -> `net-60 weeks` no word stands alone."""
    runs: list[tuple[str, Span]] = []
    for n, (tag, a, b, c, d) in enumerate(codes):
        inside = 0 < n < len(codes) - 1 and not "".join(old[a:b]).strip()
        kind = "equal" if tag == "equal" and not inside else "changed"
        goes_on = bool(runs) and kind == "changed" == runs[-1][0]
        start = runs.pop()[1] if goes_on else (a, b, c, d)
        runs.append((kind, (start[0], b, start[2], d)))
    return runs


def _piece(kind: str, words: list[str], *, cut: bool = False) -> list[Piece]:
    return [{"kind": kind, "text": "".join(words) + (" …" if cut else "")}] if words else []


def _same(words: list[str], *, first: bool, last: bool) -> list[Piece]:
    if len(words) <= 4 * AROUND:
        return _piece("same", words)
    before = [] if first else words[: 2 * AROUND]
    after = [] if last else words[-2 * AROUND :]
    return [{"kind": "same", "text": "".join(before) + " … " + "".join(after)}]


@register.filter
def asked(proposal: Proposal) -> dict[str, Any]:
    """What accepting it does: verb, the new words if there are any, and what else becomes different."""
    change = dict(proposal.change)
    new: dict[str, Any] = change["memory"] if isinstance(change.get("memory"), dict) else change
    facts = [
        (_(name), _shown(new[name])) for name in FACTS if name in new and not _is(proposal.memory, name, new[name])
    ]
    return {
        "verb": (verb := change.get("verb", "edit")),
        "word": str(WORDS.get(verb, verb)),
        "content": new.get("content", ""),
        "facts": facts,
        "ref": change.get("ref", ""),
        "others": len(change.get("ids", ())),
        "at": proposal.opened_at,
    }


def _is(memory: Memory, name: str, value: Any) -> bool:
    there = memory.get_sensitivity_display() if name == "sensitivity" else getattr(memory, name)
    return bool(there == value)


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value or "–")


@register.filter
def reworded(entry: AuditEntry) -> dict[str, str] | None:
    """The texts of an edit, as far as the trail holds them; None when it changed no words."""
    before, after = entry.before.get("content"), entry.after.get("content")
    if before is None or after is None:
        return None
    return {"before": _held(before), "after": _held(after)}


def _held(said: Any) -> str:
    return said if isinstance(said, str) else _("(a text of %(n)s characters)") % {"n": said["length"]}


@register.filter
def by_rule(memory: Memory) -> bool:
    """Applied or confirmed by its numbers; nobody has vouched for it."""
    return (
        memory.status in (Status.APPLIED, Status.CONFIRMED) and memory.hold == Hold.NONE and memory.category is not None
    )


@register.inclusion_tag("components/_confidence.html")
def confidence(memory: Memory, *, told: bool = False) -> dict[str, Any]:
    """On a line from 0 to 100, with marks where the rules confirm and apply; `told`: these in words too."""
    ladder = Ladder.of_settings()
    return {"confidence": memory.confidence, "marks": (ladder.confirm_at, ladder.apply_at), "told": told}


@register.filter
def to_go(memory: Memory) -> str:
    return review.to_go(memory)


@register.filter
def why_waits(row: Memory | Proposal) -> str:
    return review.why_proposed(row) if isinstance(row, Proposal) else review.why(row)


@register.filter
def is_proposal(row: object) -> bool:
    return isinstance(row, Proposal)


@register.simple_tag
def choices_of(memory: Memory) -> dict[str, list[tuple[str, str]]]:
    """What an edit may choose from."""
    levels = [(level.label, level.label) for level in Sensitivity]
    return {"category": list(Category.choices), "sensitivity": [(str(a), str(b)) for a, b in levels]}
