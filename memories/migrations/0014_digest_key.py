"""Dismissals are compared by a key of the database's own, and what looks alike is read alike."""

import secrets
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db import migrations, models

from memories import claims
from memories.models.digest_key import UNKNOWN, former_secrets, mark

FIRST, SECOND = 1, 2  # normalisations
READ_OTHERWISE = r"[^\x01-\x7f]|[_&]"  # texts that the second one may read otherwise


def make_key(apps: Any, editor: Any) -> None:
    apps.get_model("memories", "DigestKey").objects.create(key=secrets.token_bytes(32))


def seal_again(apps: Any, editor: Any) -> None:
    """What says the same of a memory that is still dismissed, or can be shown to, is sealed with the new key. What is
    forgotten keeps its row and says which SECRET_KEY it needs: that of the next younger row of which this is known.

    Newest first, for keys follow each other: what an unknown key sealed tells that older ones are not ours either.
    """
    tombstones = apps.get_model("memories", "Tombstone")
    key = bytes(apps.get_model("memories", "DigestKey").objects.get().key)
    tombstones.objects.filter(blocks=False).update(normalisation=SECOND, sealed_with="")
    stones = list(tombstones.objects.filter(blocks=True).order_by("-at", "-id"))
    texts = _texts(apps, stones)
    sealed_by = {stone.pk: _sealed_by(stone, *texts[stone.memory_id]) for stone in stones if stone.memory_id in texts}
    latest = next((one for one in map(sealed_by.get, (stone.pk for stone in stones)) if one), "")
    needed = UNKNOWN if latest == UNKNOWN else mark(settings.SECRET_KEY.encode())
    for stone in stones:
        if found := sealed_by.get(stone.pk):
            needed = found
            _seal(stone, texts[stone.memory_id][0], key)
        else:
            stone.sealed_with = needed
            stone.save(update_fields=["sealed_with"])


def _texts(apps: Any, stones: list[Any]) -> dict[Any, tuple[str, str]]:
    """Content and status of what was dismissed, as far as it is there."""
    rows = apps.get_model("memories", "Memory").objects.filter(pk__in={one.memory_id for one in stones})
    return {pk: (content, status) for pk, content, status in rows.values_list("pk", "content", "status")}


def _sealed_by(stone: Any, text: str, status: str) -> str:
    """The mark of the SECRET_KEY that sealed this text; blank when that cannot be told, for it may have been changed
    since it was restored."""
    found = next((one for one, secret in former_secrets().items() if _says(stone, text, secret)), "")
    return found or (UNKNOWN if stone.lifted_at is None and status == "dismissed" else "")


def _says(stone: Any, text: str, secret: bytes) -> bool:
    claim = claims.sealed(claims.claim_of(text, FIRST), secret)
    return claim == claims.Claim(frozenset(stone.claim_tokens), frozenset(stone.claim_hard))


def _seal(stone: Any, text: str, key: bytes) -> None:
    claim = claims.sealed(claims.claim_of(text, SECOND), key)
    stone.claim_tokens, stone.claim_hard = sorted(claim.tokens), sorted(claim.hard)
    stone.normalisation, stone.sealed_with = SECOND, ""
    stone.save(update_fields=["claim_tokens", "claim_hard", "normalisation", "sealed_with"])


def read_again(apps: Any, editor: Any) -> None:
    """Fingerprints of texts that are read otherwise now."""
    memories = apps.get_model("memories", "Memory")
    rows = memories.objects.filter(type="semantic", content__regex=READ_OTHERWISE).exclude(fingerprint=None)
    changed = list(_changed(rows.only("content", "scope", "fingerprint").iterator(chunk_size=500)))
    memories.objects.bulk_update(changed, ["fingerprint"], batch_size=500)


def _changed(rows: Iterator[Any]) -> Iterator[Any]:
    for row in rows:
        fingerprint = claims.fingerprint(claims.claim_of(row.content, SECOND), row.scope)
        if fingerprint != bytes(row.fingerprint):
            row.fingerprint = fingerprint
            yield row


class Migration(migrations.Migration):
    dependencies = [("memories", "0013_sources_as_said")]

    operations = [
        migrations.CreateModel(
            name="DigestKey",
            fields=[
                ("id", models.SmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("key", models.BinaryField(max_length=32)),
            ],
            options={
                "constraints": [models.CheckConstraint(condition=models.Q(("pk", 1)), name="digest_key_is_one")],
            },
        ),
        migrations.AddField("tombstone", "normalisation", models.SmallIntegerField(default=FIRST)),
        migrations.AddField("tombstone", "sealed_with", models.CharField(blank=True, default="", max_length=16)),
        migrations.AddField("tombstone", "duplicate", models.BooleanField(default=False)),
        migrations.RunSQL(
            "UPDATE memories_tombstone SET duplicate = true WHERE reason ~ '^duplicate(:|$)'", migrations.RunSQL.noop
        ),
        migrations.RunPython(make_key, migrations.RunPython.noop, elidable=False),
        migrations.RunPython(seal_again, migrations.RunPython.noop, elidable=False),
        migrations.RunPython(read_again, migrations.RunPython.noop, elidable=False),
        migrations.AlterField("tombstone", "normalisation", models.SmallIntegerField(default=SECOND)),
        migrations.AddIndex(
            "tombstone",
            models.Index(
                condition=models.Q(("blocks", True), ("lifted_at", None)),
                fields=["normalisation", "sealed_with"],
                name="tombstone_by_way_of_sealing",
            ),
        ),
    ]
