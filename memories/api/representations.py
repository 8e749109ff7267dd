"""Memories, episodes and events as the API shows them: exact names, sensitivity by name, salience as of now."""

from datetime import datetime
from typing import Any

from memories.intake.episodes.dependencies import resolve
from memories.models import Episode, Event, Memory, Performance
from memories.values import links
from memories.values.choices import Sensitivity, Status, Type
from memories.values.field_errors import normalize_instant
from memories.values.trust import Trust

TIMELINE_AT_MOST = 1_000
OUTCOME_CONFIDENCE = 85
# What answers a write that met what its caller may not see.
NOTHING = {"memory": None, "created": False, "reinforced": False, "suppressed": False, "notice": "accepted"}
NO_EPISODE = {"episode": None, "run": None, "notice": "accepted"}
FIRST_VERSION = 1  # of a competence that nobody gave a number, until a version of its skill is published


def memory(row: Memory, *, at: datetime, events: list[Event] | None = None) -> dict[str, Any]:
    """`events`: of an episode, those that its timeline shows; None leaves the timeline out, as lists do."""
    return {
        "id": row.pk,
        "type": row.type,
        "scope": row.scope,
        "key": row.key,
        "category": row.category,
        "content": row.content,
        "payload": _payload(row, events),
        "source": row.source,
        "origin": row.origin,
        "thread_id": row.thread_id,
        "company_id": row.company_id,
        "tags": row.tags,
        "sensitivity": Sensitivity(row.sensitivity).label,
        "confidence": row.confidence,
        "status": row.status,
        "salience": row.salience_on(at),
        "lifecycle": _lifecycle(row),
        "times_used": row.times_used,
        "times_confirmed": row.times_confirmed,
        "last_used_at": row.last_used_at,
        "expires_at": row.expires_at,
        "provenance": {"sources": _sources(row, events), "created_by": row.created_by},
        "flags": row.flags,
        "version": row.version,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }


def stub(row: Memory, *, at: datetime) -> dict[str, Any]:
    """The redacted view: that it is there, and nothing of what it says or where it comes from."""
    return {
        "id": row.pk,
        "type": row.type,
        "sensitivity": Sensitivity(row.sensitivity).label,
        "confidence": row.confidence,
        "salience": row.salience_on(at),
        "scope": row.scope,
        "tags": row.tags,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "redacted": True,
    }


def _sources(row: Memory, events: list[Event] | None) -> list[dict[str, Any]]:
    """Where it comes from; an episode's are its events (those at hand) and its outcome."""
    if row.type != Type.EPISODIC:
        return [_dated(source) for source in row.provenance.get("sources", [])]
    sources: list[dict[str, Any]] = [
        {
            "kind": "tool_call" if event.kind == "tool_call" else "event",
            "ref": event.node_id if event.kind == "tool_call" else event.ref,
            "created_by": event.actor or row.source,
            "timestamp": event.at,
        }
        for event in events or []
    ]
    episode = row.episode
    if episode.outcome:
        ref = f"outcome:{row.pk}:{episode.outcome}"
        said: dict[str, Any] = {"kind": "outcome", "ref": ref, "confidence": OUTCOME_CONFIDENCE}
        by = {"created_by": episode.outcome_by, "timestamp": episode.outcome_at}
        sources.append({**said, **by, **episode.outcome_details})
    return sources


def _lifecycle(row: Memory) -> dict[str, Any]:
    return {
        "curve": "exponential",
        "half_life_seconds": row.half_life,
        "min_salience": row.min_salience,
        "reinforcement_gain": row.reinforcement_gain,
        "max_age_seconds": row.max_age,
        "last_reinforced_at": row.last_reinforced_at,
        "pinned": row.pinned,
        "deletion_policy": row.deletion_policy,
        "fades_at": row.fades_at,
    }


