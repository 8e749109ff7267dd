"""What says how an episode ended. Outcomes of before were reported, but for those that a person set last."""

from django.db import migrations, models

FILL = """
    UPDATE memories_episode SET outcome_source = CASE WHEN (
        SELECT entry.actor_kind FROM memories_auditentry entry
        WHERE entry.subject_kind = 'memory' AND entry.subject_id = memories_episode.memory_id
            AND entry.action = 'outcome'
        ORDER BY entry.at DESC, entry.id DESC LIMIT 1
    ) = 'person' THEN 'person' ELSE 'reported' END
    WHERE outcome IS NOT NULL
"""


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0055_withhold_beside_older_dismissals"),
    ]

    operations = [
        migrations.AddField(
            model_name="episode",
            name="outcome_counts",
            field=models.BooleanField(db_default=True, default=True),
        ),
        migrations.AddField(
            model_name="episode",
            name="outcome_others",
            field=models.JSONField(db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name="episode",
            name="outcome_source",
            field=models.CharField(
                choices=[
                    ("person", "A person"),
                    ("reported", "The agent"),
                    ("checks", "Its last checks"),
                    ("user", "The user's words"),
                    ("model", "A language model"),
                    ("none", "Nobody"),
                ],
                db_default="none",
                default="none",
                max_length=8,
            ),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop, elidable=True),
        migrations.AddIndex(
            model_name="episode",
            index=models.Index(
                condition=models.Q(
                    models.Q(("outcome", None), ("outcome_counts", False), _connector="OR"),
                    ("closed_at__isnull", False),
                    models.Q(("outcome_source", "person"), _negated=True),
                ),
                fields=["-memory"],
                name="episode_to_judge",
            ),
        ),
        migrations.AddIndex(
            model_name="episode",
            index=models.Index(
                condition=models.Q(("outcome_source", "none"), _negated=True),
                fields=["outcome_source", "outcome_counts", "-memory"],
                name="episode_by_outcome_source",
            ),
        ),
    ]
