"""Dismiss with a reason, and restore."""

from typing import Annotated, Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from pydantic import Field, model_validator

from memories.intake import equal_claims
from memories.models import Memory
from memories.values.choices import LIVE, REASONS, Status
from memories.values.field_types import SOMETHING
from memos_site.review.verbs.verb import Because, Decision, Verb, Why, Words

# an empty reason is rejected when the decision is applied, because `why` alone is a reason too
Reason = Annotated[
    Why,
    Field(description=f"{', '.join(REASONS)}, or a sentence", json_schema_extra={"minLength": 1, "pattern": SOMETHING}),
]


def reason_text(reason: str, why: str) -> str:
    """Join a reason and more words about it."""
    return ": ".join(filter(None, (reason.strip(), why.strip())))


class Dismissal(Because):
    reason: Reason
    why: Why = ""
    """More about the reason; used alone where `reason` is empty"""

    @model_validator(mode="before")
    @classmethod
    def _without_reason(cls, raw: Any) -> Any:
        return {"reason": "", **raw} if isinstance(raw, dict) else raw

    @property
    def rationale(self) -> str:
        return reason_text(self.reason, self.why)


def dismiss(memory: Memory, decision: Decision) -> None:
    """Dismiss a memory and what claims the same

    Agents no longer get it, and the same claim cannot be stored again under any key or category: a tombstone blocks
    it and counts the attempts. Memories with the same claim under another key are dismissed too (`equals`), in the
    same batch, unless the reason is `duplicate`. `also_known` lists other scopes with the same claim; they are not
    changed.
    """
    equal_claims.dismiss(memory, trust=decision.trust, why=decision.why, at=decision.at, batch=decision.batch)


def restore(memory: Memory, decision: Decision) -> None:
    """Restore a dismissed memory to the inbox

    It becomes a candidate with the confidence that it had; its tombstone is lifted.
    """
    memory.restore(**decision.audit)


DISMISS = Verb(
    gettext_noop("dismiss"),
    dismiss,
    Words(
        _("dismissed"),
        _("%(who)s dismissed this"),
        _("Dismiss"),
        _("Dismissed as %(reason)s"),
        (_("Dismiss %(n)s as %(reason)s"), _("Dismissing %(n)s as %(reason)s"), _("Dismissed %(n)s")),
    ),
    statuses=frozenset(LIVE),
    needs_reason=True,
    body=Dismissal,
    example={"reason": "stale"},
    of_many=True,
    is_tallied=True,
    keys=("d",),
    choices=len(REASONS),
    help=_("dismiss with a reason"),
)
RESTORE = Verb(
    gettext_noop("restore"),
    restore,
    Words(_("restored"), _("%(who)s restored this"), _("Restore"), _("Restored")),
    statuses=frozenset({Status.DISMISSED, Status.CONTESTED}),
    example={"why": "it was right after all"},
    of_many=True,
)
