"""Import of a Membrane SQLite file: typed records with decay, provenance, relations and counters."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memories.models import AuditEntry, Episode, Memory, Performance, Relation
from tests.transfer.imports import ROWS, Imports, counts, everything_stored
from tests.transfer.sources import membrane, triple

pytestmark = pytest.mark.django_db
Json = dict[str, Any]
AT_CREATION = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.fixture
def imports() -> Imports:
    return Imports("membrane")


def test_records_come_in_and_a_second_import_changes_nothing(imports: Imports, tmp_path: Path) -> None:
    path = membrane(tmp_path / "m.db", [({}, triple(n)) for n in range(ROWS)])
    assert imports(path) == counts(imported=ROWS)
    rows = Memory.objects.filter(scope="project:a", origin="imported", status="candidate", category="fact")
    assert rows.count() == ROWS
    row = rows.get(content="Customer 3 pays within 10 days")
    assert (row.confidence, row.salience, row.payload["object"]) == (70, 0.5, "10 days")
    created = AuditEntry.objects.about("memory", row.pk).get(action="create")
    assert (created.after or {})["imported_from"] == "membrane"
    before = everything_stored()
    assert imports(path) == counts(known=ROWS)
    assert everything_stored() == before


COMPETENCE: Json = {
    "kind": "competence",
    "skill_name": "fix-linker-cache",
    "triggers": [{"signal": "linker error", "conditions": {"os": "linux"}}],
    "recipe": [{"step": "Clear the cache", "tool": "bash", "args_schema": {}, "validation": "exit 0"}],
    "required_tools": ["bash"],
    "performance": {"success_count": 99},
}
PLAN: Json = {
    "kind": "plan_graph",
    "plan_id": "release",
    "intent": "Release a version",
    "nodes": [{"id": "a", "op": "build"}, {"id": "b", "op": "ship"}],
    "edges": [{"from": "a", "to": "b", "kind": "control"}],
}
EPISODE: Json = {
    "kind": "episodic",
    "timeline": [{"t": "2025-01-01T00:00:01Z", "event_kind": "user_input", "ref": "1", "summary": "Build it"}],
    "tool_graph": [
        {"id": "c1", "tool": "bash", "args": {"cmd": "make"}, "result": "ok", "timestamp": "2025-01-01T00:00:02Z"}
    ],
    "outcome": "success",
}


def test_every_type_becomes_what_it_is_here_and_entities_are_told(imports: Imports, tmp_path: Path) -> None:
    working = {"kind": "working", "thread_id": "t1", "state": "executing", "next_actions": ["go on"]}
    records: list[tuple[Json, Json | str]] = [
        ({"type": "competence"}, COMPETENCE),
        ({"type": "plan_graph"}, PLAN),
        ({"type": "working"}, working),
        ({"type": "episodic"}, EPISODE),
        ({"type": "entity"}, {"kind": "entity"}),
    ]
    path = membrane(
        tmp_path / "m.db",
        records,
        competence_stats=[{"record_id": "r0", "success_count": 8, "failure_count": 2}],
        decay_profiles=[{"record_id": "r0", "half_life_seconds": 3600, "pinned": 1, "deletion_policy": "manual_only"}],
        tags=[{"record_id": "r0", "tag": "ci"}],
        provenance_sources=[
            {
                "record_id": "r0",
                "kind": "event",
                "ref": "e1",
                "created_by": "builder",
                "timestamp": "2025-01-01T00:00:00Z",
            }
        ],
        audit_log=[{"record_id": "r0", "action": "create", "actor": "builder", "rationale": "seen"}],
    )
    assert imports(path) == counts(imported=4, left_out=1)
    assert imports.errors == "memory_records r4: entities are not imported: claims about them are\n"
    skill = Memory.objects.get(type="competence")
    assert (skill.key, skill.status, skill.tags, skill.source) == ("fix-linker-cache", "candidate", ["ci"], "builder")
    assert (skill.half_life, skill.pinned, skill.deletion_policy) == (3600, True, "manual_only")
    assert "performance" not in skill.payload
    assert [source["kind"] for source in skill.provenance["sources"]] == ["event", "audit"]
    assert Performance.objects.values_list("successes", "failures").get() == (8, 2)
    assert Memory.objects.get(type="plan_graph").payload["edges"] == PLAN["edges"]
    assert Memory.objects.get(type="working").status == "confirmed"
    episode = Episode.objects.get()
    assert (episode.outcome, [event.kind for event in episode.events.all()]) == ("success", ["user_input", "tool_call"])


def test_what_was_contested_retracted_or_superseded_there_is_so_here(imports: Imports, tmp_path: Path) -> None:
    revisions = ({"status": "contested"}, {"status": "retracted"}, {"superseded_by": "r9", "status": "active"})
    path = membrane(tmp_path / "m.db", [({}, triple(n, revision=one)) for n, one in enumerate(revisions)])
    assert imports(path) == counts(imported=3)
    assert list(Memory.objects.order_by("content").values_list("status", flat=True)) == [
        "contested",
        "retracted",
        "superseded",
    ]


def test_relations_come_along_once_their_ends_are_here(imports: Imports, tmp_path: Path) -> None:
    relations = [
        {"source_id": "r1", "predicate": "supports", "target_id": "r0", "weight": 0.5},
        {"source_id": "r1", "predicate": "supports", "target_id": "r7", "weight": 1.0},
        {"source_id": "r1", "predicate": "supports", "target_id": "r2", "weight": 1.0},
    ]
    records: list[tuple[Json, Json | str]] = [({}, triple(0)), ({}, triple(1)), ({"scope": "project:b"}, triple(2))]
    path = membrane(tmp_path / "m.db", records, relations=relations)
    assert imports(path, dry_run=True) == f"{counts(imported=5, left_out=1)}; nothing was kept: a preview"
    assert imports(path) == counts(imported=4, left_out=2)
    assert Relation.objects.values_list("predicate", "weight").get() == ("supports", 0.5)
    assert imports(path) == counts(known=4, left_out=2)


def test_a_salience_above_one_is_one_and_a_time_that_go_left_unset_is_none(imports: Imports, tmp_path: Path) -> None:
    node = {"id": "c1", "tool": "bash", "timestamp": "0001-01-01T00:00:00Z"}
    path = membrane(
        tmp_path / "m.db", [({"salience": 2.5}, triple(0)), ({"type": "episodic"}, EPISODE | {"tool_graph": [node]})]
    )
    assert imports(path) == counts(imported=2)
    assert Memory.objects.get(type="semantic").salience == 1
    assert Episode.objects.get().events.get(tool="bash").at == AT_CREATION


@pytest.mark.parametrize(
    ("columns", "payload", "error"),
    [
        ({"confidence": 7}, triple(0), "confidence: must be from 0 to 1"),
        (
            {"type": "banana"},
            triple(0),
            "type: must be one of episodic, working, semantic",
        ),
        ({"sensitivity": "x"}, triple(0), "sensitivity: must be one of public, low, medium, high, hyper"),
        ({"scope": "a b"}, triple(0), "scope: letters, digits and . _ : @ + - only"),
        ({"created_at": "soon"}, triple(0), "created_at: must be a time: unix seconds, or ISO 8601"),
        ({}, "{", "payload_json: not JSON"),
        ({}, "[1]", "payload_json: must be a JSON object"),
        ({}, '{"subject": "a\\u0000"}', "payload_json: a NUL character cannot be stored"),
        ({}, triple(0, validity={"mode": "timeboxed"}), "payload.validity: a timeboxed fact needs a start or an end"),
        ({}, triple(0, subject=5.5), "subject: must be a text"),
        ({}, triple(0, kind="plan_graph"), "payload.kind: must be semantic"),
        ({"type": "competence"}, COMPETENCE | {"triggers": 5}, "payload.triggers: Input should be a valid list"),
        (
            {"type": "plan_graph"},
            PLAN | {"edges": [{"from": "b", "to": "b"}]},
            "payload.edges[0].to: a node cannot come after itself",
        ),
    ],
)
def test_a_bad_record_is_told_with_its_field_and_the_others_come_in(
    imports: Imports, tmp_path: Path, columns: Json, payload: Json | str, error: str
) -> None:
    path = membrane(tmp_path / "m.db", [({}, triple(7)), (columns, payload), ({}, triple(8))])
    assert imports(path) == f"exit 1: {counts(imported=2, failed=1)}"
    assert imports.errors.startswith(f"memory_records r1: {error}")
    assert Memory.objects.count() == 2
