import django.db.models.deletion
from django.db import migrations, models

LIMIT = "calls of this token a minute; empty: RATE_LIMIT_PER_MINUTE; 0: no limit"
UNLOGGED, LOGGED = (f"ALTER TABLE memories_callallowance SET {kind}" for kind in ("UNLOGGED", "LOGGED"))


class Migration(migrations.Migration):
    dependencies = [("memories", "0025_last_writes")]

    operations = [
        migrations.CreateModel(
            name="CallAllowance",
            fields=[
                (
                    "agent",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        serialize=False,
                        to="memories.agent",
                    ),
                ),
                ("until", models.DateTimeField()),
                ("granted", models.IntegerField()),
                ("latest", models.IntegerField()),
            ],
        ),
        migrations.RunSQL(UNLOGGED, LOGGED),
        migrations.AlterField(
            model_name="agent",
            name="requests_per_minute",
            field=models.PositiveIntegerField(blank=True, help_text=LIMIT, null=True),
        ),
    ]
