"""New tombstones hold which words open the sentences of a claim; those of before are compared as they were sealed."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0038_lean_evidence")]

    operations = [migrations.AlterField("tombstone", "normalisation", models.SmallIntegerField(default=3))]
