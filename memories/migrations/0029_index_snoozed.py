"""What is snoozed, in the order in which it wakes."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("memories", "0028_lists_by_facets")]

    operations = [
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                fields=["snoozed_until", "id"], condition=Q(snoozed_until__isnull=False), name="memory_snoozed"
            ),
        ),
    ]
