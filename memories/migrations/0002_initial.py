import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.core.serializers.json
import django.db.models.deletion
import django.db.models.functions.datetime
import memories.values.decay
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('memories', '0001_functions'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Memory',
            fields=[
                ('scope', models.CharField(blank=True, max_length=128)),
                ('key', models.CharField(blank=True, max_length=255, null=True)),
                ('content', models.TextField()),
                ('sensitivity', models.SmallIntegerField(choices=[(0, 'public'), (1, 'low'), (2, 'medium'), (3, 'high'), (4, 'hyper')])),
                ('status', models.CharField(choices=[('candidate', 'Candidate'), ('confirmed', 'Confirmed'), ('applied', 'Applied'), ('contested', 'Contested'), ('dismissed', 'Dismissed'), ('superseded', 'Superseded'), ('retracted', 'Retracted')], max_length=16)),
                ('confidence', models.SmallIntegerField()),
                ('hold', models.CharField(blank=True, choices=[('', 'None'), ('floor', 'Floor'), ('fixed', 'Fixed')], max_length=8)),
                ('snoozed_until', models.DateTimeField(blank=True, null=True)),
                ('version', models.IntegerField(default=1)),
                ('updated_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('type', models.CharField(choices=[('episodic', 'Episodic'), ('semantic', 'Semantic'), ('working', 'Working'), ('competence', 'Competence'), ('plan_graph', 'Plan Graph')], max_length=16)),
                ('category', models.CharField(blank=True, choices=[('preference', 'Preference'), ('pattern', 'Pattern'), ('fact', 'Fact'), ('contact', 'Contact'), ('workflow', 'Workflow')], max_length=16, null=True)),
                ('payload', models.JSONField(default=dict)),
                ('source', models.CharField(max_length=512)),
                ('origin', models.CharField(choices=[('observed', 'Observed'), ('stored', 'Stored'), ('taught', 'Taught'), ('detected', 'Detected'), ('consolidated', 'Consolidated'), ('extracted', 'Extracted'), ('imported', 'Imported')], max_length=16)),
                ('thread_id', models.CharField(blank=True, max_length=512, null=True)),
                ('company_id', models.CharField(blank=True, max_length=512, null=True)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=256), blank=True, default=list, size=None)),
                ('salience', models.FloatField(default=1.0)),
                ('salience_at', models.DateTimeField()),
                ('half_life', models.FloatField(default=2592000.0)),
                ('min_salience', models.FloatField(default=0.0)),
                ('reinforcement_gain', models.FloatField(default=0.1)),
                ('max_age', models.FloatField(default=0.0)),
                ('reinforced_at', models.DateTimeField(null=True)),
                ('pinned', models.BooleanField(default=False)),
                ('deletion_policy', models.CharField(choices=[('auto_prune', 'Auto Prune'), ('manual_only', 'Manual Only'), ('never', 'Never')], default='auto_prune', max_length=16)),
                ('fades_at', models.GeneratedField(db_persist=True, expression=memories.values.decay.FadesAt('salience', 'salience_at', 'half_life', 'min_salience', 'max_age', 'created_at', 'pinned'), output_field=models.DateTimeField(null=True))),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('ttl', models.FloatField(blank=True, null=True)),
                ('valid_from', models.DateTimeField(blank=True, null=True)),
                ('valid_to', models.DateTimeField(blank=True, null=True)),
                ('created_by', models.CharField(max_length=200)),
                ('provenance', models.JSONField(default=dict)),
                ('evidence_of_live', models.BooleanField(default=False)),
                ('times_used', models.IntegerField(default=0)),
                ('times_confirmed', models.IntegerField(default=0)),
                ('last_used_at', models.DateTimeField(null=True)),
                ('flags', models.JSONField(default=list)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'verbose_name_plural': 'memories',
                'permissions': [('use_read', 'Can read memories, episodes and skills'), ('use_ingest', 'Can bring in what happened'), ('use_report', 'Can report outcomes and uses'), ('use_skills', 'Can download and upload skills'), ('use_review', 'Can decide what is believed'), ('see_high', 'Can see what is of high sensitivity'), ('see_hyper', 'Can see what is of hyper sensitivity')],
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('position', models.IntegerField()),
                ('at', models.DateTimeField()),
                ('kind', models.CharField(max_length=512)),
                ('role', models.CharField(blank=True, max_length=32)),
                ('actor', models.CharField(blank=True, max_length=512)),
                ('ref', models.CharField(blank=True, max_length=512)),
                ('text', models.TextField(blank=True)),
                ('summary', models.TextField(blank=True)),
                ('tool', models.CharField(blank=True, max_length=512)),
                ('args', models.JSONField(null=True)),
                ('result', models.JSONField(null=True)),
                ('ok', models.BooleanField(null=True)),
                ('latency_ms', models.FloatField(null=True)),
                ('depends_on', models.JSONField(default=list)),
                ('context', models.JSONField(default=dict)),
                ('flags', models.JSONField(default=list)),
                ('made_by', models.CharField(max_length=200)),
                ('ruled_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['position'],
            },
        ),
        migrations.CreateModel(
            name='Evidence',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('occasion', models.CharField(max_length=1100)),
                ('kind', models.CharField(choices=[('created', 'Created'), ('reinforced', 'Reinforced'), ('supports', 'Supports'), ('contradicts', 'Contradicts'), ('suppressed', 'Suppressed')], max_length=16)),
                ('outcome', models.CharField(choices=[('success', 'Success'), ('failure', 'Failure'), ('partial', 'Partial')], max_length=8, null=True)),
                ('delta', models.FloatField(default=0)),
                ('at', models.DateTimeField()),
                ('made_by', models.CharField(blank=True, max_length=200)),
                ('snapshot', models.TextField(blank=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'verbose_name_plural': 'evidence',
            },
        ),
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
        ),
        migrations.CreateModel(
            name='Instruction',
            fields=[
                ('sha256', models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ('text', models.TextField()),
            ],
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
            ],
        ),
        migrations.CreateModel(
            name='Relation',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('predicate', models.CharField(max_length=64)),
                ('weight', models.FloatField(default=1.0)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name='Agent',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=128, unique=True)),
                ('prefix', models.CharField(editable=False, max_length=16, unique=True)),
                ('token_sha256', models.BinaryField(max_length=32)),
                ('clearance', models.SmallIntegerField(choices=[(0, 'public'), (1, 'low'), (2, 'medium'), (3, 'high'), (4, 'hyper')], default=2)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=128), blank=True, default=list, size=None)),
                ('sources', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=512), blank=True, default=list, size=None)),
                ('permissions', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'Read'), ('ingest', 'Ingest'), ('report', 'Report'), ('skills', 'Skills'), ('review', 'Review')], max_length=16), blank=True, default=list, size=None)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('subject_kind', models.CharField(max_length=32)),
                ('subject_id', models.UUIDField()),
                ('label', models.CharField(max_length=200)),
                ('action', models.CharField(max_length=32)),
                ('actor', models.CharField(max_length=200)),
                ('actor_kind', models.CharField(choices=[('person', 'Person'), ('agent', 'Agent'), ('system', 'System')], max_length=8)),
                ('at', models.DateTimeField()),
                ('rationale', models.TextField(blank=True)),
                ('before', models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ('after', models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ('subject_version', models.IntegerField(default=0)),
                ('scope', models.CharField(blank=True, max_length=128)),
                ('sensitivity', models.SmallIntegerField()),
                ('request_id', models.CharField(blank=True, max_length=64)),
                ('batch_id', models.UUIDField(default=uuid_utils.compat.uuid7)),
                ('undoes', models.UUIDField(null=True)),
            ],
            options={
                'verbose_name_plural': 'audit entries',
                'indexes': [models.Index(fields=['subject_kind', 'subject_id', 'at'], name='audit_by_subject'), models.Index(fields=['batch_id'], name='audit_by_batch'), models.Index(fields=['-at'], name='audit_newest')],
            },
        ),
        migrations.CreateModel(
            name='Episode',
            fields=[
                ('memory', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, serialize=False, to='memories.memory')),
                ('title', models.CharField(blank=True, max_length=500)),
                ('external_id', models.CharField(max_length=512, null=True)),
                ('scope', models.CharField(blank=True, max_length=128)),
                ('source', models.CharField(max_length=512)),
                ('thread_id', models.CharField(max_length=512, null=True)),
                ('event_count', models.IntegerField(default=0)),
                ('last_event_at', models.DateTimeField()),
                ('outcome', models.CharField(choices=[('success', 'Success'), ('failure', 'Failure'), ('partial', 'Partial')], max_length=8, null=True)),
                ('outcome_at', models.DateTimeField(null=True)),
                ('outcome_by', models.CharField(blank=True, max_length=200)),
                ('outcome_details', models.JSONField(default=dict)),
                ('closed_at', models.DateTimeField(null=True)),
                ('content_sha256', models.BinaryField(max_length=32, null=True)),
                ('digested_at', models.DateTimeField(null=True)),
                ('digest_attempts', models.SmallIntegerField(default=0)),
                ('digest_error', models.TextField(blank=True)),
                ('environment', models.JSONField(default=dict)),
                ('artifacts', models.JSONField(default=list)),
            ],
        ),
        migrations.CreateModel(
            name='Performance',
            fields=[
                ('memory', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, serialize=False, to='memories.memory')),
                ('successes', models.IntegerField(default=0)),
                ('failures', models.IntegerField(default=0)),
                ('partials', models.IntegerField(default=0)),
                ('latency_total_ms', models.FloatField(default=0)),
                ('latency_count', models.IntegerField(default=0)),
                ('last_used_at', models.DateTimeField(null=True)),
            ],
            options={
                'verbose_name_plural': 'performance',
            },
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(fields=['scope', 'type', '-created_at', '-id'], name='memory_by_scope_and_type'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(fields=['type', '-created_at', '-id'], name='memory_newest_by_type'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(fields=['-created_at', '-id'], name='memory_newest'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('status__in', ('candidate', 'contested'))), fields=['type', '-confidence', '-created_at', '-id'], name='memory_waiting'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('thread_id__isnull', False)), fields=['thread_id'], name='memory_by_thread'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('company_id__isnull', False)), fields=['company_id'], name='memory_by_company'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(fields=['source', '-created_at'], name='memory_by_source'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('fades_at__isnull', False)), fields=['fades_at'], name='memory_fades'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=django.contrib.postgres.indexes.GinIndex(fields=['tags'], name='memory_tags'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.UniqueConstraint(condition=models.Q(('status__in', ('candidate', 'confirmed', 'applied', 'contested'))), fields=('scope', 'key'), name='memory_key_is_unique_while_live'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.UniqueConstraint(condition=models.Q(('status__in', ('candidate', 'confirmed', 'applied', 'contested')), ('type', 'working')), fields=('scope', 'thread_id'), name='memory_has_one_working_state_per_thread'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(('type__in', ['episodic', 'semantic', 'working', 'competence', 'plan_graph'])), name='memory_type_is_known'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['candidate', 'confirmed', 'applied', 'contested', 'dismissed', 'superseded', 'retracted'])), name='memory_status_is_known'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(('confidence__range', (0, 100))), name='memory_confidence_is_a_percentage'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(('sensitivity__range', (0, 4))), name='memory_sensitivity_is_known'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(('salience__range', (0, 1))), name='memory_salience_is_between_0_and_1'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(('half_life__gt', 0), ('half_life__lte', 10000000000.0)), name='memory_half_life_is_positive'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(('max_age__gte', 0), ('max_age__lte', 10000000000.0)), name='memory_max_age_is_within_the_calendar'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(('content', ''), _negated=True), name='memory_says_something'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(('category', None), ('type', 'semantic'), _connector='OR'), name='memory_category_is_of_semantic_only'),
        ),
        migrations.AddField(
            model_name='evidence',
            name='event',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, to='memories.event'),
        ),
        migrations.AddField(
            model_name='evidence',
            name='memory',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evidence', to='memories.memory'),
        ),
        migrations.AddConstraint(
            model_name='idempotencykey',
            constraint=models.UniqueConstraint(fields=('caller', 'key'), name='idempotency_key_is_used_once_by_a_caller'),
        ),
        migrations.AddField(
            model_name='event',
            name='instruction',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, to='memories.instruction'),
        ),
        migrations.AddField(
            model_name='proposal',
            name='memory',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='proposals', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='relation',
            name='source',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='relations', to='memories.memory'),
        ),
        migrations.AddField(
            model_name='relation',
            name='target',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='related_from', to='memories.memory'),
        ),
        migrations.AddConstraint(
            model_name='agent',
            constraint=models.CheckConstraint(condition=models.Q(('clearance__range', (0, 4))), name='agent_clearance_is_a_sensitivity'),
        ),
        migrations.AddField(
            model_name='evidence',
            name='episode',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='evidence_for', to='memories.episode'),
        ),
        migrations.AddField(
            model_name='event',
            name='episode',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='memories.episode'),
        ),
        migrations.AddIndex(
            model_name='episode',
            index=models.Index(condition=models.Q(('digested_at', None)), fields=['scope', 'closed_at', 'memory'], name='episode_undigested'),
        ),
        migrations.AddIndex(
            model_name='episode',
            index=models.Index(fields=['scope', '-closed_at'], name='episode_latest_of_scope'),
        ),
        migrations.AddIndex(
            model_name='episode',
            index=models.Index(condition=models.Q(('closed_at', None)), fields=['last_event_at'], name='episode_open'),
        ),
        migrations.AddConstraint(
            model_name='episode',
            constraint=models.UniqueConstraint(fields=('scope', 'source', 'external_id'), name='episode_external_id_is_unique_per_source'),
        ),
        migrations.AddConstraint(
            model_name='episode',
            constraint=models.UniqueConstraint(condition=models.Q(('closed_at', None)), fields=('scope', 'source', 'thread_id'), name='episode_has_one_open_per_thread'),
        ),
        migrations.AddConstraint(
            model_name='episode',
            constraint=models.CheckConstraint(condition=models.Q(('outcome', None), ('outcome__in', ['success', 'failure', 'partial']), _connector='OR'), name='episode_outcome_is_known'),
        ),
        migrations.AddConstraint(
            model_name='performance',
            constraint=models.CheckConstraint(condition=models.Q(('failures__gte', 0), ('partials__gte', 0), ('successes__gte', 0)), name='performance_counts_are_not_negative'),
        ),
        migrations.AddIndex(
            model_name='proposal',
            index=models.Index(condition=models.Q(('decision', None)), fields=['-opened_at'], name='proposal_open'),
        ),
        migrations.AddConstraint(
            model_name='proposal',
            constraint=models.UniqueConstraint(condition=models.Q(('decision', None)), fields=('kind', 'memory', 'fingerprint'), name='proposal_is_open_once_per_change'),
        ),
        migrations.AddConstraint(
            model_name='relation',
            constraint=models.UniqueConstraint(fields=('source', 'predicate', 'target'), name='relation_is_said_once'),
        ),
        migrations.AddConstraint(
            model_name='relation',
            constraint=models.CheckConstraint(condition=models.Q(('weight__range', (0, 1))), name='relation_weight_is_between_0_and_1'),
        ),
        migrations.AddIndex(
            model_name='evidence',
            index=models.Index(fields=['memory', '-at'], name='evidence_newest_of_memory'),
        ),
        migrations.AddConstraint(
            model_name='evidence',
            constraint=models.UniqueConstraint(fields=('memory', 'occasion'), name='evidence_counts_once_per_memory'),
        ),
        migrations.AddConstraint(
            model_name='evidence',
            constraint=models.CheckConstraint(condition=models.Q(('outcome', None), ('outcome__in', ['success', 'failure', 'partial']), _connector='OR'), name='evidence_outcome_is_known'),
        ),
        migrations.AddConstraint(
            model_name='event',
            constraint=models.UniqueConstraint(fields=('episode', 'position'), name='event_position_is_unique_in_its_episode'),
        ),
    ]
