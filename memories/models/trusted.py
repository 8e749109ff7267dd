"""The trust filter of QuerySets, applied before every ranking, count and page."""

from datetime import datetime
from typing import Any, Self, TypeVar

from django.apps import apps
from django.db.models import Model, Q, QuerySet
from uuid_utils.compat import uuid7

from memories.values.choices import Permission
from memories.values.trust import Trust

M_co = TypeVar("M_co", bound=Model, covariant=True)

new_id = uuid7


def all_of(model: str) -> Any:
    """All rows of a model of this room, for those modules that its own imports."""
    return apps.get_model("memories", model)._default_manager


class Trusted(QuerySet[M_co]):
    """A QuerySet of rows that carry scope and sensitivity, themselves or at the end of `trust_path`."""

    trust_path = ""

    def visible_to(self, trust: Trust) -> Self:
        return self.filter(trust.visible(self.trust_path))

    def offered_to(self, trust: Trust, memory: str = "") -> Self:
        """The visible rows of memories, or about them (`memory`: the path to it), that the caller may be offered."""
        return self.visible_to(trust).filter(trust.offered.on(["withheld_from"]).q(memory))

    def told_to(self, trust: Trust) -> Self:
        """The memories that the caller may read by id or key: who reads in all scopes every visible one."""
        return self.visible_to(trust) if trust.scopes is None else self.offered_to(trust)

    def answered_to(self, trust: Trust) -> Self:
        """The memories that the caller may change, as the answer shows them: without `read`, those that it created."""
        reads = trust.may(Permission.READ) or trust.may(Permission.REVIEW)
        return self.told_to(trust) if reads else self.told_to(trust).filter(created_by_id=trust.actor.identity)


class Snoozed(Trusted[M_co]):
    """Rows that a person may hide from the inbox for a while."""

    def awake(self, at: datetime) -> Self:
        return self.filter(Q(snoozed_until=None) | Q(snoozed_until__lte=at))

    def asleep(self, at: datetime) -> Self:
        return self.filter(snoozed_until__gt=at)
