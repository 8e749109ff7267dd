import django.contrib.postgres.fields
import django.core.serializers.json
import django.db.models.deletion
import django.db.models.functions.datetime
import uuid_utils.compat
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0004_extreme_salience'),
    ]

    operations = [
        migrations.CreateModel(
            name='IdempotencyKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('caller', models.CharField(max_length=64)),
                ('key', models.CharField(max_length=255)),
                ('request_sha256', models.BinaryField(max_length=32)),
                ('status', models.SmallIntegerField(default=0)),
                ('answer', models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder, null=True)),
                ('expires_at', models.DateTimeField(db_index=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('caller', 'key'), name='idempotency_key_is_used_once_by_a_caller')],
            },
        ),
        migrations.CreateModel(
            name='Proposal',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('revision', 'Revision'), ('merge', 'Merge'), ('conflict', 'Conflict'), ('failing', 'Failing')], max_length=16)),
                ('others', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('change', models.JSONField(default=dict)),
                ('fingerprint', models.BinaryField(max_length=32)),
                ('why', models.TextField(blank=True)),
                ('score', models.FloatField(null=True)),
                ('made_by', models.CharField(max_length=200)),
                ('scope', models.CharField(blank=True, max_length=128)),
                ('sensitivity', models.SmallIntegerField()),
                ('opened_at', models.DateTimeField()),
                ('snoozed_until', models.DateTimeField(null=True)),
                ('decided_at', models.DateTimeField(null=True)),
                ('decided_by', models.CharField(blank=True, max_length=200)),
                ('decision', models.CharField(choices=[('accepted', 'Accepted'), ('rejected', 'Rejected'), ('withdrawn', 'Withdrawn')], max_length=16, null=True)),
                ('memory', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='proposals', to='memories.memory')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('decision', None)), fields=['-opened_at'], name='proposal_open')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('decision', None)), fields=('kind', 'memory', 'fingerprint'), name='proposal_is_open_once_per_change')],
            },
        ),
        migrations.CreateModel(
            name='Relation',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('predicate', models.CharField(max_length=64)),
                ('weight', models.FloatField(default=1.0)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='relations', to='memories.memory')),
                ('target', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='related_from', to='memories.memory')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('source', 'predicate', 'target'), name='relation_is_said_once'), models.CheckConstraint(condition=models.Q(('weight__range', (0, 1))), name='relation_weight_is_between_0_and_1')],
            },
        ),
    ]
