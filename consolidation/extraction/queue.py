"""Which conversations the language model reads. A queued run is the queue; each conversation is read once."""

from collections.abc import Collection
from datetime import datetime
from functools import partial
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from consolidation import llm
from consolidation.models import Run
from consolidation.trying_again import order_once
from memories.models import Episode
from memories.models.episode import EpisodeQuerySet

KIND = "extract"
NOT_WANTED = "it was reported with extract false"
REMOVED = "its transcript was removed"
NO_MODEL, TOO_SENSITIVE = str(llm.NotConfigured()), str(llm.TooSensitive())


def readable() -> EpisodeQuerySet:
    """Closed conversations that the model may read and has not read: large enough, and not above its level."""
    over = Q(status=Run.Status.SKIPPED, error__in=(NO_MODEL, TOO_SENSITIVE))  # the settings may be others by now
    reads = Run.objects.filter(kind=KIND, episode=OuterRef("pk")).exclude(over)
    rows: EpisodeQuerySet = Episode.objects.filter(
        ~Exists(reads),
        closed_at__isnull=False,
        transcript_removed_at=None,
        extract=True,
        event_count__gte=settings.EXTRACT_MIN_MESSAGES,
        memory__sensitivity__lte=llm.highest_sensitivity(),
    )
    return rows


def queue_digested(episode_ids: Collection[UUID]) -> int:
    """Queue conversations that were just digested, in the same transaction; none without a model."""
    return queue_all(readable().filter(pk__in=episode_ids), Run.Trigger.SCHEDULE) if llm.configured() else 0


def queue_all(episodes: EpisodeQuerySet, trigger: Run.Trigger) -> int:
    """Queue these conversations; how many. One that waits already is left out."""
    rows = episodes.order_by("closed_at", "pk").select_related("memory").only("scope", "memory__sensitivity")
    runs = [_run(episode, trigger) for episode in rows]
    return len(Run.objects.bulk_create(runs, ignore_conflicts=True, batch_size=1_000))


def request(episode: Episode, *, trigger: Run.Trigger, at: datetime) -> Run:
    """Queue one conversation because somebody asks for it, as `order_once`."""
    with transaction.atomic():
        Episode.objects.select_for_update(of=("self",)).get(pk=episode.pk)  # two requests make one run
        return order_once(_run(episode, trigger), partial(refusal, episode), at=at)


def refusal(episode: Episode) -> str:
    """Why the model may not read it at all; '' if it may."""
    if not llm.configured():
        return NO_MODEL
    if not episode.extract:
        return NOT_WANTED
    if episode.transcript_removed_at:
        return REMOVED
    return TOO_SENSITIVE if episode.memory.sensitivity > llm.highest_sensitivity() else ""


def _run(episode: Episode, trigger: Run.Trigger) -> Run:
    place = {"scope": episode.scope, "sensitivity": episode.memory.sensitivity}
    return Run(kind=KIND, episode=episode, subject=episode.pk, trigger=trigger, **place)
