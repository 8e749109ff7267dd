"""Digested runs of events that had no role had no profile: guidance did not know them. They get one in the next run."""

from django.db import migrations

QUEUE = """
    INSERT INTO consolidation_unprofiled (episode_id, scope, attempts, error)
    SELECT memory_id, scope, 0, '' FROM memories_episode
    WHERE digested_at IS NOT NULL AND outcome IS NOT NULL
    AND NOT EXISTS (SELECT FROM consolidation_runprofile WHERE episode_id = memory_id)
    AND EXISTS (
        SELECT FROM memories_event WHERE episode_id = memory_id AND role = 'user' AND kind <> 'message'
    )
    ON CONFLICT (episode_id) DO NOTHING
"""


class Migration(migrations.Migration):
    dependencies = [("consolidation", "0031_argument_habits"), ("memories", "0053_roles_of_events")]

    operations = [migrations.RunSQL(QUEUE, migrations.RunSQL.noop, elidable=True)]
