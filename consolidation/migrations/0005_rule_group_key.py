"""Groups are known by a key of the database's own; those of before say which SECRET_KEY they are found by."""

from typing import Any

from django.conf import settings
from django.db import migrations, models

from memories.models.digest_key import UNKNOWN, mark


def say_which(apps: Any, editor: Any) -> None:
    """By the tombstones it may have been seen that others than SECRET_KEY were in use."""
    unknown = apps.get_model("memories", "Tombstone").objects.filter(sealed_with=UNKNOWN).exists()
    sealed_with = UNKNOWN if unknown else mark(settings.SECRET_KEY.encode())
    apps.get_model("consolidation", "RuleGroup").objects.update(sealed_with=sealed_with)


class Migration(migrations.Migration):
    dependencies = [("consolidation", "0004_guidance"), ("memories", "0014_digest_key")]

    operations = [
        migrations.AddField("rulegroup", "sealed_with", models.CharField(blank=True, default="", max_length=16)),
        migrations.RunPython(say_which, migrations.RunPython.noop, elidable=False),
        migrations.AddIndex(
            "rulegroup",
            models.Index(
                condition=models.Q(("sealed_with", ""), _negated=True),
                fields=["scope", "rule", "sealed_with"],
                name="rule_group_of_a_secret_key",
            ),
        ),
    ]
