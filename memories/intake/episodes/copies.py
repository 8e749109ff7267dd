"""One conversation that several report, word for word and with the same calls and results: one witness, the first.

Whoever reports the same again may have done the same again, and counts again.
"""

from django.db.models import Exists, OuterRef, Q

from memories.models import Episode
from memories.models.episode import EpisodeQuerySet
from memories.values.choices import OutcomeSource


def copies(rows: EpisodeQuerySet) -> EpisodeQuerySet:
    """Those of these episodes that somebody else had reported before in their scope, for the same readers.

    What a person judged is none, nor what says how the run ended where the former ones do not.
    """
    same = {name: OuterRef(name) for name in ("content_sha256", "scope")}
    earlier = Episode.objects.filter(pk__lt=OuterRef("pk"), **same)
    earlier = earlier.filter(memory__sensitivity__lte=OuterRef("memory__sensitivity"))
    of_others = ~Q(memory__created_by_id=OuterRef("memory__created_by_id")) | ~Q(source=OuterRef("source"))
    ended, earlier = Q(outcome__isnull=False, outcome_counts=True), earlier.filter(of_others)
    copied = Exists(earlier.filter(ended)) | (~ended & Exists(earlier))
    known: EpisodeQuerySet = rows.filter(copied, content_sha256__isnull=False)
    return known.exclude(outcome_source=OutcomeSource.PERSON)


def reported_by_others(episode: Episode) -> EpisodeQuerySet:
    """The same conversation as others reported it, the first one first."""
    rows = Episode.objects.filter(content_sha256=episode.content_sha256, scope=episode.scope)
    own = {"memory__created_by_id": episode.memory.created_by_id, "source": episode.source}
    others: EpisodeQuerySet = rows.exclude(content_sha256=None).exclude(**own).order_by("pk")
    return others