def _payload(row: Memory, events: list[Event] | None) -> dict[str, Any]:
    if row.type == Type.EPISODIC:
        return _episodic(row.episode, events)
    if row.type == Type.COMPETENCE:
        holds = row.status in (Status.CONFIRMED, Status.APPLIED)
        payload = {name: value for name, value in row.payload.items() if holds or name != "skill"}
        if skill := payload.get("skill"):
            url = links.skill_package(skill["name"], skill["version"], scope=row.scope)
            payload["skill"] = {**skill, "url": url}
        counted = {"performance": performance(getattr(row, "performance", None))}
        return {**payload, "version": _version(payload), **counted}
    if row.type == Type.PLAN_GRAPH:
        return {"kind": row.type, **row.payload, "metrics": metrics(getattr(row, "performance", None))}
    payload = {"kind": row.type, **row.payload}
    if "evidence" in payload:
        payload["evidence"] = [_dated(source) for source in payload["evidence"]]
    return payload


def _dated(source: dict[str, Any]) -> dict[str, Any]:
    """A stored source with its time as all others are written; older rows end in `+00:00`."""
    return {**source, "timestamp": normalize_instant(source["timestamp"])} if "timestamp" in source else source


def _version(competence: dict[str, Any]) -> Any:
    """The one that was said, else that of the published skill."""
    said = competence.get("version")
    return competence.get("skill", {}).get("version", FIRST_VERSION) if said is None else said


def _episodic(episode: Episode, events: list[Event] | None) -> dict[str, Any]:
    payload = {
        "kind": Type.EPISODIC.value,
        "title": episode.title,
        "external_id": episode.external_id,
        "event_count": episode.event_count,
        "outcome": episode.outcome,
        "outcome_at": episode.outcome_at,
        "closed_at": episode.closed_at,
        "extract": episode.extract,
        "environment": {name: value for name, value in episode.environment.items() if name != "chat_history"},
        "artifacts": episode.artifacts,
    }
    if events is not None:
        payload["timeline"] = [_entry(event) for event in events]
        payload["tool_graph"] = [_node(event) for event in events if event.kind == "tool_call"]
        payload["truncated"] = len(events) < episode.event_count
    return payload


def _entry(event: Event) -> dict[str, Any]:
    ref = event.node_id if event.kind == "tool_call" else event.ref
    what = f"tool_call: {event.tool}" if event.kind == "tool_call" and event.tool else event.words[:500]
    return {"t": event.at, "event_kind": event.kind, "ref": ref, "summary": event.summary or what}


def _node(event: Event) -> dict[str, Any]:
    return {
        "id": event.node_id,
        "tool": event.tool,
        "args": event.args,
        "result": event.result,
        "timestamp": event.at,
        "depends_on": _dependencies(event),
    }


def _dependencies(event: Event) -> list[str]:
    """By the names of today's nodes; former events name them `n<position>`."""
    return resolve(event.depends_on, event.episode_id, event.position)[0]


def event(row: Event) -> dict[str, Any]:
    return {
        "id": row.pk,
        "position": row.position,
        "node_id": row.node_id,
        "at": row.at,
        "kind": row.kind,
        "role": row.role,
        "actor": row.actor,
        "ref": row.ref,
        "text": row.words,
        "summary": row.summary,
        "tool": row.tool,
        "args": row.args,
        "result": row.result,
        "ok": row.ok,
        "latency_ms": row.latency_ms,
        "depends_on": _dependencies(row),
        "context": row.context,
        "flags": row.flags,
    }


def performance(row: Performance | None) -> dict[str, Any]:
    return {
        "success_count": row.successes if row else 0,
        "failure_count": row.failures if row else 0,
        "partial_count": row.partials if row else 0,
        "success_rate": row.success_rate if row else None,
        "avg_latency_ms": row.avg_latency_ms if row else None,
        "last_used_at": row.last_used_at if row else None,
    }


def metrics(row: Performance | None) -> dict[str, Any]:
    """Of a plan: the same record in the words of plans. `failure_rate` as a share of successes and failures."""
    rate = row.success_rate if row else None
    return {
        "execution_count": row.uses + row.partials if row else 0,
        "failure_rate": None if rate is None else 1 - rate,
        "avg_latency_ms": row.avg_latency_ms if row else None,
        "last_executed_at": row.last_used_at if row else None,
    }


def caller(trust: Trust, *, expires_at: datetime | None) -> dict[str, Any]:
    return {
        "name": trust.actor.name,
        "clearance": Sensitivity(trust.max_sensitivity).label,
        "scopes": sorted(trust.scopes or ()),
        "permissions": sorted(trust.permissions),
        "expires_at": expires_at,
    }
