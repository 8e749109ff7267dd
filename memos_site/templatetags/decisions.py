"""Template tags about decisions: word diffs, proposed changes, edits, confidence."""

from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memories.lifecycle.ladder import Ladder
from memories.models import AuditEntry, Memory, Proposal
from memories.values.choices import Category, Hold, Sensitivity, Status, Type
from memos_site import review
from memos_site.web.word_diff import word_pieces

register = template.Library()

MAX_COMPARED = 4_000  # characters of either text
FACTS = ("category", "sensitivity", "tags", "expires_at")
EDITABLE = (Type.SEMANTIC, Type.PLAN_GRAPH)
CLOSED = (Status.DISMISSED, Status.SUPERSEDED, Status.RETRACTED)
VERB_LABELS = {
    "edit": gettext_lazy("say it otherwise"),
    "supersede": gettext_lazy("replace it"),
    "fork": gettext_lazy("add a variant"),
    "contest": gettext_lazy("doubt it"),
    "retract": gettext_lazy("take it back"),
    "merge": gettext_lazy("merge it with others"),
}


@register.simple_tag
def word_diff(before: str, after: str) -> SafeString:
    """Render both texts as one, with <del> and <ins>; long unchanged stretches are cut."""
    pieces = word_pieces(before[:MAX_COMPARED], after[:MAX_COMPARED])
    return format_html_join("", "{}", ((_marked(kind, text),) for kind, text in pieces))


def _marked(kind: str, text: str) -> SafeString | str:
    if kind == "same":
        return text
    tag, label = ("ins", _("added:")) if kind == "added" else ("del", _("removed:"))
    return format_html('<{}><span class="unseen">{} </span>{}</{}>', tag, label, text, tag)


@register.filter
def proposed_change(proposal: Proposal) -> dict[str, Any]:
    """Return what accepting a proposal does.

    `label`, new `content`, other changed `facts` as (name, value), `ref`, and the number of merged memories.
    """
    change = dict(proposal.change)
    new: dict[str, Any] = change["memory"] if isinstance(change.get("memory"), dict) else change
    changed = (name for name in FACTS if name in new and not _is(proposal.memory, name, new[name]))
    return {
        "label": str(VERB_LABELS.get(verb := change.get("verb", "edit"), verb)),
        "content": new.get("content", ""),
        "facts": [(_(name), _as_text(new[name])) for name in changed],
        "ref": change.get("ref", ""),
        "merged_count": len(change.get("ids", ())),
    }


def _is(memory: Memory, name: str, value: Any) -> bool:
    present = memory.get_sensitivity_display() if name == "sensitivity" else getattr(memory, name)
    return bool(present == value)


def _as_text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value or "–")


@register.filter
def edited_words(entry: AuditEntry) -> dict[str, str] | None:
    """Return the texts before and after an edit as far as recorded; None when it changed no words."""
    before, after = entry.before.get("content"), entry.after.get("content")
    if before is None or after is None:
        return None
    return {"before": _recorded_text(before), "after": _recorded_text(after)}


def _recorded_text(value: Any) -> str:
    return value if isinstance(value, str) else _("(a text of %(n)s characters)") % {"n": value["length"]}


@register.filter
def by_rule(memory: Memory) -> bool:
    """Return whether a rule confirmed or applied the memory, and no person has vouched for it."""
    return (
        memory.status in (Status.APPLIED, Status.CONFIRMED) and memory.hold == Hold.NONE and memory.category is not None
    )


@register.filter
def is_editable(memory: Memory) -> bool:
    """Return whether the words of a memory may be changed in its present status."""
    return memory.type in EDITABLE and memory.status not in CLOSED


@register.inclusion_tag("components/_confidence.html")
def confidence(memory: Memory, *, in_words: bool = False) -> dict[str, Any]:
    """Render confidence on a line from 0 to 100 with the rules' thresholds; `in_words`: these as text."""
    ladder = Ladder.of_settings()
    thresholds = (ladder.confirm_at, ladder.apply_at)
    return {"confidence": memory.confidence, "thresholds": thresholds, "in_words": in_words}


@register.filter
def explanation(row: Memory | Proposal) -> review.Explanation:
    """Return why the row waits for a person."""
    return review.explain(row)


@register.filter
def is_proposal(row: object) -> bool:
    """Return whether a row of the inbox is a proposal."""
    return isinstance(row, Proposal)


@register.simple_tag
def edit_choices(memory: Memory) -> dict[str, list[tuple[str, str]]]:
    """Return the options of an edit's select elements."""
    levels = [(str(level.label), str(level.label)) for level in Sensitivity]
    return {"category": list(Category.choices), "sensitivity": levels}
