"""One example for each operation of this room. Tests hold them to the schema."""

from typing import Any

Json = dict[str, Any]
ID = "0198c2f0-5f0e-7a52-9d0c-3c1f5a1b7e11"
AT = "2026-03-01T12:00:00Z"

EVENT: Json = {
    "source": "refund-agent",
    "event_kind": "ticket_opened",
    "ref": "ticket-812",
    "summary": "The parcel of order-7 arrived broken",
    "thread_id": "ticket-812",
    "scope": "project:shop",
    "context": {"channel": "mail"},
}
TOOL_OUTPUT: Json = {
    "source": "refund-agent",
    "tool_name": "get_order",
    "args": {"order_id": "order-7"},
    "result": {"payment_id": "pay-7", "state": "delivered"},
    "ok": True,
    "latency_ms": 41.5,
    "thread_id": "ticket-812",
    "scope": "project:shop",
}
OBSERVATION: Json = {
    "source": "refund-agent",
    "subject": "Acme",
    "predicate": "pays within",
    "object": "30 days",
    "scope": "project:shop",
    "tags": ["billing"],
}
OUTCOME: Json = {
    "source": "refund-agent",
    "target_record_id": ID,
    "outcome_status": "success",
    "latency_ms": 5300,
    "note": "refunded in full",
}
WORKING_STATE: Json = {
    "source": "refund-agent",
    "thread_id": "ticket-812",
    "state": "waiting",
    "next_actions": ["refund pay-7 when the customer agrees"],
    "open_questions": ["in full or in part?"],
    "scope": "project:shop",
}
CONVERSATION: Json = {
    "id": "run-7",
    "source": "refund-agent",
    "scope": "project:shop",
    "outcome": "success",
    "messages": [
        {"role": "user", "content": "The parcel of order-7 arrived broken, I want my money back."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call-1", "function": {"name": "get_order", "arguments": '{"order_id": "order-7"}'}}],
        },
        {"role": "tool", "tool_call_id": "call-1", "content": '{"payment_id": "pay-7"}'},
    ],
}
BATCH: Json = {"items": [{"kind": "event", **EVENT}, {"kind": "observation", **OBSERVATION}]}
CALLER: Json = {
    "name": "refund-agent",
    "clearance": "medium",
    "scopes": ["project:shop"],
    "permissions": ["ingest", "read", "report", "skills"],
    "expires_at": None,
}
EPISODE_EVENT: Json = {
    "id": ID,
    "position": 1,
    "node_id": "0198c2f0-1",
    "at": AT,
    "kind": "tool_call",
    "role": "",
    "actor": "refund-agent",
    "ref": "",
    "text": "",
    "summary": "",
    "tool": "get_order",
    "args": {"order_id": "order-7"},
    "result": {"payment_id": "pay-7", "state": "delivered"},
    "ok": True,
    "latency_ms": 41.5,
    "depends_on": [],
    "context": {},
    "flags": [],
}
PERFORMANCE: Json = {
    "success_count": 6,
    "failure_count": 2,
    "partial_count": 0,
    "success_rate": 0.75,
    "avg_latency_ms": 5300.0,
    "last_used_at": AT,
}
_PAYLOADS: dict[str, Json] = {
    "semantic": {"kind": "semantic", "subject": "Acme", "predicate": "pays within", "object": "30 days"},
    "working": {
        "kind": "working",
        "thread_id": "ticket-812",
        "state": "waiting",
        "active_constraints": [],
        "next_actions": ["refund pay-7 when the customer agrees"],
        "open_questions": ["in full or in part?"],
        "context_summary": "",
    },
    "episodic": {
        "kind": "episodic",
        "title": "",
        "external_id": None,
        "event_count": 1,
        "outcome": "success",
        "outcome_at": AT,
        "closed_at": AT,
        "extract": True,
        "environment": {},
        "artifacts": [],
        "timeline": [{"t": AT, "event_kind": "tool_call", "ref": "0198c2f0-1", "summary": "tool_call: get_order"}],
        "tool_graph": [],
        "truncated": False,
    },
    "competence": {"kind": "competence", "skill_name": "refund-payment", "version": 1, "performance": PERFORMANCE},
}
_LIFECYCLE: Json = {
    "curve": "exponential",
    "half_life_seconds": 2_592_000.0,
    "min_salience": 0.0,
    "reinforcement_gain": 0.1,
    "max_age_seconds": 0.0,
    "last_reinforced_at": AT,
    "pinned": False,
    "deletion_policy": "auto_prune",
    "fades_at": None,
}


def memory(type: str, **facts: Any) -> Json:
    """A whole memory of that type as the API answers it."""
    plain: Json = {
        "id": ID,
        "type": type,
        "scope": "project:shop",
        "key": None,
        "category": None,
        "content": "Acme pays within 30 days",
        "payload": _PAYLOADS[type],
        "source": "refund-agent",
        "origin": "observed",
        "thread_id": None,
        "company_id": None,
        "tags": ["billing"],
        "sensitivity": "low",
        "confidence": 70,
        "status": "confirmed",
        "salience": 0.97,
        "lifecycle": _LIFECYCLE,
        "times_used": 3,
        "times_confirmed": 0,
        "last_used_at": AT,
        "expires_at": None,
        "provenance": {"sources": [], "created_by": "refund-agent"},
        "flags": [],
        "version": 1,
        "created_at": AT,
        "updated_at": AT,
    }
    return plain | facts


_ID = "01a1fe2a-8871-7655-8ec1-882eaaefcc21"
HISTORY_ENTRY: dict[str, Any] = {
    "id": "01a1fe2a-8871-7655-8ec1-882eaaefcc99",
    "subject": {"kind": "memory", "id": _ID},
    "label": "Acme pays on net-30 terms",
    "action": "promote",
    "actor": "anna",
    "actor_kind": "person",
    "at": "2026-03-01T12:00:00Z",
    "rationale": "",
    "before": {"status": "candidate"},
    "after": {"status": "confirmed"},
    "batch": "01a1fe2a-8871-7655-8ec1-882eaaefcc98",
    "undoes": None,
}
EVIDENCE_ENTRY: dict[str, Any] = {
    "id": "01a1fe2a-8871-7655-8ec1-882eaaefcc97",
    "occasion": f"episode:{_ID}",
    "episode_id": _ID,
    "event_id": None,
    "kind": "reinforced",
    "outcome": "success",
    "delta": 0.1,
    "at": "2026-03-01T12:00:00Z",
    "snapshot": "The parcel arrived broken, I want my money back.",
}
RELATION: dict[str, Any] = {
    "source": _ID,
    "predicate": "derived_from",
    "target": "01a1fe2a-8871-7655-8ec1-882eaaefcc96",
    "weight": 1.0,
}
