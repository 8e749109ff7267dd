"""Claims are compared without the disguises of their letters: dismissals whose text is kept are sealed again so.

What is forgotten is compared as it was sealed. A former version takes no dismissal for one that is sealed anew, until
its processes end with the upgrade.
"""

from collections.abc import Iterator
from typing import Any

from django.db import migrations, models
from django.db.models import OuterRef, Subquery

from memories import claims

FIFTH = 5  # normalisation
READ_OTHERWISE = (
    r"[^\x01-\x7f]|[%<\\]|[A-Za-z][0134578@$!]{1,2}[A-Za-z]|([a-z][A-Z].*){2}|[A-Za-z0-9+/_-]{20}"
    r"|\m[A-Za-z]([ .*_|/~-][A-Za-z]){3}\M"
)  # texts that it may read otherwise than the fourth


def seal_again(apps: Any, editor: Any) -> None:
    tombstones, memories = (apps.get_model("memories", name) for name in ("Tombstone", "Memory"))
    row = apps.get_model("memories", "DigestKey").objects.first()
    if row is None:
        return
    kept = memories.objects.filter(pk=OuterRef("memory_id"), status="dismissed").values("content")
    stones = tombstones.objects.filter(lifted_at=None, blocks=True, normalisation__lt=FIFTH)
    stones = stones.annotate(text=Subquery(kept)).exclude(text=None).order_by("pk")
    while batch := list(stones[:500]):
        for stone in batch:
            claim = claims.sealed(claims.claim_of(stone.text, FIFTH), bytes(row.key))
            stone.claim_tokens, stone.claim_hard = claims.as_lists(claim)
            stone.normalisation, stone.sealed_with = FIFTH, ""
        tombstones.objects.bulk_update(batch, ["claim_tokens", "claim_hard", "normalisation", "sealed_with"])


def read_again(apps: Any, editor: Any) -> None:
    memories = apps.get_model("memories", "Memory")
    rows = memories.objects.filter(type="semantic", content__regex=READ_OTHERWISE).exclude(fingerprint=None)
    changed = list(_changed(rows.only("content", "scope", "fingerprint").iterator(chunk_size=500)))
    memories.objects.bulk_update(changed, ["fingerprint"], batch_size=500)


def _changed(rows: Iterator[Any]) -> Iterator[Any]:
    for row in rows:
        fingerprint = claims.fingerprint(claims.claim_of(row.content, FIFTH), row.scope)
        if fingerprint != bytes(row.fingerprint):
            row.fingerprint = fingerprint
            yield row


class Migration(migrations.Migration):
    dependencies = [("memories", "0053_roles_of_events")]

    operations = [
        migrations.AlterField("tombstone", "normalisation", models.SmallIntegerField(default=FIFTH)),
        migrations.RunPython(seal_again, migrations.RunPython.noop, elidable=False),
        migrations.RunPython(read_again, migrations.RunPython.noop, elidable=False),
    ]
