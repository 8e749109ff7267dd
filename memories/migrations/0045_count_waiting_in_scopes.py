from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0044_plan_claim_lookup_once")]

    operations = [
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                condition=models.Q(("status__in", ("candidate", "contested"))),
                fields=["scope", "type"],
                include=("id", "status", "sensitivity", "snoozed_until", "expires_at"),
                name="memory_waiting_in_scope",
            ),
        ),
    ]
