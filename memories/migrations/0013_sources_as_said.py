"""An outcome keeps the source that said it, and the provenance of an observation is called that."""

from django.db import migrations, models

OBSERVATIONS = """
    UPDATE memories_memory SET provenance = jsonb_set(provenance, '{sources}', (
        SELECT jsonb_agg(CASE source->>'kind' WHEN 'observed' THEN source || '{"kind": "observation"}' ELSE source END
                         ORDER BY number)
        FROM jsonb_array_elements(provenance->'sources') WITH ORDINALITY AS told(source, number)))
    WHERE provenance @> '{"sources": [{"kind": "observed"}]}'
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0012_single_characters")]
    operations = [
        migrations.AlterField("episode", "outcome_by", models.CharField(blank=True, max_length=512)),
        migrations.RunSQL(OBSERVATIONS, migrations.RunSQL.noop),
    ]
