"""The words for actions: what was done, by whom, to how many. Those of verbs come from their records."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from consolidation.models import BulkOrder, Run
from consolidation.models.bulk_orders import UNDO
from memories.intake.equal_claims import AlsoKnown
from memories.models import AuditEntry
from memories.values.choices import ActorKind
from memos_site import review
from memos_site.review.verbs import VERBS, Words
from memos_site.review.verbs.attention import named_day
from memos_site.web.words import in_words

REDO = "redo"  # an undo of an undo
TO_DO, UNDER_WAY, DONE = range(3)  # of Words.many
OTHERS = {  # actions that are no verb: of agents, of rules, and what a decision brings about
    "create": Words(gettext_lazy("first said")),
    "reinforce": Words(gettext_lazy("said again")),
    "decay": Words(gettext_lazy("lost confidence")),
    "contest": Words(gettext_lazy("doubted")),
    "hold": Words(gettext_lazy("protected by a person")),
    "outcome": Words(gettext_lazy("said how it ended"), gettext_lazy("%(who)s reported how it ended")),
    "retract": Words(gettext_lazy("taken back")),
    "supersede": Words(gettext_lazy("superseded"), gettext_lazy("%(who)s replaced this")),
    "merge": Words(gettext_lazy("merged"), gettext_lazy("%(who)s merged this")),
    "propose": Words(gettext_lazy("proposed"), gettext_lazy("%(who)s proposed another version")),
    "publish": Words(gettext_lazy("published"), gettext_lazy("%(who)s published this")),
    "accept": Words(gettext_lazy("accepted"), toast=gettext_lazy("Accepted")),
    "scan": Words(gettext_lazy("scanned again")),
    "lift": Words(gettext_lazy("lifted")),
    "revert": Words(gettext_lazy("reverted")),
    UNDO: Words(
        gettext_lazy("undone"),
        gettext_lazy("%(who)s undid a decision about this"),
        many=(gettext_lazy("Undo %(n)s"), gettext_lazy("Undoing %(n)s"), gettext_lazy("Undone: %(n)s")),
    ),
    REDO: Words(
        gettext_lazy("done again"),
        many=(gettext_lazy("Do %(n)s again"), gettext_lazy("Doing again %(n)s"), gettext_lazy("Done again: %(n)s")),
    ),
}
OF_PROPOSALS = {  # of many: what a verb about memories does to the proposals among them
    "promote": (gettext_lazy("Accept %(n)s"), gettext_lazy("Accepting %(n)s"), gettext_lazy("Accepted %(n)s")),
    "dismiss": (gettext_lazy("Reject %(n)s"), gettext_lazy("Rejecting %(n)s"), gettext_lazy("Rejected %(n)s")),
}
BOTH_HOLD = "both hold"  # why many conflicts are dismissed
KEEP_BOTH = (
    gettext_lazy("Keep both of %(n)s"),
    gettext_lazy("Keeping both of %(n)s"),
    gettext_lazy("Kept both of %(n)s"),
)
OF_SYSTEM = {  # nobody said it
    "create": gettext_lazy("first seen"),
    "reinforce": gettext_lazy("seen again"),
    "outcome": gettext_lazy("judged how it ended"),
}
BY_ACTION = {action: verb for verb in VERBS.values() for action in verb.actions}


def words_for(action: str, options: Mapping[str, Any]) -> Words | None:
    """Return the words for an action with these options (`Verb.words_of`); None for one without."""
    verb = BY_ACTION.get(action) or VERBS.get(action)
    return verb.words_of(options) if verb else OTHERS.get(action)


def entry_text(entry: AuditEntry) -> str:
    """Say what an audit entry did, as in `promoted` or `snoozed until Mon 23 Nov`."""
    if entry.actor_kind == ActorKind.SYSTEM and entry.action in OF_SYSTEM:
        return str(OF_SYSTEM[entry.action])
    options = BY_ACTION[entry.action].stored_options(entry.after) if entry.action in BY_ACTION else {}
    words = words_for(entry.action, options)
    return str(words.done) % _facts(options) if words else in_words(entry.action)


def done_by(entry: AuditEntry, *, of_skill: bool) -> str:
    """Say who did what, as in `anna dismissed this`."""
    words = words_for(entry.action, {"of_skill": of_skill})
    facts = {"who": entry.actor, "what": in_words(entry.action)}
    return str(words.by) % facts if words and words.by else _("%(who)s changed this (%(what)s)") % facts


def toast(verb: str, options: Mapping[str, Any]) -> str:
    """Answer a person who has decided, as in `Dismissed as noise`. `options`: those of the verb, and `why`."""
    words = words_for(verb, options)
    return str(words.toast) % _facts(options) if words else ""


def tallies() -> dict[str, Any]:
    """Return action -> its words beside a number, of the actions that are counted."""
    words_by_action = {action: words_for(action, {}) for action in review.COUNTED_ACTIONS}
    return {action: words.tally or words.done for action, words in words_by_action.items() if words}


def of_many(stage: int, verb: str, number: int, options: Mapping[str, Any], *, proposals: int = 0) -> str:
    """Say what is done to many: TO_DO, UNDER_WAY or DONE, as in `Dismiss 10,000 as noise`. `options`: `why` too;
    `proposals`: so many of them are."""
    words = words_for(verb, options) or Words("")
    parts = [(words.many, number)]
    if proposals and verb in OF_PROPOSALS:
        of_proposals = KEEP_BOTH if options.get("why") == BOTH_HOLD else OF_PROPOSALS[verb]
        parts = [(words.many, number - proposals), (of_proposals, proposals)]
    texts = [
        str(words_of_stage[stage]) % _facts(options, number=n) for words_of_stage, n in parts if n or len(parts) == 1
    ]
    return "; ".join(texts)


def of_order(order: BulkOrder) -> str:
    """Say what a bulk order does or, once its run has ended, what it did and how many it left."""
    text = title_of_order(order)
    if order.run.status != Run.Status.SUCCEEDED or not order.refused_count:
        return text
    return f"{text}. " + _("%(n)s not: see why on the page of the run") % {"n": with_separators(order.refused_count)}


def title_of_order(order: BulkOrder, *, is_redo: bool = False) -> str:
    """Say what an order does or did, for its own page, which lists what it left. `is_redo`: it takes an undo back."""
    options = review.options_of(order) | {"why": order.why}
    verb = REDO if is_redo else order.verb
    if order.run.is_unfinished:
        return of_many(UNDER_WAY, verb, order.total, options)
    text = of_many(DONE, verb, order.done_count, options)
    if order.run.status != Run.Status.SUCCEEDED:
        facts = {"done": text, "n": with_separators(order.total)}
        return _("%(done)s of %(n)s, then it stopped") % facts
    return text


def equals_note(equals: Sequence[UUID]) -> str:
    """Return how many equal claims were dismissed along, as a text; '' for none."""
    n = len(equals)
    note = ngettext(", and %(n)s other that says the same", ", and %(n)s others that say the same", n)
    return note % {"n": n} if n else ""


def known_note(equals_elsewhere: Sequence[AlsoKnown]) -> str:
    """Return the scopes in which equal claims are known, as a text; '' for none."""
    scopes = sorted({also.memory.scope or _("all scopes") for also in equals_elsewhere})
    return _("; the same is known in %(scopes)s") % {"scopes": ", ".join(scopes)} if scopes else ""


def known_number(n: int) -> str:
    """Return how many equal claims are known in other scopes, as a text; '' for none."""
    note = ngettext("; %(n)s of the same is known elsewhere", "; %(n)s of the same are known elsewhere", n)
    return note % {"n": n} if n else ""


def _facts(options: Mapping[str, Any], *, number: int = 0) -> dict[str, Any]:
    """What the placeholders of Words stand for."""
    reason = in_words(options.get("why", "").partition(":")[0])
    return {"day": named_day(options.get("until")), "reason": reason, "n": with_separators(number)}


def with_separators(number: int) -> str:
    """Write a number with separators of thousands."""
    return number_format(number, force_grouping=True)
