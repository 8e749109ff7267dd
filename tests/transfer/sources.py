"""Files of other stores, made by code as those programs write them."""

import hashlib
import json
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Json = dict[str, Any]
FIRST = datetime(2025, 1, 1, tzinfo=UTC)
LETTERS = str.maketrans("0123456789abcdef", "bcdfghjklmnpaeio")

FOUNDER_OS = """
    CREATE TABLE memories (id TEXT PRIMARY KEY, key TEXT UNIQUE, category TEXT, content TEXT, source_plugin TEXT,
        confidence INTEGER, status TEXT, company_id TEXT, tags TEXT, embedding BLOB, times_used INTEGER,
        times_confirmed INTEGER, created_at INTEGER, updated_at INTEGER, last_used_at INTEGER, expires_at INTEGER,
        notion_page_id TEXT, last_synced_at INTEGER, deleted_at INTEGER);
    CREATE TABLE observations (id TEXT PRIMARY KEY, plugin TEXT, action TEXT, context TEXT, observed_at INTEGER);
    CREATE TABLE adaptations (id TEXT PRIMARY KEY, memory_id TEXT, plugin TEXT, description TEXT, applied_at INTEGER,
        reverted_at INTEGER);
"""
INTELLIGENCE = """
    CREATE TABLE events (id TEXT PRIMARY KEY, timestamp TEXT, session_id TEXT, plugin TEXT, command TEXT,
        event_type TEXT, payload TEXT, outcome TEXT, duration_ms INTEGER);
    CREATE TABLE patterns (id TEXT PRIMARY KEY, pattern_type TEXT, plugin TEXT, command TEXT, description TEXT,
        instruction TEXT, confidence REAL, observations INTEGER, confirmations INTEGER, rejections INTEGER,
        status TEXT, created_at TEXT, updated_at TEXT);
    CREATE TABLE healing_patterns (id TEXT PRIMARY KEY, error TEXT);
"""
MEMBRANE = """
    CREATE TABLE memory_records (id TEXT PRIMARY KEY, type TEXT, sensitivity TEXT, confidence REAL, salience REAL,
        scope TEXT, created_at TEXT, updated_at TEXT);
    CREATE TABLE payloads (record_id TEXT PRIMARY KEY, payload_json TEXT);
    CREATE TABLE decay_profiles (record_id TEXT PRIMARY KEY, curve TEXT, half_life_seconds INTEGER, min_salience REAL,
        max_age_seconds INTEGER, reinforcement_gain REAL, last_reinforced_at TEXT, pinned INTEGER,
        deletion_policy TEXT);
    CREATE TABLE tags (record_id TEXT, tag TEXT, PRIMARY KEY (record_id, tag));
    CREATE TABLE provenance_sources (id INTEGER PRIMARY KEY, record_id TEXT, kind TEXT, ref TEXT, hash TEXT,
        created_by TEXT, timestamp TEXT);
    CREATE TABLE relations (id INTEGER PRIMARY KEY, source_id TEXT, predicate TEXT, target_id TEXT, weight REAL,
        created_at TEXT);
    CREATE TABLE audit_log (id INTEGER PRIMARY KEY, record_id TEXT, action TEXT, actor TEXT, timestamp TEXT,
        rationale TEXT, previous_state_json TEXT);
    CREATE TABLE competence_stats (record_id TEXT PRIMARY KEY, success_count INTEGER, failure_count INTEGER);
"""


def fact(number: int) -> str:
    """A statement like no other: nothing resembles it."""
    digest = hashlib.sha256(str(number).encode()).hexdigest()
    words = [digest[at : at + 7].translate(LETTERS) for at in range(0, 42, 7)]
    return f"{words[0].title()} {' '.join(words[1:])} within {number + 7} days"


def database(path: Path, schema: str, **tables: Iterable[Json]) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript(schema)
    for table, rows in tables.items():
        for row in rows:
            names, marks = ", ".join(row), ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(row.values()))
    connection.commit()
    connection.close()
    return path


def seconds(days: int) -> int:
    return int((FIRST + timedelta(days=days)).timestamp())


def founder_memory(number: int, **facts: Any) -> Json:
    plain: Json = {
        "id": f"m{number}",
        "key": f"customer-{number}-terms",
        "category": "fact",
        "content": fact(number),
        "source_plugin": "P01",
        "confidence": 40,
        "status": "candidate",
        "tags": '["terms"]',
        "times_used": 2,
        "times_confirmed": 1,
        "created_at": seconds(number % 300),
        "updated_at": seconds(number % 300 + 1),
    }
    return plain | facts


def observation(number: int, **facts: Any) -> Json:
    context = json.dumps({"company": "Acme Corp", "category": "action-required"})
    plain: Json = {"id": f"o{number}", "plugin": "triage", "action": "categorise", "context": context}
    return plain | {"observed_at": seconds(number // 5) + number % 5} | facts


def event(number: int, session: str = "s1", **facts: Any) -> Json:
    plain: Json = {"id": f"e{number}", "timestamp": f"2025-01-01T08:00:{number % 60:02}", "session_id": session}
    plain |= {"plugin": "triage", "command": "sort", "event_type": "post_command", "payload": '{"n": 1}'}
    return plain | {"outcome": "success", "duration_ms": 12} | facts


def pattern(number: int, **facts: Any) -> Json:
    plain: Json = {"id": f"p{number}", "pattern_type": "taste", "plugin": "draft", "instruction": fact(number)}
    plain |= {"confidence": 0.7, "confirmations": 3, "status": "active", "created_at": "2025-01-01T00:00:00Z"}
    return plain | facts


def triple(number: int, **facts: Any) -> Json:
    plain: Json = {"kind": "semantic", "subject": f"Customer {number}", "predicate": "pays within"}
    return plain | {"object": f"{number + 7} days", "validity": {"mode": "global"}} | facts


def membrane(path: Path, records: Iterable[tuple[Json, Json | str]], **tables: Iterable[Json]) -> Path:
    """`records`: (columns of memory_records, payload)."""
    rows, payloads = [], []
    for number, (columns, payload) in enumerate(records):
        plain: Json = {"id": f"r{number}", "type": "semantic", "sensitivity": "low", "confidence": 0.7}
        plain |= {"salience": 0.5, "scope": "project:a", "created_at": "2025-01-01T00:00:00Z"}
        row = plain | {"updated_at": "2025-02-01T00:00:00Z"} | columns
        rows.append(row)
        text = payload if isinstance(payload, str) else json.dumps(payload)
        payloads.append({"record_id": row["id"], "payload_json": text})
    return database(path, MEMBRANE, memory_records=rows, payloads=payloads, **tables)


def mem0_memory(number: int, **facts: Any) -> Json:
    plain: Json = {"id": f"00000000-{number:04}", "memory": fact(number), "user_id": f"user{number % 3}"}
    plain |= {"categories": ["terms"], "metadata": {"n": number}, "created_at": "2025-01-01T01:02:03.5-07:00"}
    return plain | facts
