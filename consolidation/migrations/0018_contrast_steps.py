import django.db.models.deletion
from django.db import migrations, models


def of_episode(related_name):
    return models.ForeignKey(
        null=True,
        on_delete=django.db.models.deletion.CASCADE,
        related_name=related_name,
        to="memories.episode",
    )


class Migration(migrations.Migration):
    contract = {"one_unfinished_run_of_a_kind_per_memory": "the former version starts no run about a memory"}
    dependencies = [
        ("consolidation", "0017_webhooks"),
        ("memories", "0020_imported_rows"),
    ]

    operations = [
        migrations.AddField("runstep", "success", of_episode("steps_with_success")),
        migrations.AddField("runstep", "failure", of_episode("steps_with_failure")),
        migrations.AddConstraint(
            "run",
            models.UniqueConstraint(
                fields=["kind", "subject"],
                condition=models.Q(episode=None, status__in=["queued", "running", "paused"], subject__isnull=False),
                name="one_unfinished_run_of_a_kind_per_memory",
            ),
        ),
    ]
