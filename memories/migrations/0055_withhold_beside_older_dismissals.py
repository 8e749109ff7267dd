"""Shared rows that stood beside an older dismissal in a scope are withheld from it, as those are that came later.

For each dismissal whose text is kept the search index nominates shared rows, so this grows with the dismissals and not
with the store. Of what is forgotten no words are left to look for; rows of its key are compared.
"""

import re
from collections.abc import Iterator
from typing import Any

from django.db import migrations
from django.db.models import OuterRef, Subquery

from memories import claims
from memories.values import search_words

WORD = re.compile(r"\w+")
SHARED = ["", "global"]
LIVE = ["candidate", "confirmed", "applied", "contested"]
CLAIMS = ["semantic", "competence", "plan_graph"]
OF_RULES = ["detected", "consolidated"]
BATCH = 200
MOST_WORDS = 60
NOMINATED = """
SELECT memory_id FROM memories_passage
WHERE scope IN ('', 'global') AND search @@ websearch_to_tsquery('english', %s)
ORDER BY ts_rank(search, websearch_to_tsquery('english', %s)) DESC LIMIT 50
"""


def withhold(apps: Any, editor: Any) -> None:
    tombstones, memories = (apps.get_model("memories", name) for name in ("Tombstone", "Memory"))
    kept = memories.objects.filter(pk=OuterRef("memory_id")).values("content")[:1]
    stones = tombstones.objects.filter(lifted_at=None, blocks=True, duplicate=False).exclude(scope__in=SHARED)
    stones = stones.annotate(text=Subquery(kept)).order_by("pk")
    key, last = apps.get_model("memories", "DigestKey").objects.first(), None
    shared = memories.objects.filter(scope__in=SHARED, type__in=CLAIMS, status__in=LIVE)
    if not shared.exists():
        return
    while batch := list(stones.filter(pk__gt=last)[:BATCH] if last else stones[:BATCH]):
        last = batch[-1].pk
        for stone in batch:
            for row in _nominated(stone, shared, editor):
                if stone.scope not in row.withheld_from and _claims_it(stone, row, bytes(key.key) if key else b""):
                    scopes = sorted({*row.withheld_from, stone.scope})
                    memories.objects.filter(pk=row.pk).update(withheld_from=scopes)


def _nominated(stone: Any, shared: Any, editor: Any) -> Iterator[Any]:
    ids: set[Any] = set()
    if stone.text:
        words = " or ".join(_words(stone.text))
        if words:
            with editor.connection.cursor() as cursor:
                cursor.execute(NOMINATED, [words, words])
                ids = {pk for (pk,) in cursor.fetchall()}
        claim = claims.claim_of(stone.text)
        same = [claims.fingerprint(claim, scope) for scope in SHARED]
        ids |= set(shared.filter(fingerprint__in=same).values_list("pk", flat=True)[:BATCH])
    if stone.key:
        named = shared.filter(key=stone.key) | shared.filter(type="competence", payload__skill_name=stone.key)
        ids |= set(named.values_list("pk", flat=True)[:BATCH])
    columns = ("content", "key", "type", "origin", "payload", "withheld_from")
    yield from shared.filter(pk__in=ids).only(*columns)


def _words(content: str) -> list[str]:
    found = WORD.findall(search_words.searchable(content) or content)
    return [*dict.fromkeys(word for word in found if word.casefold() not in ("or", "and"))][:MOST_WORDS]


def _claims_it(stone: Any, row: Any, secret: bytes) -> bool:
    is_found = row.origin in OF_RULES
    named = row.key or (row.payload.get("skill_name") if row.type == "competence" else None)
    if (is_found or row.type == "competence") and stone.key and stone.key == named:
        return True
    new = claims.claim_of(row.content)
    if stone.text:
        old = claims.claim_of(stone.text)
    elif stone.sealed_with:
        return False  # with a key that is gone
    else:
        old = claims.from_lists(stone.claim_tokens, stone.claim_hard)
        new = claims.sealed(claims.claim_of(row.content, stone.normalisation), secret)
    return new == old if is_found else claims.compare(old, new) == claims.Likeness.SAME


class Migration(migrations.Migration):
    dependencies = [("memories", "0054_order_of_words")]

    operations = [migrations.RunPython(withhold, migrations.RunPython.noop, elidable=False)]
