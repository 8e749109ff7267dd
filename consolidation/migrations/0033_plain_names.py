"""Plainer names of four queues. Their tables keep their names, which processes of the former version use beside ours."""

from django.db import migrations

NAMES = {
    "Unread": "RuleRetry",
    "Reading": "EventBatch",
    "Unprofiled": "PendingProfile",
    "Unmeasured": "PendingMeasurement",
}


class Migration(migrations.Migration):
    dependencies = [("consolidation", "0032_profiles_of_events")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                operation
                for former, name in NAMES.items()
                for operation in (
                    migrations.RenameModel(former, name),
                    migrations.AlterModelTable(name, f"consolidation_{former.lower()}"),
                )
            ]
        ),
        migrations.AlterModelOptions("RuleRetry", {"verbose_name_plural": "rule retries"}),
        migrations.AlterModelOptions("PendingProfile", {}),
        migrations.AlterModelOptions("PendingMeasurement", {}),
    ]
