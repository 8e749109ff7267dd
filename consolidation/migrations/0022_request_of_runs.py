import memos_site.platform.correlation
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("consolidation", "0021_deletes_of_former_version")]

    operations = [
        migrations.AddField(
            "run",
            "request_id",
            models.CharField(
                blank=True, db_default="", default=memos_site.platform.correlation.current, max_length=64
            ),
        ),
    ]
