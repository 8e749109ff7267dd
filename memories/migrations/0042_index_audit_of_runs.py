"""Find what a run did. The index begins empty: of the rows there are, none names a run, so that building it is one scan.

Not built concurrently: a server of the former version that starts at the same time waits for its turn with a snapshot,
for whose end such a build would wait.
"""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("memories", "0041_run_of_audit")]

    operations = [
        migrations.AddIndex(
            "auditentry",
            models.Index(fields=["run", "-at", "-id"], condition=Q(run__isnull=False), name="audit_of_runs"),
        ),
    ]
