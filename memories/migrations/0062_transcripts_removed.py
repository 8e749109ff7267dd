"""When the transcript of an episode was removed; all that is there is kept."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0001_squashed_0061_deletes_of_mails'),
    ]

    operations = [
        migrations.AddField(
            model_name='episode',
            name='transcript_removed_at',
            field=models.DateTimeField(null=True),
        ),
    ]
