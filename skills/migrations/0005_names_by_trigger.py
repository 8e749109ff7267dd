"""Give every new skill its name by a trigger: the former version, which runs beside this one during an upgrade, knows
of no table of names, and its unique constraint has gone.
"""

from django.db import migrations

from memos_site.platform.migration_operations import DeleteInDatabase

NAME = """
CREATE FUNCTION memos_name_skill() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO skills_skillname (id, skill_id, scope, name)
    VALUES (gen_random_uuid(), NEW.memory_id, NEW.scope, NEW.name);
    RETURN NEW;
END
$$
"""
NAMING = """
CREATE TRIGGER skill_is_found_by_its_name AFTER INSERT ON skills_skill
FOR EACH ROW EXECUTE FUNCTION memos_name_skill()
"""
# of skills that the former version made since the table of names was filled
MISSING = """
INSERT INTO skills_skillname (id, skill_id, scope, name)
SELECT gen_random_uuid(), skill.memory_id, skill.scope, skill.name FROM skills_skill AS skill
WHERE NOT EXISTS (SELECT FROM skills_skillname AS known WHERE known.skill_id = skill.memory_id)
ON CONFLICT DO NOTHING
"""


class Migration(migrations.Migration):
    dependencies = [("skills", "0004_uses_by_day")]

    operations = [
        migrations.RunSQL(NAME, "DROP FUNCTION memos_name_skill CASCADE"),
        migrations.RunSQL(NAMING, migrations.RunSQL.noop),
        DeleteInDatabase("skillname", "skill"),
        DeleteInDatabase("skillversion", "merges"),
        migrations.RunSQL(MISSING, migrations.RunSQL.noop),
    ]
