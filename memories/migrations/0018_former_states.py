"""Keep former states of memories, by a trigger, and put together those of before from the audit trail.

What the audit trail does not tell of that time: steps of confidence decay, salience, tags that events brought along,
and what working states said. The states made here are therefore not `recorded`, and readers are told so.
"""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models


KEPT = [
    *("category", "company_id", "tags", "sensitivity", "status", "confidence", "hold", "salience", "salience_at"),
    *("reinforced_at", "pinned", "deletion_policy", "expires_at", "valid_from", "valid_to", "times_confirmed"),
    *("flags", "version", "updated_at"),
]
LONG = ["content", "payload", "provenance"]


def row(name: str, columns: list[str]) -> str:
    return ", ".join(f"{name}.{column}" for column in columns)


def differing(column: str) -> str:
    return f"CASE WHEN OLD.{column} IS DISTINCT FROM NEW.{column} THEN OLD.{column} END"


# A change happens at the time that its statement writes into the row, even if that is the time that stood there: only a
# trigger OF a column knows that the statement names it. Triggers of one row fire in the order of their names.
DATE = """
CREATE FUNCTION memos_date_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('memos.moment', CASE TG_ARGV[0]
        WHEN 'updated_at' THEN NEW.updated_at WHEN 'salience_at' THEN NEW.salience_at ELSE NEW.reinforced_at
    END::text, true);
    RETURN NEW;
END
$$
"""
DATING = [
    f"CREATE TRIGGER memory_change_{number}_is_dated BEFORE UPDATE OF {column} ON memories_memory "
    f"FOR EACH ROW EXECUTE FUNCTION memos_date_change('{column}')"
    for number, column in enumerate(("reinforced_at", "salience_at", "updated_at"))
]

# Two changes of one instant are one step: what stood between them was never to be seen, nor what stood before the
# instant of creation ended. A change that lost a race to one of a later time takes effect with that one.
KEEP = f"""
CREATE FUNCTION memos_keep_former_state() RETURNS trigger LANGUAGE plpgsql AS $$
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
    IF ({row("OLD", KEPT[::-1] + LONG)}) IS NOT DISTINCT FROM ({row("NEW", KEPT[::-1] + LONG)}) THEN
        RETURN NEW;
    END IF;
    SELECT id, until INTO last_id, last_until
    FROM memories_formerstate WHERE memory_id = OLD.id ORDER BY until DESC LIMIT 1;
    IF last_until >= moment THEN
        UPDATE memories_formerstate
        SET {", ".join(f"{column} = coalesce({column}, {differing(column)})" for column in LONG)}
        WHERE id = last_id AND ({" OR ".join(f"OLD.{column} IS DISTINCT FROM NEW.{column}" for column in LONG)});
    ELSE
        INSERT INTO memories_formerstate (memory_id, until, recorded, {", ".join(KEPT + LONG)})
        VALUES (OLD.id, moment, true, {row("OLD", KEPT)}, {", ".join(differing(column) for column in LONG)});
    END IF;
    RETURN NEW;
END
$$
"""  # noqa: S608 - names of our own columns
KEEPING = f"""
CREATE TRIGGER memory_keeps_former_states BEFORE UPDATE OF {", ".join(KEPT + LONG)} ON memories_memory
FOR EACH ROW EXECUTE FUNCTION memos_keep_former_state()
"""

