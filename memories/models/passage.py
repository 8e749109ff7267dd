"""Passages, the searchable text: several for a piece of knowledge, one for each event of an episode that has text.

Scope, sensitivity and type are copies of the memory's, held equal by a composite foreign key that cascades updates.
Deletions cascade in the database too, without loading the rows.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain, islice
from typing import Any, NamedTuple, Self
from uuid import UUID

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchQuery, SearchVectorField
from django.db import models
from django.db.models import F, Func, Q
from django.db.models.functions import Coalesce
from pydantic_core import to_json

from memories import embedding
from memories.models import bulk_rows
from memories.models.episode import Episode, Event
from memories.models.memory import Memory, MemoryQuerySet
from memories.models.trusted import Trusted
from memories.models.vector import EmbeddingModel, FloatArray
from memories.values import passage_texts, roles, search_words
from memories.values.choices import Sensitivity, Type
from memories.values.search_words import in_key

MOST_AT_ONCE = 2_000  # most passages of one statement
MOST_REQUESTS, LONGEST_REQUEST = 3, 500  # of a memory; characters
OF_MESSAGES = ("message", "tool_call", "tool_result")  # event kinds of conversations


class SearchOf(Func):
    """The search vector of a passage, for events with actor and day. Defined in SQL in a migration."""

    function = "memos_passage_search"
    output_field = SearchVectorField()


class Draft(NamedTuple):
    """A passage without its position. Of knowledge `actor` and `at` are None: they are the memory's."""

    memory_id: UUID
    position: int
    text: str
    part: int = 0
    event_id: UUID | None = None
    actor: str | None = None
    at: datetime | None = None


def of_memory(memory: Memory) -> Iterator[Draft]:
    """Yield the passages of a memory that is no episode."""
    for position, part in enumerate(passage_texts.split(memory.content), start=1):
        yield Draft(memory.pk, position, part)


def of_title(episode: Episode) -> Iterator[Draft]:
    if title := episode.title.strip():
        yield Draft(episode.pk, 0, title, at=episode.last_event_at)


def of_event(event: Event) -> Iterator[Draft]:
    """Yield the passages of an event: its text, and the beginning of a tool's arguments and result; none of system
    messages.
    """
    if roles.of(event.role) == roles.SYSTEM:
        return
    call = f"{event.tool} {passage_texts.of_value(event.args)}".strip() if event.tool or event.args is not None else ""
    result = passage_texts.of_value(event.result) if event.result is not None else ""
    words = dict.fromkeys((event.text, event.summary))
    lines = [line for line in (*words, call, result) if line.strip()]
    if not lines and event.kind not in OF_MESSAGES:
        lines = [f"{event.kind} {event.ref}"]
    for part, part_text in enumerate(passage_texts.split("\n".join(lines))):
        yield Draft(event.episode_id, event.position, part_text, part, event.id, event.actor or event.role, event.at)


def of_memories(memories: Iterable[Memory]) -> Iterator[Draft]:
    return chain.from_iterable(map(of_memory, memories))


def of_events(events: Iterable[Event], *, titles_of: Iterable[Episode] = ()) -> Iterator[Draft]:
    return chain.from_iterable((*map(of_title, titles_of), *map(of_event, events)))


class PassageQuerySet(Trusted["Passage"]):
    def write_events(self, events: Iterable[Event], *, titles_of: Iterable[Episode] = ()) -> None:
        write(of_events(events, titles_of=titles_of))

    def requests(self) -> Self:
        """Request passages, by which a memory is found beside its words: MOST_REQUESTS at most, the oldest first."""
        return self.filter(position__lt=0).order_by("-position", "pk")

    def requests_within(self, level: int | F) -> Self:
        """Those of runs up to this level, as secret as the run is now; without a run, of memories up to it."""
        of_run = Coalesce("event__episode__memory__sensitivity", "sensitivity")
        return self.requests().alias(level=of_run).filter(level__lte=level)

    def write_request(self, memory: Memory, request: Event) -> None:
        """Let a memory be found by the request of a run in which it was said: "net revenue in May" finds what counts as
        a sale. None of a run above the memory's level; it is deleted with the event.
        """
        if request.episode.memory.sensitivity <= memory.sensitivity:
            self.add_requests(memory, [(request.text, request.pk)])

    def carry_requests(self, sources: Iterable[Memory], to: Memory) -> None:
        """Let the memory in the place of others be found by their requests, as far as its level allows."""
        requests = self.requests_within(to.sensitivity).filter(memory__in=sources)
        self.add_requests(to, requests.values_list("text", "event_id"))

    def add_requests(self, memory: Memory, requests: Iterable[tuple[str, UUID | None]]) -> None:
        """Add requests that the memory's readers may see, each once, until there are MOST_REQUESTS: the text, and the
        event that it is deleted with, if that is here.
        """
        rows = list(self.requests().filter(memory=memory).values_list("text", "event_id", "position"))
        present = {event or text for text, event, _ in rows}
        new: dict[UUID | str, tuple[str, UUID | None]] = {}
        for text, event in requests:
            if text.strip():
                new.setdefault(event or text, (text.strip(), event))
        lowest = min((position for *_, position in rows), default=0)
        additions = [new[name] for name in new if name not in present][: max(0, MOST_REQUESTS - len(rows))]
        write(
            Draft(memory.pk, lowest - number, text[:LONGEST_REQUEST], event_id=event)
            for number, (text, event) in enumerate(additions, start=1)
        )

    def rewrite(self, memory: Memory) -> None:
        """Rewrite the passages of a memory after its content changed, in the same transaction, under the lock of its
        row; the requests by which it is found stay.

        The text of an episode is that of its events.
        """
        if memory.type == Type.EPISODIC:
            return
        Passage.objects.filter(memory=memory, position__gt=0).delete()
        write(of_memory(memory))


