"""One conversation that several report under one id or in one thread, word for word and with the same calls and
results: one witness, the first.

Whoever reports the same again, or another conversation of the same words, may have done the same again, and counts.
"""

from django.db.models import Exists, OuterRef, Q

from memories.models import Episode
from memories.models.episode import EpisodeQuerySet
from memories.values.choices import OutcomeSource


def copies(rows: EpisodeQuerySet) -> EpisodeQuerySet:
    """Those of these episodes that somebody else had reported before in their scope, for the same readers.

    An episode that a person judged is no copy, nor one with an outcome where the earlier ones have none.
    """
    same_columns = {name: OuterRef(name) for name in ("content_sha256", "scope")}
    named_alike = Q(thread_id=OuterRef("thread_id")) | Q(external_id=OuterRef("external_id"))
    earlier = Episode.objects.filter(named_alike, pk__lt=OuterRef("pk"), **same_columns)
    earlier = earlier.filter(memory__sensitivity__lte=OuterRef("memory__sensitivity"))
    of_others = ~Q(memory__created_by_id=OuterRef("memory__created_by_id")) | ~Q(source=OuterRef("source"))
    has_outcome, earlier = Q(outcome__isnull=False, outcome_counts=True), earlier.filter(of_others)
    is_copy = Exists(earlier.filter(has_outcome)) | (~has_outcome & Exists(earlier))
    copied_rows: EpisodeQuerySet = rows.filter(is_copy, content_sha256__isnull=False)
    return copied_rows.exclude(outcome_source=OutcomeSource.PERSON)


def reported_by_others(episode: Episode) -> EpisodeQuerySet:
    """The same conversation as others reported it, the first one first."""
    named_alike = Q(thread_id=episode.thread_id, thread_id__isnull=False)
    named_alike |= Q(external_id=episode.external_id, external_id__isnull=False)
    rows = Episode.objects.filter(named_alike, content_sha256=episode.content_sha256, scope=episode.scope)
    own_columns = {"memory__created_by_id": episode.memory.created_by_id, "source": episode.source}
    other_rows: EpisodeQuerySet = rows.exclude(content_sha256=None).exclude(**own_columns).order_by("pk")
    return other_rows
