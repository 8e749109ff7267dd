"""The tables of a new store at once; see the step of the same kind in `memories`."""

from importlib import import_module

import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.functions.datetime
import uuid_utils.compat
from django.db import migrations, models

from memos_site.platform.migration_operations import CreateModels
from memos_site.platform.migration_operations import DeleteInDatabase

naming = import_module("skills.migrations.0005_names_by_trigger")


class Migration(migrations.Migration):
    initial = True
    dependencies = [("memories", "0001_squashed_0061_deletes_of_mails")]
    replaces = [
        ("skills", "0001_initial"),
        ("skills", "0002_uses"),
        ("skills", "0003_names"),
        ("skills", "0004_uses_by_day"),
        ("skills", "0005_names_by_trigger"),
    ]
    operations = [
        CreateModels([
            migrations.CreateModel(
                name='Skill',
                fields=[
                    ('memory', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, serialize=False, to='memories.memory')),
                    ('scope', models.CharField(blank=True, max_length=128)),
                    ('name', models.CharField(max_length=64)),
                    ('title', models.CharField(max_length=200)),
                ],
            ),
            migrations.CreateModel(
                name='SkillVersion',
                fields=[
                    ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('number', models.IntegerField()),
                    ('status', models.CharField(choices=[('proposed', 'Proposed'), ('published', 'Published'), ('retired', 'Retired'), ('rejected', 'Rejected'), ('replaced', 'Replaced')], max_length=16)),
                    ('fields', models.JSONField()),
                    ('skill_md', models.TextField()),
                    ('files', models.JSONField()),
                    ('package', models.CharField(max_length=512)),
                    ('sha256', models.CharField(max_length=64)),
                    ('size', models.IntegerField()),
                    ('changelog', models.TextField(blank=True)),
                    ('made_by', models.CharField(choices=[('consolidation', 'Consolidation'), ('extraction', 'Extraction'), ('upload', 'Upload'), ('edit', 'Edit'), ('restore', 'Restore'), ('merge', 'Merge')], max_length=16)),
                    ('scan', models.JSONField(default=dict)),
                    ('run_id', models.UUIDField(null=True)),
                    ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ('published_at', models.DateTimeField(null=True)),
                    ('skill', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='skills.skill')),
                    ('merges', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='merged_by', to='skills.skill')),
                ],
                options={
                    'ordering': ['-number'],
                    'constraints': [models.UniqueConstraint(fields=('skill', 'number'), name='version_number_is_unique_in_its_skill'), models.UniqueConstraint(condition=models.Q(('status', 'published')), fields=('skill',), name='skill_has_one_published_version'), models.UniqueConstraint(condition=models.Q(('status', 'proposed')), fields=('skill',), name='skill_has_one_proposed_version')],
                },
            ),
            migrations.CreateModel(
                name='SkillName',
                fields=[
                    ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('scope', models.CharField(blank=True, max_length=128)),
                    ('name', models.CharField(max_length=64)),
                    ('skill', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='names', to='skills.skill')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('scope', 'name'), name='skill_name_is_unique_in_its_scope')],
                },
            ),
            migrations.CreateModel(
                name='SkillUse',
                fields=[
                    ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('agent', models.CharField(max_length=200)),
                    ('agent_identity', models.CharField(editable=False, max_length=64)),
                    ('outcome', models.CharField(choices=[('success', 'Success'), ('failure', 'Failure'), ('partial', 'Partial')], max_length=8)),
                    ('latency_ms', models.FloatField(null=True)),
                    ('note', models.TextField(blank=True)),
                    ('idempotency_key', models.CharField(blank=True, max_length=255)),
                    ('at', models.DateTimeField()),
                    ('episode', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='skill_uses', to='memories.episode')),
                    ('skill', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uses', to='skills.skill')),
                    ('version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='uses', to='skills.skillversion')),
                ],
                options={
                    'indexes': [models.Index(fields=['skill', '-at'], name='use_newest_of_skill'), django.contrib.postgres.indexes.BrinIndex(fields=['at'], name='use_by_day')],
                    'constraints': [models.UniqueConstraint(fields=('skill', 'episode'), name='use_counts_once_per_episode'), models.UniqueConstraint(condition=models.Q(('idempotency_key', ''), _negated=True), fields=('skill', 'agent_identity', 'idempotency_key'), name='use_counts_once_per_idempotency_key'), models.CheckConstraint(condition=models.Q(('outcome__in', ['success', 'failure', 'partial'])), name='use_outcome_is_known')],
                },
            ),
        ]),
        migrations.RunSQL([naming.NAME, naming.NAMING]),
        DeleteInDatabase("skillname", "skill"),
        DeleteInDatabase("skillversion", "merges"),
    ]
