"""The snapshot of counts that tells the figures of a large store, and an index of revisions, which are counted by it."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0030_cheap_inserts'),
    ]

    operations = [
        migrations.CreateModel(
            name='MetricSnapshot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('changes', models.BigIntegerField()),
                ('seconds', models.FloatField()),
            ],
        ),
        migrations.CreateModel(
            name='MetricTally',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(max_length=128, null=True)),
                ('sensitivity', models.SmallIntegerField()),
                ('counts', models.JSONField()),
            ],
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(condition=models.Q(('action__in', ('supersede', 'fork', 'merge', 'contest', 'retract')), ('subject_kind', 'memory')), fields=['at'], name='audit_of_revisions'),
        ),
        migrations.AddField(
            model_name='metrictally',
            name='snapshot',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tallies', to='memories.metricsnapshot'),
        ),
        migrations.AddConstraint(
            model_name='metrictally',
            constraint=models.UniqueConstraint(fields=('scope', 'sensitivity', 'snapshot'), name='metric_tally_is_one_of_its_scope_and_level', nulls_distinct=False),
        ),
    ]
