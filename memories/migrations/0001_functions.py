"""The formulas that columns and queries use, and the append-only rule of the audit trail. Source: 5-lifecycle, 3-data."""

from django.db import migrations

SALIENCE_AT = """
CREATE FUNCTION memos_salience_at(
    at timestamptz, salience double precision, salience_at timestamptz, half_life double precision,
    min_salience double precision, max_age double precision, created_at timestamptz, pinned boolean
) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN pinned THEN salience
        WHEN max_age > 0 AND extract(epoch FROM at - created_at)::double precision > max_age THEN 0
        WHEN salience < 1e-100 THEN min_salience
        ELSE greatest(min_salience, salience * power(
            2.0::double precision,
            -least(greatest(0, extract(epoch FROM at - salience_at)::double precision), half_life * 500) / half_life))
    END
$$
"""

# Adds seconds only, never days or months, so that it does not depend on a time zone: declared immutable with reason.
FADES_AT = """
CREATE FUNCTION memos_fades_at(
    salience double precision, salience_at timestamptz, half_life double precision,
    min_salience double precision, max_age double precision, created_at timestamptz, pinned boolean
) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN pinned THEN NULL ELSE least(
        CASE WHEN min_salience >= 0.001 THEN NULL
             WHEN salience <= 0.001 THEN salience_at
             ELSE salience_at + half_life * log(2.0, (salience / 0.001)::numeric)::double precision * interval '1 second'
        END,
        CASE WHEN max_age > 0 THEN created_at + max_age * interval '1 second' END)
    END
$$
"""

APPEND_ONLY = """
CREATE FUNCTION memos_audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('memos.erasing', true) = 'on' THEN
        RETURN coalesce(NEW, OLD);
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.sensitivity > OLD.sensitivity
       AND to_jsonb(NEW) - 'sensitivity' = to_jsonb(OLD) - 'sensitivity' THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the audit trail is append-only' USING ERRCODE = 'restrict_violation';
END
$$
"""


class Migration(migrations.Migration):
    initial = True
    dependencies: list[tuple[str, str]] = []
    operations = [
        migrations.RunSQL(SALIENCE_AT, "DROP FUNCTION memos_salience_at"),
        migrations.RunSQL(FADES_AT, "DROP FUNCTION memos_fades_at"),
        migrations.RunSQL(APPEND_ONLY, "DROP FUNCTION memos_audit_is_append_only"),
    ]
