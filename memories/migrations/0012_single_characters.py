"""Chinese and Japanese passages are found by a single character too; those that are there already as well."""

from django.db import migrations

from memories.values.text import UNSPACED

ONE = UNSPACED.pattern.removesuffix("+")
ADD = """
UPDATE memories_passage SET searchable = searchable || ' ' || (
    SELECT string_agg(DISTINCT single, ' ') FROM regexp_split_to_table(text, '') AS single WHERE single ~ %s
) WHERE searchable IS NOT NULL
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0011_keys")]

    operations = [migrations.RunSQL([(ADD, [ONE])], migrations.RunSQL.noop)]
