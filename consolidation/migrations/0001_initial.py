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
            name='Pattern',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('exact', 'Exact'), ('general', 'General')], max_length=8)),
                ('scope', models.CharField(blank=True, max_length=128)),
                ('sensitivity', models.SmallIntegerField()),
                ('signature', models.TextField()),
                ('signature_sha256', models.BinaryField(max_length=32)),
                ('successes', models.IntegerField(default=0)),
                ('failures', models.IntegerField(default=0)),
                ('partials', models.IntegerField(default=0)),
                ('first_seen_at', models.DateTimeField()),
                ('last_seen_at', models.DateTimeField()),
                ('due', models.BooleanField(default=True)),
                ('attempts', models.SmallIntegerField(default=0)),
                ('error', models.TextField(blank=True)),
                ('memory', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='pattern', to='memories.memory')),
            ],
        ),
        migrations.CreateModel(
            name='Run',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=32)),
                ('subject', models.UUIDField(null=True)),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('succeeded', 'Succeeded'), ('skipped', 'Skipped'), ('failed', 'Failed'), ('paused', 'Paused')], default='queued', max_length=16)),
                ('trigger', models.CharField(choices=[('schedule', 'Schedule'), ('command', 'Command'), ('api', 'Api'), ('page', 'Page')], max_length=16)),
                ('stage', models.CharField(blank=True, max_length=64)),
                ('done', models.IntegerField(default=0)),
                ('total', models.IntegerField(default=0)),
                ('counters', models.JSONField(default=dict)),
                ('error', models.TextField(blank=True)),
                ('attempts', models.SmallIntegerField(default=0)),
                ('scope', models.CharField(blank=True, max_length=128)),
                ('sensitivity', models.SmallIntegerField(default=1)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['-created_at'], name='run_newest')],
            },
        ),
        migrations.CreateModel(
            name='Sighting',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('episode_id', models.UUIDField()),
                ('outcome', models.CharField(choices=[('success', 'Success'), ('failure', 'Failure'), ('partial', 'Partial')], max_length=8)),
                ('counted', models.CharField(blank=True, choices=[('success', 'Success'), ('failure', 'Failure'), ('partial', 'Partial')], max_length=8)),
                ('at', models.DateTimeField()),
                ('pattern', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sightings', to='consolidation.pattern')),
            ],
        ),
        migrations.AddIndex(
            model_name='pattern',
            index=models.Index(condition=models.Q(('due', True)), fields=['scope'], name='pattern_due'),
        ),
        migrations.AddConstraint(
            model_name='pattern',
            constraint=models.UniqueConstraint(fields=('kind', 'scope', 'sensitivity', 'signature_sha256'), name='pattern_signature_is_unique'),
        ),
        migrations.AddIndex(
            model_name='sighting',
            index=models.Index(condition=models.Q(('counted', models.F('outcome')), _negated=True), fields=['pattern'], name='sighting_uncounted'),
        ),
        migrations.AddIndex(
            model_name='sighting',
            index=models.Index(fields=['pattern', '-at', '-episode_id'], name='sighting_latest_of_pattern'),
        ),
        migrations.AddIndex(
            model_name='sighting',
            index=models.Index(fields=['episode_id'], name='sighting_by_episode'),
        ),
        migrations.AddConstraint(
            model_name='sighting',
            constraint=models.UniqueConstraint(fields=('pattern', 'episode_id'), name='sighting_counts_once_per_pattern'),
        ),
    ]
