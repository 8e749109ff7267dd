"""Let the former version delete people while this one runs: it knows nothing of the mails to them."""

from django.db import migrations

from memos_site.platform.migration_operations import DeleteInDatabase


class Migration(migrations.Migration):
    dependencies = [("memories", "0060_mails_of_people")]

    operations = [DeleteInDatabase("mail", "user")]
