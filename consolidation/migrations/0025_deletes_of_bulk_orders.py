"""Let the former version delete people and runs while this one runs: it knows nothing of bulk orders."""

from django.db import migrations

from memos_site.platform.migration_operations import DeleteInDatabase


class Migration(migrations.Migration):
    dependencies = [("consolidation", "0024_bulk_orders")]

    operations = [DeleteInDatabase("bulkorder", "person"), DeleteInDatabase("bulkorder", "run")]
