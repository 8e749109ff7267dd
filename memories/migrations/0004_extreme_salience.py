"""The formula holds for every value that a row may have: no overflow, no underflow, no date beyond the calendar."""

from django.db import migrations, models

SALIENCE_AT = """
CREATE OR REPLACE FUNCTION memos_salience_at(
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


class Migration(migrations.Migration):
    dependencies = [("memories", "0003_audit_trigger")]
    operations = [
        migrations.RunSQL(SALIENCE_AT, migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(("max_age__gte", 0), ("max_age__lte", 1e10)),
                name="memory_max_age_is_within_the_calendar",
            ),
        ),
    ]
