"""Whose transactions a replica must have replayed before it answers them. Written only where replicas are configured."""

from django.db import migrations

CREATE = """
CREATE TABLE memories_lastwrite (
    writer varchar(64) NOT NULL,
    slot smallint NOT NULL,
    xact xid8 NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (writer, slot)
) WITH (fillfactor = 50)
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0024_claim_lookup")]

    operations = [migrations.RunSQL(CREATE, "DROP TABLE memories_lastwrite")]
