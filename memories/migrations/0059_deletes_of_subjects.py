"""The former version can delete memories that are named, while it runs beside this one."""

from django.db import migrations

from memos_site.platform.migration_operations import DeleteInDatabase


class Migration(migrations.Migration):
    dependencies = [("memories", "0058_subjects")]

    operations = [DeleteInDatabase("mention", "memory"), DeleteInDatabase("subject", "same_as")]
