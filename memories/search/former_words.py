"""Search among the words that memories had at an instant.

Memories whose words have not changed since are found by their stored passages. Former words of the others are read from
former states, split into passages and embedded for this one question: for at most MOST_REWORDED memories, the latest
created of those that the other conditions let through.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Self
from uuid import UUID

from django.contrib.postgres.search import SearchQuery
from django.db import connection
from django.db.models import Exists, OuterRef, Q

from memories import embedding
from memories.models import FormerState, Memory, Passage, as_of
from memories.models.as_of import AsOf
from memories.models.former_state import first_id_after
from memories.models.memory import MemoryQuerySet
from memories.models.vector import halfvec_text
from memories.values import passage_texts, search_words
from memories.values.conditions import Filter
from memories.values.exceptions import FieldError, Invalid
from memories.values.search_words import in_key

MOST_REWORDED = 1_000
COLUMNS = ("pk", "content", "source", "created_at", "scope", "sensitivity", "type")
TOO_MANY = f"more than {MOST_REWORDED:,} of these memories were reworded since as_of: narrow the list by other filters"

# Tables of then in front of statement.sql, under the names of those of today. Former passages have negative ids.
REWORDED_SINCE = """
    SELECT FROM memories_formerstate n WHERE n.memory_id = p.memory_id AND n.until > %(as_of)s AND n.content IS NOT NULL
"""
PASSAGE = "id, memory_id, position, part, event_id, text, searchable, actor, at, scope, sensitivity, type, search"
TABLES = f"""
memories_memory AS NOT MATERIALIZED ({{memory}}),
former_passage AS MATERIALIZED (
    SELECT *, 0::smallint AS part, NULL::uuid AS event_id,
        memos_passage_search(text, searchable, actor, at, NULL) AS search
    FROM unnest(
        %(former_ids)s::bigint[], %(former_memories)s::uuid[], %(former_positions)s::int[], %(former_texts)s::text[],
        %(former_searchable)s::text[], %(former_actors)s::text[], %(former_times)s::timestamptz[],
        %(former_scopes)s::text[], %(former_sensitivities)s::smallint[], %(former_types)s::varchar[],
        %(former_vectors)s::text[]
    ) AS former (id, memory_id, position, text, searchable, actor, at, scope, sensitivity, type, embedding)
),
memories_passage AS NOT MATERIALIZED (
    SELECT {PASSAGE}
    FROM memories_passage p
    WHERE NOT EXISTS ({REWORDED_SINCE}) AND (
        p.event_id IS NULL OR p.event_id < %(not_arrived)s
        OR EXISTS (SELECT FROM memories_episode e WHERE e.memory_id = p.memory_id AND e.closed_at <= %(as_of)s)
    )
    UNION ALL
    SELECT {PASSAGE} FROM former_passage
),
memories_vector AS NOT MATERIALIZED (
    SELECT passage_id, model, embedding, scope, sensitivity FROM memories_vector
    UNION ALL
    SELECT id, %(model)s, embedding::halfvec, scope, sensitivity FROM former_passage WHERE embedding IS NOT NULL
),
"""  # noqa: S608 - our own columns


def reworded_memories(rows: MemoryQuerySet, moment: AsOf) -> tuple[list[tuple[Any, ...]], bool]:
    """COLUMNS of those of `rows`, as they stood at `moment`, whose words changed since, and whether these are all of
    them: False if there are more than MOST_REWORDED.
    """
    since = FormerState.objects.filter(until__gt=moment.at, content__isnull=False).values("memory")
    former = rows.filter(pk__in=since).order_by("-created_at", "-pk").values_list(*COLUMNS)
    former_rows = list(former[: MOST_REWORDED + 1])
    return former_rows[:MOST_REWORDED], len(former_rows) <= MOST_REWORDED


@dataclass(frozen=True)
class FormerPassage:
    """A passage of a memory's former words."""

    id: int
    memory: UUID
    position: int
    text: str
    actor: str
    at: datetime
    scope: str
    sensitivity: int
    type: str

    @property
    def row(self) -> list[Any]:
        """As results.py reads passages."""
        return [None, None, self.position, self.actor, self.at, self.text]


