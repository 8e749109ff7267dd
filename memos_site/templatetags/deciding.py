"""What a page shows of a decision: changed words side by side, what a proposal asks for, what a rule did alone."""

import re
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any
from uuid import UUID

from django import template
from django.utils.translation import gettext as _

from memories.choices import Category, Hold, Sensitivity, Status
from memories.models import AuditEntry, Memory, Proposal
from memos_site import desk

register = template.Library()

WORD = re.compile(r"\s+|[\w'-]+|[^\w\s]")
MOST_WORDS = 1_500  # of either text; beyond, comparing takes longer than reading
AROUND = 12  # words of what is the same that stay beside a change
Piece = dict[str, str]


@register.simple_tag
def word_diff(before: str, after: str) -> list[Piece]:
    """[{kind: same, removed or added, text}]; long stretches that are the same are cut to what stands around."""
    old, new = WORD.findall(before), WORD.findall(after)
    if max(len(old), len(new)) > MOST_WORDS:
        return [*_piece("removed", old[:AROUND], cut=True), *_piece("added", new[:AROUND], cut=True)]
    pieces: list[Piece] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces += _same(old[a:b], first=not pieces, last=b == len(old))
        else:
            pieces += [*_piece("removed", old[a:b]), *_piece("added", new[c:d])]
    return [{"kind": kind, "text": "".join(piece["text"] for piece in group)} for kind, group in _grouped(pieces)]


def _grouped(pieces: list[Piece]) -> Any:
    """A space between two changed words belongs to the change: `net-30 days` -> `net-60 weeks` reads as one."""
    return groupby(pieces, key=lambda piece: piece["kind"])


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
    new = change.get("memory") if isinstance(change.get("memory"), dict) else change
    facts = [(_(name), _shown(new[name])) for name in ("category", "sensitivity", "tags", "expires_at") if name in new]
    return {
        "verb": change.get("verb", "edit"),
        "content": new.get("content", ""),
        "facts": facts,
        "ref": change.get("ref", ""),
        "others": len(change.get("ids", ())),
        "at": proposal.opened_at,
    }


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


@register.filter
def to_go(memory: Memory) -> str:
    return desk.to_go(memory)


@register.filter
def why_waits(row: Memory | Proposal) -> str:
    return desk.why_proposed(row) if isinstance(row, Proposal) else desk.why(row)


@register.filter
def is_proposal(row: object) -> bool:
    return isinstance(row, Proposal)


@register.filter
def identified(pk: UUID) -> str:
    return f"row-{pk}"


@register.simple_tag
def choices_of(memory: Memory) -> dict[str, list[tuple[str, str]]]:
    """What an edit may choose from."""
    levels = [(level.label, level.label) for level in Sensitivity]
    return {"category": list(Category.choices), "sensitivity": [(str(a), str(b)) for a, b in levels]}
