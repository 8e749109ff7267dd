"""Run inside an installation's shell: the rows of a batch of tool outputs, written by multi-row INSERTs."""

import json
import time
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from uuid_utils.compat import uuid7

COLUMNS = {
    "memories_memory": "id, type, scope, content, payload, source, origin, tags, sensitivity, confidence, status, hold,"
    " salience, salience_at, half_life, min_salience, reinforcement_gain, max_age, pinned, deletion_policy, created_by,"
    " provenance, evidence_of_live, times_used, times_confirmed, flags, version, created_at, updated_at, created_by_id,"
    " decay_steps",
    "memories_episode": "memory_id, title, scope, source, event_count, last_event_at, outcome_by, outcome_details,"
    " digest_attempts, digest_error, environment, artifacts, extract",
    "memories_event": "id, episode_id, position, at, kind, role, actor, ref, text, summary, tool, args, result,"
    " depends_on, context, flags, made_by",
    "memories_auditentry": "id, subject_kind, subject_id, label, action, actor, actor_kind, at, rationale, before,"
    " after, subject_version, scope, sensitivity, request_id, batch_id",
    "memories_passage": "memory_id, position, part, event_id, text, actor, at, scope, sensitivity, type",
}
VECTOR = str([0.0625] * 256)
VECTORS = (
    "INSERT INTO memories_vector (passage_id, model, embedding, scope, sensitivity)"
    " SELECT id, 'bench', %s::halfvec, scope, sensitivity FROM memories_passage WHERE memory_id = ANY(%s)"
)


def rows_of(number: int) -> list[tuple[Any, ...]]:
    at, memory, event = datetime.now(UTC), uuid7(), uuid7()
    result = json.dumps({"lines": [f"src/m.py:{line}: match" for line in range(4)]})
    args, content = json.dumps({"pattern": f"needle {number}", "path": "src"}), f"rg needle {number}"
    return [
        (memory, "episodic", "", content, "{}", "bench", "observed", [], 1, 90, "confirmed", "", 1.0, at, 3600.0, 0.0,
         0.1, 0.0, False, "auto_prune", "bench", "{}", False, 0, 0, "[]", 1, at, at, "agent:1", 0),
        (memory, "", "", "bench", 1, at, "", "{}", 0, "", "{}", "[]", True),
        (event, memory, 1, at, "tool_call", "", "bench", "", "", "", "rg", args, result, "[]", "{}", "[]", "bench"),
        (uuid7(), "memory", memory, content, "create", "bench", "agent", at, "", "{}", "{}", 1, "", 1, "", uuid7()),
        (memory, 1, 0, event, f"{content}\n{result}", "bench", at, "", 1, "episodic"),
    ]  # fmt: skip


def write(rows: int, batch: int) -> float:
    """Events a second."""
    began = time.perf_counter()
    with connection.cursor() as cursor:
        for first in range(0, rows, batch):
            tables = list(zip(*(rows_of(number) for number in range(first, first + batch)), strict=True))
            cursor.execute("BEGIN")
            for (table, columns), values in zip(COLUMNS.items(), tables, strict=True):
                place = "(" + ", ".join(["%s"] * len(values[0])) + ")"
                flat = [value for row in values for value in row]
                cursor.execute(f"INSERT INTO {table} ({columns}) VALUES {', '.join([place] * len(values))}", flat)
            cursor.execute(VECTORS, [VECTOR, [memory for memory, *_ in tables[0]]])
            cursor.execute("COMMIT")
    return rows / (time.perf_counter() - began)
