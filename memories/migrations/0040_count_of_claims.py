"""Claims that wait are counted from their index alone. Not built concurrently: of two servers that start at once the
second one waits for a lock with a snapshot of its own, for whose end such a build would wait.
"""

from django.db import migrations, models
from django.db.models import Q

UNDECIDED = ("candidate", "contested")


class Migration(migrations.Migration):
    dependencies = [("memories", "0039_openings_of_claims")]

    operations = [
        migrations.AddIndex(
            "memory",
            models.Index(
                fields=["-times_confirmed", "-created_at", "-id"],
                include=["scope", "sensitivity", "snoozed_until", "expires_at"],
                condition=Q(status__in=UNDECIDED, type="semantic"),
                name="memory_waiting_claims",
            ),
        ),
        migrations.RemoveIndex("memory", "memory_waiting_claim"),
    ]
