"""What the calls that worked had in common is kept on each fact; those of before are counted again in the next run."""

from typing import Any

from django.db import migrations, models


def count_again(apps: Any, editor: Any) -> None:
    apps.get_model("consolidation", "ArgumentFact").objects.update(due=True)


class Migration(migrations.Migration):
    dependencies = [("consolidation", "0030_waiting_facts")]

    operations = [
        migrations.AddField("argumentfact", "habits", models.JSONField(db_default={}, default=dict)),
        migrations.RunPython(count_again, migrations.RunPython.noop, elidable=True),
    ]
