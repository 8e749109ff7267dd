"""Let the former version delete memories, episodes, runs and people while this one runs: it knows none of these keys."""

from django.db import migrations

from memos_site.platform.migration_operations import DeleteInDatabase


class Migration(migrations.Migration):
    dependencies = [("consolidation", "0020_daily_counts")]

    operations = [
        DeleteInDatabase("run", "episode"),
        DeleteInDatabase("llmcall", "run"),
        DeleteInDatabase("runstep", "run"),
        DeleteInDatabase("runstep", "success"),
        DeleteInDatabase("runstep", "failure"),
        DeleteInDatabase("planshape", "memory"),
        DeleteInDatabase("plannedrun", "shape"),
        DeleteInDatabase("importfile", "person"),
        DeleteInDatabase("importfile", "run"),
    ]
