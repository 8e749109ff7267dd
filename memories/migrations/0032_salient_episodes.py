"""Indexes of episodes in the order of salience, as there are of knowledge: for a search without a question."""

from django.db import migrations, models
from django.db.models import F, Q

from memories.values.decay import SalienceRank


class Migration(migrations.Migration):
    dependencies = [("memories", "0031_metric_snapshots")]

    operations = [
        migrations.AddIndex(
            "memory",
            models.Index(
                F("half_life"),
                SalienceRank().desc(),
                F("id").desc(),
                condition=Q(type="episodic") & Q(pinned=False, min_salience__lte=0.0, max_age__lte=0.0),
                name="memory_salient_episode",
            ),
        ),
        migrations.AddIndex(
            "memory",
            models.Index(
                fields=["id"],
                condition=Q(type="episodic") & (Q(pinned=True) | Q(min_salience__gt=0.0) | Q(max_age__gt=0.0)),
                name="memory_limited_episode",
            ),
        ),
    ]
