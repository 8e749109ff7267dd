"""Suggest existing keys for one that does not exist."""

import difflib

from memories.models import Memory
from memories.values.trust import Trust

NEIGHBOURS = 500  # on either side in the alphabet: it costs the same however many keys there are
MOST, LEAST_LIKE = 3, 0.5


def suggestions(key: str, *, scope: str, trust: Trust) -> list[str]:
    """At most three keys of that scope that the caller may see, the most similar first."""
    keys = Memory.objects.visible_to(trust).live().filter(scope=scope, key__isnull=False)
    after = keys.filter(key__gte=key).order_by("key").values_list("key", flat=True)[:NEIGHBOURS]
    before = keys.filter(key__lt=key).order_by("-key").values_list("key", flat=True)[:NEIGHBOURS]
    candidates = [candidate for candidate in (*after, *before) if candidate]
    return difflib.get_close_matches(key, candidates, n=MOST, cutoff=LEAST_LIKE)
