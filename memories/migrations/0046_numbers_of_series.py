"""New tombstones hold the number of what opens a sentence and is one of a series; former ones are compared as sealed."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0045_count_waiting_in_scopes")]

    operations = [migrations.AlterField("tombstone", "normalisation", models.SmallIntegerField(default=4))]
