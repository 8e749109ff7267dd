"""Append-only in the database itself: no door, no shell and no migration of ours can rewrite the trail by accident."""

from django.db import migrations

TRIGGER = """
CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE ON memories_auditentry
FOR EACH ROW EXECUTE FUNCTION memos_audit_is_append_only()
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0002_initial")]
    operations = [migrations.RunSQL(TRIGGER, "DROP TRIGGER audit_is_append_only ON memories_auditentry")]
