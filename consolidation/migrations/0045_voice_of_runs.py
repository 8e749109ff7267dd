from django.db import migrations, models

FILL = """
    UPDATE consolidation_runprofile AS profile SET voice = memory.created_by_id
    FROM memories_memory AS memory WHERE memory.id = profile.episode_id
"""


class Migration(migrations.Migration):
    dependencies = [
        ("consolidation", "0044_packs"),
    ]

    operations = [
        migrations.AddField("runprofile", "voice", models.CharField(db_default="", max_length=64)),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
