import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("consolidation", "0025_deletes_of_bulk_orders")]

    operations = [
        migrations.AddField(
            model_name="planshape",
            name="former",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=255), default=list, size=None
            ),
        ),
    ]
