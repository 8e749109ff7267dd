"""Who has said a claim in its present words, in the row and in its former states.

The evidence tells it of rows that are there: agents whose kept words are those of today, and of what rules counted the
agents that alone reported the episodes. Where that is nobody but the maker, the column stays empty, so that most rows
are not touched; who cannot be told any more is nobody.
"""

import django.contrib.postgres.fields
from django.db import migrations, models

KEPT = [
    *("category", "company_id", "tags", "sensitivity", "status", "confidence", "hold", "salience", "salience_at"),
    *("reinforced_at", "pinned", "deletion_policy", "expires_at", "valid_from", "valid_to", "times_confirmed"),
    *("flags", "speakers", "version", "updated_at"),
]
LONG = ["content", "payload", "provenance"]
BEFORE = [name for name in KEPT if name != "speakers"]

SPOKEN = """
CREATE TEMPORARY TABLE memos_spoken ON COMMIT DROP AS
SELECT memory_id, speaker, min(since) AS since FROM (
    SELECT e.memory_id, e.created_at AS since, CASE
        WHEN e.made_by_id LIKE 'agent:%' AND e.snapshot = m.content THEN e.made_by_id
        WHEN m.origin = 'imported' AND e.made_by_id = m.created_by_id AND e.snapshot = m.content THEN 'import'
        WHEN e.made_by_id NOT LIKE 'system:%' THEN NULL
        WHEN m.origin NOT IN ('detected', 'consolidated') AND EXISTS (
            SELECT FROM memories_evidence o WHERE o.memory_id = m.id AND o.made_by_id LIKE 'agent:%'
        ) THEN NULL
        WHEN EXISTS (
            SELECT FROM memories_event v WHERE v.episode_id = e.episode_id AND v.made_by <> r.created_by
        ) THEN NULL
        WHEN r.created_by_id LIKE 'agent:%' THEN r.created_by_id
        WHEN r.created_by_id LIKE 'person:%' OR r.created_by_id = 'system:import' THEN 'import'
    END AS speaker
    FROM memories_evidence e
    JOIN memories_memory m ON m.id = e.memory_id AND m.type = 'semantic'
    LEFT JOIN memories_memory r ON r.id = e.episode_id
    WHERE e.kind NOT IN ('contradicts', 'suppressed')
        AND (m.origin = 'imported' OR m.created_by_id NOT LIKE 'person:%')
        AND (m.created_by_id LIKE 'system:%' OR e.made_by_id <> m.created_by_id OR EXISTS (
            SELECT FROM memories_evidence o WHERE o.memory_id = m.id AND o.made_by_id <> m.created_by_id
        ))
) AS said
WHERE speaker IS NOT NULL
GROUP BY memory_id, speaker
"""
PRESENT = """
UPDATE memories_memory m SET speakers = said.speakers FROM (
    SELECT memory_id, (array_agg(speaker ORDER BY since, speaker))[1:20] AS speakers FROM memos_spoken GROUP BY memory_id
) AS said
WHERE m.id = said.memory_id AND said.speakers <> ARRAY[m.created_by_id]::varchar[]
"""
# Of states with the words of today; with others nobody but the maker is known to have said them.
FORMER = """
UPDATE memories_formerstate f SET speakers = said.speakers FROM (
    SELECT s.id, (array_agg(speaker ORDER BY since, speaker))[1:20] AS speakers
    FROM memos_spoken o
    JOIN memories_formerstate s ON s.memory_id = o.memory_id AND o.since < s.until
    WHERE NOT EXISTS (
        SELECT FROM memories_formerstate n
        WHERE n.memory_id = s.memory_id AND n.until >= s.until AND n.content IS NOT NULL
    )
    GROUP BY s.id
) AS said, memories_memory m
WHERE f.id = said.id AND m.id = f.memory_id AND said.speakers <> ARRAY[m.created_by_id]::varchar[]
"""


def row(name: str, columns: list[str]) -> str:
    return ", ".join(f"{name}.{column}" for column in columns)


def differing(column: str) -> str:
    return f"CASE WHEN OLD.{column} IS DISTINCT FROM NEW.{column} THEN OLD.{column} END"


def keeping(kept: list[str]) -> list[str]:
    """The function and the trigger of 0018_former_states for these columns."""
    function = f"""
CREATE OR REPLACE FUNCTION memos_keep_former_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    dated text := coalesce(
        nullif(current_setting('memos.moment', true), ''), nullif(current_setting('memos.changed_at', true), '')
    );
    moment timestamptz := coalesce(dated::timestamptz, transaction_timestamp());
    last_id bigint;
    last_until timestamptz;
BEGIN
    PERFORM set_config('memos.moment', '', true);
    IF moment <= OLD.created_at OR current_setting('memos.erasing', true) = 'on' THEN
        RETURN NEW;
    END IF;
    IF ({row("OLD", kept[::-1] + LONG)}) IS NOT DISTINCT FROM ({row("NEW", kept[::-1] + LONG)}) THEN
        RETURN NEW;
    END IF;
    SELECT id, until INTO last_id, last_until
    FROM memories_formerstate WHERE memory_id = OLD.id ORDER BY until DESC LIMIT 1;
    IF last_until >= moment THEN
        UPDATE memories_formerstate
        SET {", ".join(f"{column} = coalesce({column}, {differing(column)})" for column in LONG)}
        WHERE id = last_id AND ({" OR ".join(f"OLD.{column} IS DISTINCT FROM NEW.{column}" for column in LONG)});
    ELSE
        INSERT INTO memories_formerstate (memory_id, until, recorded, {", ".join(kept + LONG)})
        VALUES (OLD.id, moment, true, {row("OLD", kept)}, {", ".join(differing(column) for column in LONG)});
    END IF;
    RETURN NEW;
END
$$
"""  # noqa: S608 - names of our own columns
    trigger = f"""
CREATE OR REPLACE TRIGGER memory_keeps_former_states BEFORE UPDATE OF {", ".join(kept + LONG)} ON memories_memory
FOR EACH ROW EXECUTE FUNCTION memos_keep_former_state()
"""
    return [function, trigger]


def speakers(**options: bool) -> django.contrib.postgres.fields.ArrayField:
    of_one = models.CharField(max_length=64)
    return django.contrib.postgres.fields.ArrayField(base_field=of_one, db_default=[], default=list, size=None, **options)


class Migration(migrations.Migration):
    dependencies = [("memories", "0047_withheld_from")]

    operations = [
        migrations.AddField("formerstate", "speakers", speakers()),
        migrations.AddField("memory", "speakers", speakers(blank=True, editable=False)),
        migrations.RunSQL([SPOKEN, PRESENT, FORMER], migrations.RunSQL.noop),
        migrations.RunSQL(keeping(KEPT), keeping(BEFORE)),
    ]
