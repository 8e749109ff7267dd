"""The queue of the pattern rules: an index over the events with a context that they have not read."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0008_ageing")]
    operations = [
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                fields=["at", "id"],
                condition=models.Q(("ruled_at", None), models.Q(("context", {}), _negated=True)),
                name="event_unruled",
            ),
        ),
    ]
