"""Indexes of long lists: claims that wait, by salience, and by the words of keys."""

from django.contrib.postgres.indexes import GinIndex
from django.db import migrations, models
from django.db.models import Q

from memories.values.search_words import KeyWords
from memories.values.decay import SalienceRank

UNDECIDED = ("candidate", "contested")
# Salience of a row without limits falls by half in each half-life: of rows with one half-life the order stays.
SALIENCE_RANK = """
CREATE FUNCTION memos_salience_rank(
    salience double precision, salience_at timestamptz, half_life double precision
) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ln(greatest(salience, 1e-100)) / ln(2.0::double precision)
        + extract(epoch FROM salience_at)::double precision / half_life
$$
"""
# A character of a script without spaces is a word, as one may ask for some of them.
KEY_WORDS = r"""
CREATE FUNCTION memos_key_words(key text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT to_tsvector('simple', regexp_replace(
        regexp_replace(key, '[^0-9A-Za-z\u0080-\uffff]+', ' ', 'g'),
        '([\u2e80-\u2fdf\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f])',
        ' \1 ', 'g'))
$$
"""
# Without it the planner takes as many episodes as claims for candidates.
STATUS_OF_TYPES = "CREATE STATISTICS memory_status_of_types (mcv) ON type, status FROM memories_memory"


class Migration(migrations.Migration):
    dependencies = [("memories", "0021_language_of_people")]

    operations = [
        migrations.RunSQL(SALIENCE_RANK, "DROP FUNCTION memos_salience_rank"),
        migrations.RunSQL(KEY_WORDS, "DROP FUNCTION memos_key_words"),
        migrations.AddIndex(
            "memory",
            models.Index(
                fields=["-times_confirmed", "-created_at", "-id"],
                condition=Q(status__in=UNDECIDED, type="semantic"),
                name="memory_waiting_claim",
            ),
        ),
        migrations.AddIndex(
            "memory",
            models.Index(
                fields=["type", "-created_at", "-id"],
                condition=Q(status__in=UNDECIDED),
                name="memory_waiting_newest",
            ),
        ),
        migrations.RunSQL(STATUS_OF_TYPES, "DROP STATISTICS memory_status_of_types"),
        migrations.AddIndex(
            "memory",
            models.Index(
                models.F("half_life"),
                SalienceRank().desc(),
                models.F("id").desc(),
                condition=~Q(type="episodic") & Q(pinned=False, min_salience__lte=0.0, max_age__lte=0.0),
                name="memory_by_salience",
            ),
        ),
        migrations.AddIndex(
            "memory",
            models.Index(
                fields=["id"],
                condition=~Q(type="episodic") & (Q(pinned=True) | Q(min_salience__gt=0.0) | Q(max_age__gt=0.0)),
                name="memory_limited_salience",
            ),
        ),
        migrations.AddIndex(
            "memory", GinIndex(KeyWords("key"), condition=Q(key__isnull=False), name="memory_by_words_of_key")
        ),
    ]
