"""Mails to people: what each chose, and the rows of what was sent."""

import django.db.models.deletion
import django.db.models.functions.datetime
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0059_deletes_of_subjects'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='preferences',
            name='alerts',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='preferences',
            name='digest',
            field=models.CharField(blank=True, choices=[('daily', 'Every day'), ('weekly', 'Every week')], db_default='', max_length=8),
        ),
        migrations.AddField(
            model_name='preferences',
            name='mails_since',
            field=models.DateTimeField(null=True),
        ),
        migrations.CreateModel(
            name='Mail',
            fields=[
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('daily', 'Every day'), ('weekly', 'Every week'), ('alert', 'At once')], max_length=8)),
                ('about', models.CharField(max_length=64)),
                ('status', models.CharField(choices=[('waiting', 'Waiting'), ('sending', 'Sending'), ('sent', 'Sent'), ('empty', 'Nothing to tell'), ('failed', 'Failed'), ('unsure', 'Unsure')], default='waiting', max_length=8)),
                ('attempts', models.SmallIntegerField(default=0)),
                ('next_at', models.DateTimeField()),
                ('error', models.CharField(blank=True, max_length=300)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('sent_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mails', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('status', 'waiting')), fields=['next_at'], name='mail_due')],
                'constraints': [models.UniqueConstraint(fields=('user', 'kind', 'about'), name='person_is_mailed_once_of_a_thing')],
            },
        ),
    ]
