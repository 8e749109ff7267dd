"""Who or what claims are about, and which claim names which; names in claims of before are read by a job."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.functions.datetime
import memories.values.search_words
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0057_verdicts_of_episodes'),
    ]

    operations = [
        migrations.CreateModel(
            name='Subject',
            fields=[
                ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=256, unique=True)),
                ('title', models.CharField(max_length=256)),
                ('kind', models.CharField(choices=[('company', 'company'), ('person', 'person'), ('repository', 'repository'), ('host', 'host'), ('other', 'other')], max_length=16)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=128), default=list, size=None)),
                ('sensitivity', models.SmallIntegerField()),
                ('version', models.IntegerField(default=1)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('same_as', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='spellings', to='memories.subject')),
            ],
        ),
        migrations.CreateModel(
            name='Mention',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('memory', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mentions', to='memories.memory')),
                ('subject', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='mentions', to='memories.subject')),
            ],
        ),
        migrations.AddIndex(
            model_name='subject',
            index=django.contrib.postgres.indexes.GinIndex(memories.values.search_words.KeyWords('name'), name='subject_by_words'),
        ),
        migrations.AddIndex(
            model_name='subject',
            index=django.contrib.postgres.indexes.GinIndex(fields=['scopes'], name='subject_in_scopes'),
        ),
        migrations.AddConstraint(
            model_name='subject',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ('company', 'person', 'repository', 'host', 'other'))), name='subject_kind_is_known'),
        ),
        migrations.AddConstraint(
            model_name='subject',
            constraint=models.CheckConstraint(condition=models.Q(('same_as', models.F('id')), _negated=True), name='subject_is_no_spelling_of_itself'),
        ),
        migrations.AddConstraint(
            model_name='mention',
            constraint=models.UniqueConstraint(fields=('subject', 'memory'), name='mention_is_kept_once'),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                condition=models.Q(("type", "episodic")), fields=["created_by_id", "-id"], name="memory_runs_of_agent"
            ),
        ),
    ]
