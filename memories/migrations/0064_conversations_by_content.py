"""A conversation that others have reported as well is known by its content."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("memories", "0063_negations_of_further_languages")]

    operations = [
        migrations.AddIndex(
            "episode",
            models.Index(
                fields=["content_sha256"], condition=Q(content_sha256__isnull=False), name="episode_by_content"
            ),
        ),
    ]