@dataclass(frozen=True)
class FormerWords:
    """Former passages and their vectors, which a search as of an instant reads in addition to the tables. `complete`
    False: some are missing or have no vector."""

    moment: AsOf
    passages: Sequence[FormerPassage]
    vectors: Sequence[str | None]
    complete: bool = True

    @classmethod
    def of(cls, search_filter: Filter, moment: AsOf, *, model: str) -> Self:
        """Read the former words of memories that match a filter; `model`: the one that the question is embedded by.

        A model behind an endpoint is not called for them: these words are then searched as words alone.
        """
        rows, is_complete = reworded_memories(Memory.objects.as_of(moment).filter(search_filter.q()), moment)
        passages: list[FormerPassage] = []
        for pk, content, source, created_at, *rest in rows:
            for position, part in enumerate(passage_texts.split(content), start=1):
                passages.append(FormerPassage(-len(passages) - 1, pk, position, part, source, created_at, *rest))
        built_in = embedding.built_in()
        if built_in.name != model:
            return cls(moment, passages, [None] * len(passages), is_complete and not passages)
        texts = [passage_texts.with_speaker(passage.actor, passage.text) for passage in passages]
        vectors = built_in.embed(texts) if texts else []
        return cls(
            moment, passages, [None if vector is None else halfvec_text(vector) for vector in vectors], is_complete
        )

    @property
    def degraded(self) -> tuple[str, ...]:
        return () if self.complete else ("former_words",)

    @property
    def tables(self) -> str:
        return TABLES.format(memory=as_of.sql())

    @cached_property
    def rows(self) -> dict[int, list[Any]]:
        return {passage.id: passage.row for passage in self.passages}

    def parameters(self) -> dict[str, Any]:
        passages = self.passages
        return {
            **self.moment.values,
            "not_arrived": first_id_after(self.moment.at),
            "former_ids": [passage.id for passage in passages],
            "former_memories": [passage.memory for passage in passages],
            "former_positions": [passage.position for passage in passages],
            "former_texts": [passage.text for passage in passages],
            "former_searchable": [search_words.indexed(passage.text, paths=True) for passage in passages],
            "former_actors": [passage.actor for passage in passages],
            "former_times": [passage.at for passage in passages],
            "former_scopes": [passage.scope for passage in passages],
            "former_sensitivities": [passage.sensitivity for passage in passages],
            "former_types": [passage.type for passage in passages],
            "former_vectors": list(self.vectors),
        }


def matching_at(memories: MemoryQuerySet, words: str, moment: AsOf) -> MemoryQuerySet:
    """Those of `memories` whose words at `moment` match, or whose key holds the words. Invalid: more than MOST_REWORDED
    were reworded since."""
    since = FormerState.objects.filter(memory=OuterRef("memory"), until__gt=moment.at, content__isnull=False)
    has_arrived = Q(event=None) | Q(event__lt=first_id_after(moment.at)) | Q(memory__episode__closed_at__lte=moment.at)
    query = SearchQuery(search_words.searchable(words) or words, search_type="websearch", config="english")
    unchanged_passages = Passage.objects.filter(~Exists(since), has_arrived, search=query).order_by().values("memory")
    rows, is_complete = reworded_memories(memories, moment)
    if not is_complete:
        raise Invalid(FieldError("/q", "too_many", TOO_MANY))
    former_matches = _matching([(pk, content) for pk, content, *_ in rows], words)
    return memories.filter(in_key(words) | Q(pk__in=unchanged_passages) | Q(pk__in=former_matches))


def _matching(texts: Sequence[tuple[UUID, str]], words: str) -> list[UUID]:
    if not texts:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM unnest(%s::uuid[], %s::text[]) AS former (id, text)"
            " WHERE to_tsvector('english', text) @@ websearch_to_tsquery('english', %s)",
            [
                [pk for pk, _ in texts],
                [search_words.indexed(content, paths=True) or content for _, content in texts],
                search_words.searchable(words) or words,
            ],
        )
        return [pk for (pk,) in cursor.fetchall()]
