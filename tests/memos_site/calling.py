"""One good call of every tool, for the tests of all doors that serve the table."""

from typing import Any

from memories.models import Memory
from tests.make import make_memory, make_run, make_skill, run

Json = dict[str, Any]
NAMES = {
    *("memory_store", "memory_query", "memory_get", "memory_by_company", "memory_by_plugin", "memory_delete"),
    *("ingest_event", "ingest_tool_output", "ingest_observation", "ingest_outcome", "ingest_working_state"),
    *("add_conversation", "search", "context", "guidance", "check_before_write", "check_before_end"),
    *("skill_search", "skill_get", "report_skill_use"),
}


def good_calls(agent: str) -> dict[str, Json]:
    """Arguments by tool, about rows that are made here. `agent` is who forgets and ends what is its own."""
    known = make_memory(key="acme-terms", company_id="acme", category="fact", status="confirmed", confidence=70)
    mine = make_memory("A slip", key="slip", category="fact", created_by_id=agent)
    episode = make_run()
    Memory.objects.filter(pk=episode.pk).update(created_by_id=agent)
    make_skill()
    task, call = "Book me a flight to Rome", {"tool": "book_flight", "arguments": {"to": "Rome"}}
    thread = {"source": "P01", "thread_id": "t1"}
    return {
        "memory_store": {"key": "k", "category": "fact", "content": "Ben prefers mail", "source": "P01"},
        "memory_query": {"text": "When does Acme pay?"},
        "memory_get": {"id": str(known.pk)},
        "memory_by_company": {"company_id": "acme"},
        "memory_by_plugin": {"plugin": "P01"},
        "memory_delete": {"key": mine.key},
        "ingest_event": {**thread, "event_kind": "mail", "ref": "m1"},
        "ingest_tool_output": {**thread, "tool_name": "get_order", "args": {"id": 7}, "result": {"ok": 1}},
        "ingest_observation": {"source": "P01", "subject": "Acme", "predicate": "sits in", "object": "Rome"},
        "ingest_outcome": {"source": "P01", "target_record_id": str(episode.pk), "outcome_status": "success"},
        "ingest_working_state": {**thread, "state": "planning"},
        "add_conversation": run(source="P01"),
        "search": {"query": "Acme"},
        "context": {"task": "Write to Acme about the invoice"},
        "guidance": {"task": task},
        "check_before_write": {"task": task, "about_to": call},
        "check_before_end": {"task": task},
        "skill_search": {"text": "book a flight"},
        "skill_get": {"name": "book-flight"},
        "report_skill_use": {"name": "book-flight", "outcome": "success"},
    }
