"""Claims are also compared by the negations of languages whose grammar is not read: "nicht", "nunca", "не".

Tokens are those of the sixth normalisation, so fingerprints stay. Dismissals whose text is kept are sealed again; what
is forgotten is compared as before.
"""

from typing import Any

from django.db import migrations, models
from django.db.models import OuterRef, Subquery

from memories import claims

SEVENTH = 7  # normalisation


def seal_again(apps: Any, editor: Any) -> None:
    tombstones, memories = (apps.get_model("memories", name) for name in ("Tombstone", "Memory"))
    key = apps.get_model("memories", "DigestKey").objects.values_list("key", flat=True).first()
    kept = memories.objects.filter(pk=OuterRef("memory_id"), status="dismissed").values("content")[:1]
    standing = tombstones.objects.filter(lifted_at=None, blocks=True, normalisation__lt=SEVENTH)
    for stone in standing.annotate(text=Subquery(kept)).exclude(text=None).iterator() if key else ():
        stone.claim_tokens, stone.claim_hard = claims.as_lists(
            claims.sealed(claims.claim_of(stone.text, SEVENTH), bytes(key))
        )
        stone.normalisation, stone.sealed_with = SEVENTH, ""
        stone.save(update_fields=["claim_tokens", "claim_hard", "normalisation", "sealed_with"])


class Migration(migrations.Migration):
    dependencies = [("memories", "0062_transcripts_removed")]

    operations = [
        migrations.AlterField("tombstone", "normalisation", models.SmallIntegerField(default=SEVENTH)),
        migrations.RunPython(seal_again, migrations.RunPython.noop, elidable=False),
    ]
