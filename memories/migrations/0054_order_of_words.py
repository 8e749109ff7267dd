"""Claims are also compared by the order of their words: dismissals whose text is kept are sealed again so.

Tokens are those of the fifth normalisation, so fingerprints stay, and what is forgotten needs no text: of its order
nothing is known, and it is compared without.
"""

from typing import Any

from django.db import migrations, models
from django.db.models import OuterRef, Subquery

from memories import claims

FIFTH, SIXTH = 5, 6  # normalisations


def seal_again(apps: Any, editor: Any) -> None:
    tombstones, memories = (apps.get_model("memories", name) for name in ("Tombstone", "Memory"))
    row = apps.get_model("memories", "DigestKey").objects.first()
    standing = tombstones.objects.filter(lifted_at=None, blocks=True, normalisation__lt=SIXTH)
    kept = memories.objects.filter(pk=OuterRef("memory_id"), status="dismissed").values("content")[:1]
    stones = standing.annotate(text=Subquery(kept)).exclude(text=None).order_by("pk")
    while row is not None and (batch := list(stones[:500])):
        for stone in batch:
            claim = claims.sealed(claims.claim_of(stone.text, SIXTH), bytes(row.key))
            stone.claim_tokens, stone.claim_hard = claims.as_lists(claim)
            stone.normalisation, stone.sealed_with = SIXTH, ""
        tombstones.objects.bulk_update(batch, ["claim_tokens", "claim_hard", "normalisation", "sealed_with"])
    standing.filter(normalisation=FIFTH).update(normalisation=SIXTH)


class Migration(migrations.Migration):
    dependencies = [("memories", "0050_speakers")]

    operations = [
        migrations.AlterField("tombstone", "normalisation", models.SmallIntegerField(default=SIXTH)),
        migrations.RunPython(seal_again, migrations.RunPython.noop, elidable=False),
    ]
