"""The words of a key by a function that is planned once a session: of an SQL function the server planned the body, with
its two regular expressions, for the index at each INSERT, which took a twentieth of the database's time of a store.
"""

from django.db import migrations

KEY_WORDS = r"""
CREATE OR REPLACE FUNCTION memos_key_words(key text) RETURNS tsvector LANGUAGE {language} IMMUTABLE PARALLEL SAFE AS $$
{begin} to_tsvector('simple', regexp_replace(
        regexp_replace(key, '[^0-9A-Za-z\u0080-\uffff]+', ' ', 'g'),
        '([\u2e80-\u2fdf\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f])',
        ' \1 ', 'g')){end}
$$
"""
PLANNED_ONCE = {"language": "plpgsql", "begin": "BEGIN\n    RETURN", "end": ";\nEND"}
INLINED = {"language": "sql", "begin": "    SELECT", "end": ""}


class Migration(migrations.Migration):
    dependencies = [("memories", "0042_index_audit_of_runs")]

    operations = [migrations.RunSQL(KEY_WORDS.format(**PLANNED_ONCE), KEY_WORDS.format(**INLINED))]
