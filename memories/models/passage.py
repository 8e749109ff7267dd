"""What is searched: knowledge cut into passages, of an episode one for each event that says something.

Scope, sensitivity and type are the memory's, held equal by the database: a composite foreign key that cascades updates.
What is deleted there is deleted here by the database too, and never loaded for it.
"""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Func, Q

from memories.models.episode import Event
from memories.models.memory import Memory
from memories.models.trusted import Trusted


class SearchOf(Func):
    """The words of a passage; those of an event carry its actor and day. Written in SQL in a migration."""

    function = "memos_passage_search"
    output_field = SearchVectorField()


class PassageQuerySet(Trusted["Passage"]):
    pass


class Passage(models.Model):
    """`position` is that of the event, or counts from 1; `part` counts from 0 where one event says a lot.

    `searchable` is what the words are made of where that is not `text`; position 0 of an episode is its title.
    """

    memory = models.ForeignKey(Memory, models.DO_NOTHING, related_name="passages", db_constraint=False, db_index=False)
    position = models.IntegerField()
    part = models.SmallIntegerField(default=0)
    event = models.ForeignKey(
        Event, models.DO_NOTHING, null=True, related_name="passages", db_constraint=False, db_index=False
    )
    text = models.TextField()
    searchable = models.TextField(null=True)  # noqa: DJ001 - null = equal to text
    actor = models.CharField(max_length=512, blank=True)
    at = models.DateTimeField()
    scope = models.TextField()
    sensitivity = models.SmallIntegerField()
    type = models.CharField(max_length=16)
    search = models.GeneratedField(
        expression=SearchOf("text", "searchable", "actor", "at", "event_id"),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    objects = PassageQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["memory", "position", "part"], name="passage_has_one_place_in_its_memory"),
            models.UniqueConstraint(fields=["id", "scope", "sensitivity"], name="passage_is_as_secret_as_its_vectors"),
        ]
        indexes = [
            GinIndex(Func("scope", template="(ARRAY[%(expressions)s])"), "search", name="passage_search"),
            models.Index(fields=["event"], condition=Q(event__isnull=False), name="passage_by_event"),
        ]

    def __str__(self) -> str:
        return self.text[:80]
