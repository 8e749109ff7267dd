"""Fills a store by COPY: episodes of 20 passages, words by Zipf's law with topics, vectors of the built-in model."""

import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np

EACH = 20  # passages of an episode
WORDS = 25  # of a passage
TOPICS = 400
AT = datetime(2026, 1, 1, tzinfo=UTC)
INDEXES = ("passage_search", "vector_by_model_and_scope")


class Texts:
    """`passages(n)`: words and vectors of the next n, the same ones each time."""

    def __init__(self, seed: int = 1) -> None:
        from memories import embedding

        model: Any = embedding.built_in()
        pieces = [
            (word, number) for word, number in model._words._vocabulary.items() if word.isalpha() and len(word) > 2
        ]
        self.random = np.random.default_rng(seed)
        order = self.random.permutation(len(pieces))
        self.words = np.array([pieces[n][0] for n in order])
        ids = np.array([pieces[n][1] for n in order])
        self.table = model._table.rows[ids].astype(np.float32) * model._table.scale[ids][:, None]
        shares = 1.0 / np.arange(10, len(pieces) + 10)
        self.steps = np.cumsum(shares / shares.sum())
        self.topics = self.random.integers(200, len(pieces), size=(TOPICS, 120))

    def passages(self, count: int) -> tuple[list[str], np.ndarray[Any, Any]]:
        """Episodes of EACH: 60 % of the words are anybody's, the others of the episode's topic."""
        common = np.searchsorted(self.steps, self.random.random((count, WORDS))).clip(max=len(self.words) - 1)
        topic = np.repeat(self.random.integers(0, TOPICS, size=-(-count // EACH)), EACH)[:count]
        special = self.topics[topic[:, None], self.random.integers(0, 120, size=(count, WORDS))]
        chosen = np.where(self.random.random((count, WORDS)) < 0.6, common, special)
        vectors = self.table[chosen].sum(axis=1)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return [" ".join(row) for row in self.words[chosen]], vectors


def scope_of(episode: int, scopes: int) -> str:
    return f"scope-{episode % scopes}"


def fill(rows: int, scopes: int) -> list[str]:
    """COPY without indexes on what is searched and without triggers, then the indexes. A text of every 1,000."""
    from django.db import connection

    texts, samples = Texts(), []
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname, indexdef FROM pg_indexes WHERE indexname = ANY(%s)", [list(INDEXES)])
        indexes = cursor.fetchall()
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("SET maintenance_work_mem = '1GB'")
        for name, _definition in indexes:
            cursor.execute(f"DROP INDEX {name}")
        for first in range(0, rows, 20_000):
            said, vectors = texts.passages(min(20_000, rows - first))
            samples += said[::1_000]
            _make_memories(first // EACH, -(-len(said) // EACH), scopes)
            _copy_passages(cursor, first, said, scopes)
            copy_vectors(cursor, first, vectors, scopes)
        for _name, definition in indexes:
            cursor.execute(definition)
        cursor.execute("SELECT setval('memories_passage_id_seq', %s)", [rows + 1])
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute("VACUUM ANALYZE memories_memory, memories_passage, memories_vector, memories_episode")
    return samples


def memory_id(number: int) -> UUID:
    return UUID(int=(1 << 120) + number)


def _make_memories(first: int, count: int, scopes: int) -> None:
    from memories.models import Episode, Memory
    from memories.values.choices import Origin, Status, Type

    # Salient today and digested, or the jobs of a server that opens the store would digest and prune it meanwhile.
    born = {"created_at": AT, "updated_at": AT, "salience_at": datetime.now(UTC), "created_by": "bench"}
    ended = {"last_event_at": AT, "closed_at": AT, "digested_at": AT}
    said = {"source": "bench", "origin": Origin.OBSERVED, "sensitivity": 1, "confidence": 80}
    memories = [
        Memory(
            id=memory_id(n),
            type=Type.EPISODIC,
            status=Status.CONFIRMED,
            scope=scope_of(n, scopes),
            content=f"episode {n}",
            **said,
            **born,
        )
        for n in range(first, first + count)
    ]
    Memory.objects.bulk_create(memories)
    Episode.objects.bulk_create(
        Episode(memory=memory, scope=memory.scope, source="bench", event_count=EACH, **ended) for memory in memories
    )


def _copy_passages(cursor: Any, first: int, said: list[str], scopes: int) -> None:
    columns = "id, memory_id, position, part, text, actor, at, scope, sensitivity, type"
    with cursor.copy(f"COPY memories_passage ({columns}) FROM STDIN") as copy:
        for n, text in enumerate(said, start=first):
            episode, place = divmod(n, EACH)
            at = (AT + timedelta(minutes=n % 500_000)).isoformat()
            row = f"{n + 1}\t{memory_id(episode)}\t{place + 1}\t0\t{text}\tuser\t{at}\t{scope_of(episode, scopes)}"
            copy.write(f"{row}\t1\tepisodic\n")


def copy_vectors(cursor: Any, first: int, vectors: np.ndarray[Any, Any], scopes: int) -> None:
    with cursor.copy(
        "COPY memories_vector (passage_id, model, embedding, scope, sensitivity) FROM STDIN (FORMAT BINARY)"
    ) as copy:
        copy.write(b"PGCOPY\n\xff\r\n\0" + struct.pack("!ii", 0, 0))
        copy.write(b"".join(_binary(first, vectors, scopes)))
        copy.write(struct.pack("!h", -1))


def _binary(first: int, vectors: np.ndarray[Any, Any], scopes: int) -> Iterator[bytes]:
    model = b"static-256"
    size = vectors.shape[1]
    halves = vectors.astype(">f2")
    for n, half in enumerate(halves, start=first):
        scope = scope_of(n // EACH, scopes).encode()
        yield struct.pack("!hiq", 5, 8, n + 1)
        yield struct.pack("!i", len(model)) + model
        yield struct.pack("!ihh", 4 + 2 * size, size, 0) + half.tobytes()
        yield struct.pack("!i", len(scope)) + scope
        yield struct.pack("!ih", 2, 1)
