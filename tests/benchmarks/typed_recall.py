"""Typed memories, and queries with the keys that they should find and the trust that they ask with."""

import json
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.benchmarks.store import show

Json = dict[str, Any]


def typed_recall(path: Path) -> None:
    """Recall and nDCG at each query's own depth; and that nothing above its trust was found."""
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    at = datetime.now(UTC)
    keys = {bring_in(line, at=at): line for line in lines if line["type"] == "record"}
    queries = [line for line in lines if line["type"] == "query"]
    recalls, gains, leaks = [], [], 0
    for query in queries:
        found = [keys[id] for id in ids_found(query, at=at)]
        leaks += sum(not may_see(query["trust"], record) for record in found)
        place = {record["key"]: number for number, record in enumerate(found)}
        hits = [place[key] for key in query["expected"] if key in place]
        ideal = sum(1 / math.log2(2 + number) for number in range(min(query["k"], len(query["expected"]))))
        recalls.append(len(hits) / len(query["expected"]))
        gains.append(sum(1 / math.log2(2 + number) for number in hits) / ideal)
        if len(hits) < len(query["expected"]):
            missed = [key for key in query["expected"] if key not in place]
            show(f"typed recall, {query['key']}", recalls[-1], "share", missed=missed, found=list(place))
    show("typed recall: recall@k", sum(recalls) / len(queries), "share", n=len(queries))
    show("typed recall: nDCG@k", sum(gains) / len(queries), "share", n=len(queries))
    show("typed recall: found above the caller", leaks, "memories")


def bring_in(line: Json, *, at: datetime) -> Any:
    """The id of the memory; what is no experience is stored as a confirmed claim."""
    from memories.intake import episodes
    from memories.intake.reports.events import EventReport, check
    from memories.models import Memory
    from memories.models.passage import of_memories, write
    from memories.values.choices import Origin, Sensitivity, Status
    from memories.values.trust import everything

    common = {"scope": line["scope"], "tags": line["tags"]}
    if line["memory_type"] == "episodic":
        said = {"source": "bench", "event_kind": line["event_kind"], "ref": line["ref"], "summary": line["text"]}
        report = check(EventReport, {**said, **common, "sensitivity": line["sensitivity"]})
        [stored] = episodes.record_events([report], trust=everything(), at=at)
        assert not isinstance(stored, Exception), stored
        assert stored.memory is not None
        return stored.memory.pk
    memory = Memory.objects.create(
        type=line["memory_type"],
        key=line["key"],
        content=line["text"],
        source="bench",
        origin=Origin.IMPORTED,
        sensitivity=Sensitivity.named(line["sensitivity"]),
        confidence=80,
        status=Status.CONFIRMED,
        thread_id=line.get("thread_id"),
        salience_at=at,
        created_by="bench",
        created_at=at,
        updated_at=at,
        **common,
    )
    write(of_memories([memory]))
    return memory.pk


def ids_found(query: Json, *, at: datetime) -> list[Any]:
    from memories import search
    from memories.values.trust import everything

    body = {"query": query["text"], "trust": query["trust"], "limit": query["k"]}
    asked = search.check({**body, "memory_types": query.get("memory_types")})
    return [result.memory.pk for result in search.search(asked, trust=everything(), at=at).results]


def may_see(trust: Json, record: Json) -> bool:
    levels = ("public", "low", "medium", "high", "hyper")
    cleared = levels.index(record["sensitivity"]) <= levels.index(trust["max_sensitivity"])
    return cleared and (not trust["scopes"] or record["scope"] in {"", "global", *trust["scopes"]})