# Of each audit entry `before` holds what it changed. Laid over each other from the latest back to the entry, and over
# the row of today, they tell how the row stood before it.
OVERLAY = "CREATE AGGREGATE memos_overlay(jsonb) (SFUNC = jsonb_concat, STYPE = jsonb, INITCOND = '{}')"
FROM_AUDIT = f"""
WITH told AS (
    SELECT e.id, e.at, e.subject_id, e.subject_version, e.before ? 'content' AS has_content,
        (SELECT coalesce(jsonb_object_agg(key, value), '{{}}') FROM jsonb_each(e.before)
         WHERE key = ANY('{{{",".join(KEPT)}}}'))
        || CASE
            WHEN jsonb_typeof(e.before -> 'content') = 'string'
            THEN jsonb_build_object('content', e.before -> 'content')
            WHEN w.text IS NOT NULL THEN jsonb_build_object('content', w.text)
            ELSE '{{}}'
        END AS before
    FROM memories_auditentry e
    LEFT JOIN memories_wording w ON w.memory_id = e.subject_id AND w.sha256 = e.before #>> '{{content,sha256}}'
    WHERE e.subject_kind = 'memory' AND e.before <> '{{}}'
), laid AS (
    SELECT *,
        memos_overlay(before) OVER (
            PARTITION BY subject_id ORDER BY at DESC, id DESC ROWS UNBOUNDED PRECEDING
        ) AS patch,
        bool_or(has_content) OVER (PARTITION BY subject_id, at) AS rewords
    FROM told
), steps AS (
    SELECT DISTINCT ON (subject_id, at) * FROM laid ORDER BY subject_id, at, id
), dated AS (
    SELECT *, lag(at) OVER (PARTITION BY subject_id ORDER BY at) AS began FROM steps
)
INSERT INTO memories_formerstate (memory_id, until, recorded, content, {", ".join(KEPT)})
SELECT m.id, dated.at, false, CASE WHEN rewords THEN patch ->> 'content' END, {row("former", KEPT)}
FROM dated
JOIN memories_memory m ON m.id = dated.subject_id AND m.created_at < dated.at
CROSS JOIN LATERAL jsonb_populate_record(
    NULL::memories_formerstate,
    jsonb_build_object({", ".join(f"'{column}', m.{column}" for column in KEPT)}) || (patch - 'content')
        || jsonb_build_object(
            'version', greatest(subject_version - 1, 1),
            'updated_at', greatest(coalesce(began, m.created_at), m.created_at)
        )
) AS former
ON CONFLICT DO NOTHING
"""  # noqa: S608 - names of our own columns
UNTIL_NOW = f"""
INSERT INTO memories_formerstate (memory_id, until, recorded, {", ".join(KEPT)})
SELECT id, transaction_timestamp(), false, {", ".join(KEPT)} FROM memories_memory
ON CONFLICT DO NOTHING
"""  # noqa: S608 - names of our own columns


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0017_audit_of_people"),
    ]

    operations = [
        migrations.CreateModel(
            name="FormerState",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("until", models.DateTimeField()),
                ("recorded", models.BooleanField(default=True)),
                ("content", models.TextField(null=True)),
                ("payload", models.JSONField(null=True)),
                ("provenance", models.JSONField(null=True)),
                ("category", models.CharField(max_length=16, null=True)),
                ("company_id", models.CharField(max_length=512, null=True)),
                (
                    "tags",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=256), default=list, size=None
                    ),
                ),
                ("sensitivity", models.SmallIntegerField()),
                ("status", models.CharField(max_length=16)),
                ("confidence", models.SmallIntegerField()),
                ("hold", models.CharField(blank=True, max_length=8)),
                ("salience", models.FloatField()),
                ("salience_at", models.DateTimeField()),
                ("reinforced_at", models.DateTimeField(null=True)),
                ("pinned", models.BooleanField()),
                ("deletion_policy", models.CharField(max_length=16)),
                ("expires_at", models.DateTimeField(null=True)),
                ("valid_from", models.DateTimeField(null=True)),
                ("valid_to", models.DateTimeField(null=True)),
                ("times_confirmed", models.IntegerField()),
                ("flags", models.JSONField(default=list)),
                ("version", models.IntegerField()),
                ("updated_at", models.DateTimeField()),
                (
                    "memory",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="former_states",
                        to="memories.memory",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("content__isnull", False)),
                        fields=["until", "memory"],
                        name="former_state_words",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("memory", "until"), name="former_state_ends_once_at_a_time")
                ],
            },
        ),
        migrations.RunSQL(DATE, "DROP FUNCTION memos_date_change CASCADE"),
        migrations.RunSQL(DATING, migrations.RunSQL.noop),
        migrations.RunSQL(KEEP, "DROP FUNCTION memos_keep_former_state CASCADE"),
        migrations.RunSQL(KEEPING, migrations.RunSQL.noop),
        migrations.RunSQL(OVERLAY, migrations.RunSQL.noop),
        migrations.RunSQL(FROM_AUDIT, migrations.RunSQL.noop),
        migrations.RunSQL(UNTIL_NOW, migrations.RunSQL.noop),
        migrations.RunSQL("DROP AGGREGATE memos_overlay(jsonb)", migrations.RunSQL.noop),
    ]
