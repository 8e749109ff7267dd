from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("consolidation", "0026_former_plans")]

    operations = [migrations.AddField("run", "deaths", models.SmallIntegerField(db_default=0, default=0))]
