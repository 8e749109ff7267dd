import django.contrib.postgres.fields
from django.db import migrations, models

# As `models.case_of`: the thread of the episode, else the episode alone; an episode that is gone is a case of its own.
CASES = """
UPDATE consolidation_sighting AS sighting SET "case" = md5(coalesce(nullif(found.thread_id, ''), found.id::text))::uuid
FROM (
    SELECT s.id AS sighting_id, s.episode_id AS id, e.thread_id
    FROM consolidation_sighting s LEFT JOIN memories_episode e ON e.memory_id = s.episode_id
) AS found
WHERE found.sighting_id = sighting.id
"""
COUNTED = """
UPDATE consolidation_pattern AS pattern SET cases = counted.n
FROM (
    SELECT pattern_id, count(DISTINCT "case") AS n FROM consolidation_sighting WHERE outcome = 'success' GROUP BY 1
) AS counted
WHERE counted.pattern_id = pattern.id
"""


class Migration(migrations.Migration):
    dependencies = [("consolidation", "0002_rules"), ("memories", "0012_single_characters")]

    operations = [
        migrations.AlterField(
            "pattern",
            "kind",
            models.CharField(
                choices=[("effects", "Effects"), ("exact", "Exact"), ("general", "General")], max_length=8
            ),
        ),
        migrations.AddField(
            "pattern",
            "effects",
            django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None),
        ),
        migrations.AddField(
            "pattern",
            "former",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=255), default=list, size=None
            ),
        ),
        migrations.AddField("pattern", "cases", models.IntegerField(default=0)),
        migrations.AddField("sighting", "case", models.UUIDField(null=True)),
        migrations.RunSQL(CASES, migrations.RunSQL.noop),
        migrations.RunSQL(COUNTED, migrations.RunSQL.noop),
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AlterField("sighting", "case", models.UUIDField()),
        migrations.AddIndex("sighting", models.Index(fields=["pattern", "case"], name="sighting_by_case")),
    ]
