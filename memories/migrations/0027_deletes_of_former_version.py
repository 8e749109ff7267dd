"""Let the former version delete memories and people while this one runs: it knows nothing of these tables."""

from django.db import migrations

from memos_site.platform.migration_operations import DeleteInDatabase


class Migration(migrations.Migration):
    dependencies = [("memories", "0026_call_allowances")]

    operations = [
        DeleteInDatabase("callallowance", "agent"),
        DeleteInDatabase("formerstate", "memory"),
        DeleteInDatabase("preferences", "user"),
        DeleteInDatabase("personlimits", "user"),
    ]
