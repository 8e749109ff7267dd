"""Shared rows that are withheld from the scopes where their claim was dismissed.

A store into a shared scope asks after the dismissals of every scope: `at_scopes` of the lookup is then null, and what
it finds by key it finds in any scope.
"""

import django.contrib.postgres.fields
from django.db import migrations, models

OF_SCOPES = "stone.scope = ANY(at_scopes)"
OF_ALL = f"(at_scopes IS NULL OR {OF_SCOPES})"
REPLACE = """
DO $body$ BEGIN
    EXECUTE replace(pg_get_functiondef('memos_claim_lookup'::regproc), '{}', '{}');
END $body$
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0049_claims_in_other_letters")]

    operations = [
        migrations.AddField(
            model_name="memory",
            name="withheld_from",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=128), db_default=[], default=list, editable=False, size=None
            ),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                condition=models.Q(("withheld_from", []), _negated=True), fields=["scope"], name="memory_withheld"
            ),
        ),
        migrations.AddIndex(
            model_name="tombstone",
            index=models.Index(
                condition=models.Q(("lifted_at", None)), fields=["key", "scope"], name="tombstone_of_key"
            ),
        ),
        migrations.RemoveIndex(model_name="tombstone", name="tombstone_by_key"),
        migrations.RunSQL(REPLACE.format(OF_SCOPES, OF_ALL), REPLACE.format(OF_ALL, OF_SCOPES)),
    ]
