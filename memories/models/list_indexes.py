"""Indexes of memories in the order of a list, so that a page costs the same however long the list is."""

from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Q

from memories.models.ageing import LIMITED, UNLIMITED
from memories.values import decay
from memories.values.choices import UNDECIDED, Type
from memories.values.search_words import KeyWords

WAITING = Q(status__in=UNDECIDED)
KNOWLEDGE, EPISODES = ~Q(type=Type.EPISODIC), Q(type=Type.EPISODIC)

NEWEST = [
    models.Index(fields=["scope", "type", "-created_at", "-id"], name="memory_by_scope_and_type"),
    models.Index(fields=["type", "-created_at", "-id"], name="memory_newest_by_type"),
    models.Index(fields=["-created_at", "-id"], name="memory_newest"),
    models.Index(fields=["-created_at", "-id"], condition=KNOWLEDGE, name="memory_newest_known"),
]
# By a filter that may leave few: the rows of one status or category are read, not the table until there are enough.
NARROWED = [
    models.Index(fields=["status", "-created_at", "-id"], condition=KNOWLEDGE, name="memory_newest_by_status"),
    models.Index(
        fields=["category", "-created_at", "-id"], condition=Q(category__isnull=False), name="memory_newest_by_category"
    ),
]
SUREST = models.Index(fields=["-confidence", "-created_at", "-id"], condition=KNOWLEDGE, name="memory_surest_known")
# The inbox: surest first, newest first, and by what speaks for a claim.
INBOX = [
    models.Index(
        fields=["type", "-confidence", "-created_at", "-id"],
        condition=WAITING,
        name="memory_waiting",
    ),
    models.Index(fields=["type", "-created_at", "-id"], condition=WAITING, name="memory_waiting_newest"),
    models.Index(  # with what decides who sees a claim and when: all of them are counted without a look at their rows
        fields=["-times_confirmed", "-created_at", "-id"],
        include=["scope", "sensitivity", "snoozed_until", "expires_at"],
        condition=Q(status__in=UNDECIDED, type=Type.SEMANTIC),
        name="memory_waiting_claims",
    ),
    models.Index(  # of all types in some scopes, in the same way
        fields=["scope", "type"],
        include=["id", "status", "sensitivity", "snoozed_until", "expires_at"],
        condition=WAITING,
        name="memory_waiting_in_scope",
    ),
    models.Index(fields=["snoozed_until", "id"], condition=Q(snoozed_until__isnull=False), name="memory_snoozed"),
]
# One half-life after the other: only among rows of the same does their order stay.
BY_SALIENCE = [
    models.Index(
        F("half_life"),
        decay.SalienceRank().desc(),
        F("id").desc(),
        condition=KNOWLEDGE & Q(**UNLIMITED),
        name="memory_by_salience",
    ),
    models.Index(fields=["id"], condition=KNOWLEDGE & LIMITED, name="memory_limited_salience"),
    models.Index(
        F("half_life"),
        decay.SalienceRank().desc(),
        F("id").desc(),
        condition=EPISODES & Q(**UNLIMITED),
        name="memory_salient_episode",
    ),
    models.Index(fields=["id"], condition=EPISODES & LIMITED, name="memory_limited_episode"),
]
LIST_INDEXES = [
    *NEWEST,
    *NARROWED,
    SUREST,
    *INBOX,
    *BY_SALIENCE,
    GinIndex(KeyWords("key"), condition=Q(key__isnull=False), name="memory_by_words_of_key"),
    models.Index(fields=["scope"], condition=~Q(withheld_from=[]), name="memory_withheld"),
    models.Index(fields=["created_by_id", "-id"], condition=EPISODES, name="memory_runs_of_agent"),
]
