"""Template tags about decisions: word diffs, proposed changes, edits, confidence."""

import re
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memories.lifecycle.ladder import Ladder
from memories.models import AuditEntry, Evidence, Memory, Proposal
from memories.people import trust_of
from memories.search.context.assembling import Item
from memories.values import roles
from memories.values.choices import Category, Hold, Review, Sensitivity, Status, Type
from memories.values.field_errors import parse_instant
from memories.values.speakers import review_of
from memos_site import review
from memos_site.templatetags.page import code_spans
from memos_site.web import action_words
from memos_site.web.fragments import fragment
from memos_site.web.word_diff import brief, word_pieces
from memos_site.web.words import as_list, in_words

register = template.Library()

CHANGE = r"<(?:del|ins)><span[^>]*>[^<]*</span>[^`<]*</(?:del|ins)>"
CODE = re.compile(rf"`((?:[^`<]|{CHANGE})+)`")  # a change that begins or ends within such a span is left as it is
MAX_COMPARED = 4_000  # characters of either text
MAX_BEGINNING = 280
CONSOLIDATION = "consolidation"  # the source of what was learned from runs
FACTS = ("category", "sensitivity", "tags", "expires_at")
EDITABLE = (Type.SEMANTIC, Type.PLAN_GRAPH)
CLOSED = (Status.DISMISSED, Status.SUPERSEDED, Status.RETRACTED)
VERB_LABELS = {
    "edit": gettext_lazy("say it in other words"),
    "supersede": gettext_lazy("replace it"),
    "fork": gettext_lazy("add a variant"),
    "contest": gettext_lazy("doubt it"),
    "retract": gettext_lazy("withdraw it"),
    "merge": gettext_lazy("merge it with others"),
    "choose": gettext_lazy("which one holds?"),
    "demote": gettext_lazy("stop offering it"),
}


@register.filter
def source_name(source: str) -> str:
    """Return where a memory comes from, as a person would say it."""
    return _("from runs") if source == CONSOLIDATION else source


@register.filter
def first_speaker(memory: Memory) -> str:
    """Return who said a memory first, as `source_name` where it was read in runs."""
    return source_name(memory.source) if memory.source == CONSOLIDATION else review.first_speaker(memory)


@register.filter
def speaker(occasion: Evidence, memory: Memory) -> str:
    """Return who spoke on an occasion, by the name that `first_speaker` gives the one who said it first; what a user
    said in a run is the user's."""
    if occasion.event and roles.of(occasion.event.role) == roles.USER:
        return occasion.event.actor or _("A user")
    if occasion.made_by == memory.created_by:
        return review.first_speaker(memory)
    return occasion.made_by or (occasion.episode.source if occasion.episode else "") or source_name(memory.source)


@register.filter
def action_text(entry: AuditEntry) -> str:
    """Return what was done to a memory, in the words of its history, and the status that it got by it."""
    text = action_words.entry_text(entry)
    status = in_words(entry.after.get("status"))
    return f"{text} → {status}" if status and status != text else text


@register.simple_tag
def word_diff(before: str, after: str, *, for_a_row: bool = False) -> SafeString:
    """Render both texts as one, with <del> and <ins>; long unchanged stretches are cut. Texts that differ only further
    on, or not at all: how the second begins. `for_a_row`: long changes are cut too."""
    pieces = list(word_pieces(before[:MAX_COMPARED], after[:MAX_COMPARED]))
    if all(kind == "same" for kind, _text in pieces):
        return code_spans(Truncator(after).chars(MAX_BEGINNING))
    if for_a_row:
        pieces = brief(pieces)
    elif max(len(before), len(after)) > MAX_COMPARED:
        pieces.append(("same", " …"))
    html = format_html_join("", "{}", ((_mark(kind, text),) for kind, text in pieces))
    return mark_safe(CODE.sub(r"<code>\1</code>", html))  # noqa: S308 - escaped before


def _mark(kind: str, text: str) -> SafeString | str:
    if kind == "same":
        return text
    tag, label = ("ins", _("added:")) if kind == "added" else ("del", _("removed:"))
    return format_html('<{}><span class="unseen">{} </span>{}</{}>', tag, label, text, tag)


@register.filter
def proposed_change(proposal: Proposal) -> dict[str, Any]:
    """Return what accepting a proposal does.

    `verb` and its `label`, new `content`, other changed `facts` as (name, value), `ref`, and the number of merged
    memories.
    """
    change = dict(proposal.change)
    new_values: dict[str, Any] = change["memory"] if isinstance(change.get("memory"), dict) else change
    changed_names = (name for name in FACTS if name in new_values and not _is(proposal.memory, name, new_values[name]))
    return {
        "label": str(VERB_LABELS.get(verb := change.get("verb", "edit")) or in_words(verb)),
        "content": new_values.get("content", ""),
        "facts": [(in_words(name), _as_text(new_values[name])) for name in changed_names],
        "ref": change.get("ref", ""),
        "merged_count": len(change.get("ids", ())) if verb == "merge" else 0,
        "verb": verb,
    }


def _is(memory: Memory, name: str, value: Any) -> bool:
    if name == "expires_at":
        return parse_instant(value) == memory.expires_at
    present = memory.get_sensitivity_display() if name == "sensitivity" else getattr(memory, name)
    return bool(present == value)


def _as_text(value: Any) -> str:
    return as_list(map(str, value)) if isinstance(value, list) else in_words(value or "–")


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
def is_unreviewed(memory: Memory) -> bool:
    """Return whether one agent alone has said it and no person has decided about it; a dismissed one was decided."""
    return memory.status != Status.DISMISSED and review_of(memory) == Review.ONE_AGENT


@register.filter
def prompt_line(memory: Memory) -> str:
    """Return the line of a memory in an agent's prompt, as it is once the memory is confirmed."""
    return Item(memory).line


@register.filter
def is_editable(memory: Memory) -> bool:
    """Return whether the words of a memory may be changed in its present status."""
    return memory.type in EDITABLE and memory.status not in CLOSED


@register.simple_tag
def confidence(memory: Memory, *, in_words: bool = False) -> SafeString:
    """Render confidence on a line from 0 to 100 with the thresholds of the rules, which promote claims alone;
    `in_words`: these as text."""
    ladder = Ladder.of_settings()
    thresholds = (ladder.confirm_at, ladder.apply_at) if memory.type == Type.SEMANTIC else ()
    facts = {"confidence": memory.confidence, "thresholds": thresholds, "in_words": in_words}
    return fragment("components/_confidence.html", **facts)


@register.simple_tag(takes_context=True)
def explanation(context: Any, row: Memory | Proposal) -> review.Explanation:
    """Return why the row waits for a person."""
    return review.explain(row, trust_of(context["request"].user))


@register.filter
def is_proposal(row: object) -> bool:
    """Return whether a row of the inbox is a proposal."""
    return isinstance(row, Proposal)


@register.simple_tag
def edit_choices(memory: Memory) -> dict[str, list[tuple[str, str]]]:
    """Return the options of an edit's select elements."""
    levels = [(str(level.label), in_words(level.label)) for level in Sensitivity]
    return {"category": [(value, str(label)) for value, label in Category.choices], "sensitivity": levels}
