import django.db.models.deletion
import django.db.models.functions.datetime
import uuid_utils.compat
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('memories', '0002_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Skill',
            fields=[
                ('memory', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, serialize=False, to='memories.memory')),
                ('scope', models.CharField(blank=True, max_length=128)),
                ('name', models.CharField(max_length=64)),
                ('title', models.CharField(max_length=200)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('scope', 'name'), name='skill_name_is_unique_in_its_scope')],
            },
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
                ('made_by', models.CharField(choices=[('consolidation', 'Consolidation'), ('extraction', 'Extraction'), ('upload', 'Upload'), ('edit', 'Edit'), ('restore', 'Restore')], max_length=16)),
                ('scan', models.JSONField(default=dict)),
                ('run_id', models.UUIDField(null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('published_at', models.DateTimeField(null=True)),
                ('skill', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='skills.skill')),
            ],
            options={
                'ordering': ['-number'],
                'constraints': [models.UniqueConstraint(fields=('skill', 'number'), name='version_number_is_unique_in_its_skill'), models.UniqueConstraint(condition=models.Q(('status', 'published')), fields=('skill',), name='skill_has_one_published_version'), models.UniqueConstraint(condition=models.Q(('status', 'proposed')), fields=('skill',), name='skill_has_one_proposed_version')],
            },
        ),
    ]
