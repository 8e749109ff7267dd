"""Fewer index entries for a piece of evidence: none for an episode or event that it does not have, and of its memory only
the two that begin with it. They are made before the former ones are dropped, so that no delete meets a scan."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("memories", "0037_calls_of_agents")]

    operations = [
        migrations.AddIndex(
            "evidence",
            models.Index(fields=["episode"], condition=Q(episode__isnull=False), name="evidence_by_episode"),
        ),
        migrations.AddIndex(
            "evidence",
            models.Index(fields=["event"], condition=Q(event__isnull=False), name="evidence_by_event"),
        ),
        migrations.AlterField(
            "evidence",
            "memory",
            models.ForeignKey("memories.memory", models.CASCADE, related_name="evidence", db_index=False),
        ),
        migrations.AlterField(
            "evidence",
            "episode",
            models.ForeignKey(
                "memories.episode", models.SET_NULL, null=True, related_name="evidence_for", db_index=False
            ),
        ),
        migrations.AlterField(
            "evidence",
            "event",
            models.ForeignKey("memories.event", models.SET_NULL, null=True, db_index=False),
        ),
    ]
