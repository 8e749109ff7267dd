"""Let the former version delete people while this one runs: it knows nothing of the views that they saved."""

from django.db import migrations

from memos_site.platform.migration_operations import DeleteInDatabase


class Migration(migrations.Migration):
    dependencies = [("memories", "0034_saved_views")]

    operations = [DeleteInDatabase("savedview", "user")]
