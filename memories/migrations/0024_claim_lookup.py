"""What a store of a claim asks before it writes, as one question: locks first, then the rows that it meets.

A function that is VOLATILE reads what was committed when each of its statements begins, so that what it reads was
decided before the locks were granted. One statement with locks and reads would read what was there before it waited.
"""

from django.db import migrations

LOOKUP = """
CREATE FUNCTION memos_claim_lookup(
    shared text[], alone text[], at_scope text, at_key text, from_keys text[], to_keys text[], at_scopes text[],
    tokens text[], current_normalisation integer, occasions text[], caller text
) RETURNS TABLE (digest_key bytea, may_be_dismissed boolean, counted text[], of_others boolean, memory memories_memory)
LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
    name text;
    is_met boolean := false;
BEGIN
    FOREACH name IN ARRAY shared LOOP
        PERFORM pg_advisory_xact_lock_shared(hashtextextended(name, 0));
    END LOOP;
    FOREACH name IN ARRAY alone LOOP
        PERFORM pg_advisory_xact_lock(hashtextextended(name, 0));
    END LOOP;
    digest_key := (SELECT stored.key FROM memories_digestkey AS stored ORDER BY stored.id LIMIT 1);
    may_be_dismissed :=
        EXISTS (SELECT FROM memories_tombstone AS stone WHERE stone.lifted_at IS NULL AND stone.blocks
                AND stone.claim_tokens && tokens AND stone.scope = ANY(at_scopes))
        OR EXISTS (SELECT FROM memories_tombstone AS stone WHERE stone.lifted_at IS NULL AND stone.blocks
                   AND stone.key = at_key AND stone.scope = ANY(at_scopes))
        OR EXISTS (SELECT FROM memories_tombstone AS stone WHERE stone.lifted_at IS NULL AND stone.blocks
                   AND stone.normalisation < current_normalisation AND stone.scope = ANY(at_scopes));
    FOR memory IN
        SELECT live.* FROM unnest(from_keys, to_keys) AS wanted (low, high), memories_memory AS live
        WHERE live.scope = at_scope AND live.key ~>=~ wanted.low AND live.key ~<~ wanted.high
          AND live.status IN ('candidate', 'confirmed', 'applied', 'contested')
        ORDER BY live.id FOR UPDATE OF live
    LOOP
        is_met := true;
        counted := ARRAY(SELECT one.occasion FROM memories_evidence AS one
                         WHERE one.memory_id = memory.id AND one.occasion = ANY(occasions));
        of_others := EXISTS (SELECT FROM memories_evidence AS one
                             WHERE one.memory_id = memory.id AND one.made_by <> '' AND one.made_by_id <> caller);
        RETURN NEXT;
    END LOOP;
    IF NOT is_met THEN
        RETURN NEXT;
    END IF;
END
$$
"""
DROP = "DROP FUNCTION memos_claim_lookup"


class Migration(migrations.Migration):
    dependencies = [("memories", "0023_limits_of_people")]

    operations = [migrations.RunSQL(LOOKUP, DROP)]
