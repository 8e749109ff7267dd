"""Pruning looks only at what it may remove: nothing that it passes by stands at the head of its index."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0007_lean_join")]
    operations = [
        migrations.RemoveIndex(model_name="memory", name="memory_fades"),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                fields=["fades_at"],
                condition=models.Q(
                    ("deletion_policy", "auto_prune"),
                    ("evidence_of_live", False),
                    ("fades_at__isnull", False),
                    ("pinned", False),
                    ("type__in", ("episodic", "working")),
                ),
                name="memory_fades",
            ),
        ),
    ]
