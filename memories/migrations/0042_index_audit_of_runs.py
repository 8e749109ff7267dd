"""Find what a run did. The trail is large and written to by every request: its index is built while they go on."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("memories", "0041_run_of_audit")]

    operations = [
        AddIndexConcurrently(
            "auditentry",
            models.Index(fields=["run", "-at", "-id"], condition=Q(run__isnull=False), name="audit_of_runs"),
        ),
    ]
