"""Which counted facts about commands may be told: none that a person dismissed or forgot, none that is flagged."""

from collections.abc import Iterator

from django.db.models import Q, QuerySet

from consolidation.learning.commands.purposes import TESTS
from consolidation.models.commands import CommandFact
from memories import scanning
from memories.models import Tombstone
from memories.values.choices import LIVE
from memories.values.trust import SHARED_SCOPES, Trust

BUILD, CHECKS, SET_UP = ("build",), ("lint", "types", "format"), ("packages",)
SHOWN_PURPOSES = (TESTS, *BUILD, *CHECKS, *SET_UP)  # of others only what does not start is worth a line


def tellable(rows: "QuerySet[CommandFact]", trust: Trust) -> Iterator[CommandFact]:
    """Yield those of these facts that the caller may be told, with their memories.

    A fact that was never written down has no memory and no words; one with words and without a memory was forgotten.
    """
    stated = Q(memory__status__in=LIVE, memory__flags=[]) & trust.offered.q("memory__")
    unstated = Q(memory=None, words="", due=False)
    facts = list(rows.visible_to(trust).filter(stated | unstated).select_related("memory"))  # type: ignore[attr-defined]
    keys = {key for fact in facts for key in fact.names}
    closed = Tombstone.objects.standing().filter(blocks=True, key__in=keys).values_list("scope", "key")
    dismissed = set(closed) if keys else set()
    for fact in facts:
        scopes = (fact.scope, *SHARED_SCOPES)
        if not any((scope, key) in dismissed for scope in scopes for key in fact.names):
            yield fact


def is_safe(*names: str) -> bool:
    """Whether the words of names (places, forms of commands) read as no order to a model and hold no credential."""
    return not scanning.flags(*(name.replace("-", " ").replace("_", " ").replace("/", " ") for name in names), *names)