class Passage(models.Model):
    """A piece of text that is searched.

    `position`: that of the event, or counted from 1; 0 of an episode is its title, below 0 of a memory is a request by
    which it is found (see `requests`), with its event, or without one where it came in a file. `part`: counted from 0
    where one event has several passages. `searchable`: the text that is indexed where that is not `text`.
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


# Named parts of a WITH clause. `memory`: the table, whose row is locked; or rows that the same statement inserts.
# `first_number`, `last_number`: where the vector stands in the array of all.
PLACED = """
given AS (
    SELECT * FROM json_to_recordset(%s)
    AS given (memory_id uuid, position int, part smallint, event_id uuid, text text, searchable text, actor text,
              at timestamptz, first_number int, last_number int)
), placed AS (
    INSERT INTO memories_passage
        (memory_id, position, part, event_id, text, searchable, actor, at, scope, sensitivity, type)
    SELECT given.memory_id, position, part, event_id, text, searchable, coalesce(actor, memory.source),
           coalesce(at, memory.created_at), memory.scope, memory.sensitivity, memory.type
    FROM given JOIN {memory} ON memory.id = given.memory_id
    {rest}
    RETURNING id, memory_id, position, part, scope, sensitivity
)"""
STORED = "FOR KEY SHARE OF memory ON CONFLICT (memory_id, position, part) DO NOTHING"
OF_STORED = PLACED.format(memory="memories_memory AS memory", rest=STORED)
OF_NEW = PLACED.format(memory="rows0 AS memory", rest="")
VECTORS = """, vectors AS (
    INSERT INTO memories_vector (passage_id, model, embedding, scope, sensitivity)
    SELECT placed.id, %s, (%s::real[])[first_number:last_number]::halfvec, placed.scope, placed.sensitivity
    FROM placed JOIN given USING (memory_id, position, part) WHERE first_number IS NOT NULL
)"""
QUEUED = """, queued AS (
    INSERT INTO memories_pending (passage_id, model, attempts, error)
    SELECT placed.id, %s, 0, '' FROM placed WHERE sensitivity <= %s
)"""


def part_of_insert(drafts: Iterable[Draft]) -> tuple[bulk_rows.Part | None, Iterator[Draft]]:
    """The passages as a part of the statement that inserts their memories first, and the drafts that are left for
    `write` because they are too many."""
    waiting = iter(drafts)
    batch = list(islice(waiting, MOST_AT_ONCE))
    return (_part(OF_NEW, batch) if batch else None), waiting


def write(drafts: Iterable[Draft]) -> None:
    """Insert passages with their vectors, or their queue entries for an endpoint, by one statement.

    Passages that exist already are left unchanged. Their memories and events must be in the database. Scope,
    sensitivity and type are read from the memory in the statement itself, which locks it until the transaction ends: a
    concurrent change of sensitivity cannot be missed.
    """
    waiting = iter(drafts)
    while batch := list(islice(waiting, MOST_AT_ONCE)):
        part = _part(OF_STORED, batch)
        with bulk_rows.prepared() as cursor:
            cursor.execute(f"WITH {part.sql} SELECT", part.parameters)


def _part(sql: str, drafts: Sequence[Draft]) -> bulk_rows.Part:
    """Passages with vectors of the built-in model while it serves, also while those of an endpoint are made."""
    embedder, built_in = embedding.embedder(), embedding.built_in()
    inline = not embedder.external or EmbeddingModel.objects.serving() == built_in.name
    rows, vectors = _as_json(drafts, built_in.embed if inline else None)
    vector_values: list[Any] = [built_in.name, vectors]
    queue_values: list[Any] = [embedder.name, Sensitivity.named(settings.EXTERNAL_MAX_SENSITIVITY).value]
    if not embedder.external:
        return bulk_rows.Part(sql + VECTORS, [rows, *vector_values])
    if inline:
        return bulk_rows.Part(sql + VECTORS + QUEUED, [rows, *vector_values, *queue_values])
    return bulk_rows.Part(sql + QUEUED, [rows, *queue_values])


def _as_json(drafts: Sequence[Draft], embed: Callable[[Sequence[str]], Any] | None) -> tuple[str, FloatArray]:
    texts = [passage_texts.with_speaker(draft.actor or "", draft.text) for draft in drafts]
    vectors = embed(texts) if embed else [None] * len(drafts)
    rows, last = [], 0
    for draft, vector in zip(drafts, vectors, strict=True):
        row = {**draft._asdict(), "searchable": search_words.indexed(draft.text, paths=draft.event_id is None)}
        if vector is not None:
            row |= {"first_number": last + 1, "last_number": (last := last + len(vector))}
        rows.append(row)
    return to_json(rows).decode(), FloatArray([vector for vector in vectors if vector is not None])


def with_words(memories: MemoryQuerySet, words: str) -> MemoryQuerySet:
    """Memories whose passages match these words (in any form), or whose key holds them, see `in_key`.

    The union lets the database start from the words, or where these are frequent from the first rows of the list.
    """
    query = SearchQuery(search_words.searchable(words) or words, search_type="websearch", config="english")
    passages = Passage.objects.filter(search=query).order_by().values("memory")
    keyed_rows = Memory.objects.filter(in_key(words)).order_by().values("pk")
    return memories.filter(pk__in=passages.union(keyed_rows, all=True))
