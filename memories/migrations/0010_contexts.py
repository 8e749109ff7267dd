"""Which contexts a memory went into, and in which thread; which company a task names, whatever its case."""

import django.contrib.postgres.indexes
from django.db import migrations, models
from django.db.models.functions import Lower


class Migration(migrations.Migration):
    dependencies = [("memories", "0009_unruled_events")]
    operations = [
        migrations.AddField(
            model_name="injection",
            name="thread_id",
            field=models.CharField(blank=True, default="", max_length=512),
        ),
        migrations.AddIndex(
            model_name="injection",
            index=django.contrib.postgres.indexes.GinIndex(
                fields=["items"], name="injection_of_memory", opclasses=["jsonb_path_ops"]
            ),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                Lower("company_id"), condition=models.Q(company_id__isnull=False), name="memory_by_company_name"
            ),
        ),
    ]
