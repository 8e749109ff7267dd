"""Which background run did what an audit entry says. The column is null in all rows there are, so nothing is rewritten."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0040_count_of_claims")]

    operations = [migrations.AddField("auditentry", "run", models.UUIDField(null=True))]
