"""Claims that wait are counted from their index alone. The new one is built before the former one goes, while others
write.
"""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models
from django.db.models import Q

UNDECIDED = ("candidate", "contested")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memories", "0039_openings_of_claims")]

    operations = [
        AddIndexConcurrently(
            "memory",
            models.Index(
                fields=["-times_confirmed", "-created_at", "-id"],
                include=["scope", "sensitivity", "snoozed_until", "expires_at"],
                condition=Q(status__in=UNDECIDED, type="semantic"),
                name="memory_waiting_claims",
            ),
        ),
        RemoveIndexConcurrently("memory", "memory_waiting_claim"),
    ]
