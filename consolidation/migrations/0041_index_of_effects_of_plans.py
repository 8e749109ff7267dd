"""Plans of one skill are found by their effects."""

import django.contrib.postgres.indexes
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("consolidation", "0040_redundancies")]

    operations = [
        migrations.AddIndex(
            model_name="planshape",
            index=django.contrib.postgres.indexes.GinIndex(fields=["changes"], name="plan_shape_by_effects"),
        ),
    ]
