"""Dismiss with a reason, and restore."""

from typing import Annotated, Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from pydantic import Field, model_validator

from memories.intake import equal_claims
from memories.models import Memory
from memories.values.choices import LIVE, REASONS, Status
from memories.values.field_types import SOMETHING
from memos_site.review.verbs.verb import Because, Verb, Verdict, Why, Words

# an empty reason is rejected when the verdict is applied, because `why` alone is a reason too
Reason = Annotated[
    Why,
    Field(description=f"{', '.join(REASONS)}, or a sentence", json_schema_extra={"minLength": 1, "pattern": SOMETHING}),
]


def joined(reason: str, why: str) -> str:
    """Join a reason and more words about it."""
    return ": ".join(filter(None, (reason.strip(), why.strip())))


class Dismissal(Because):
    reason: Reason
    why: Why = ""
    """More about it; taken alone where `reason` is empty"""

    @model_validator(mode="before")
    @classmethod
    def _without_reason(cls, raw: Any) -> Any:
        return {"reason": "", **raw} if isinstance(raw, dict) else raw

    @property
    def rationale(self) -> str:
        return joined(self.reason, self.why)


def dismiss(memory: Memory, verdict: Verdict) -> None:
    """Dismiss a memory and what claims the same

    It leaves what agents read, and the same claim does not come back, whatever its key and category: a tombstone
    counts who tries. What claims the same under another key is dismissed along (`equals`), in the same batch; not
    when the reason is `duplicate`, which keeps the other one. `also_known` says which other scopes know the same:
    nothing is decided there.
    """
    equal_claims.dismiss(memory, trust=verdict.trust, why=verdict.why, at=verdict.at, batch=verdict.batch)


def restore(memory: Memory, verdict: Verdict) -> None:
    """Restore a dismissed memory to the inbox

    It becomes a candidate with the confidence that it had; its tombstone is lifted.
    """
    memory.restore(**verdict.audit)


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
