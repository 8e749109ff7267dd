"""Our own JSON lines: exported, imported into an empty store and exported again they are the same."""

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from consolidation.models.policies import SOURCE
from memories.intake import claims, episodes
from memories.intake.claims import Occasion, Statement
from memories.intake.reports.claims import read, read_teaching
from memories.intake.reports.events import EventReport, WorkingStateReport
from memories.models import Adaptation, Episode, Event, Memory, Passage, Tombstone
from memories.transfer.memos_lines import NO_RULE
from memories.values.choices import Origin, Sensitivity
from memories.values.trust import SYSTEM, everything
from tests.make import ANNA, make_agent, make_memory, make_run
from tests.memories.storing import store as store_claim
from tests.transfer.imports import Imports, counts, everything_stored
from tests.transfer.sources import fact

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]


def exported(path: Path, name: str, **options: Any) -> list[Json]:
    call_command("export_memories", path / name, **options)
    return [json.loads(line) for line in (path / name).read_text().splitlines()]


def empty_store() -> None:
    """As a new installation has it: the trail does not let itself be emptied row by row."""
    tables = ("memories_memory", "memories_auditentry", "memories_tombstone", "memories_importedrow")
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {', '.join(tables)} CASCADE")


def without(lines: list[Json], *names: str) -> list[Json]:
    return [{name: value for name, value in line.items() if name not in names} for line in lines]


def a_store() -> None:
    """Something of every type and status."""
    trust, at = everything(), timezone.now()
    run = make_run(id="run-1", title="Flight to Rome", outcome="success", tags=["travel"], environment={"os": "linux"})
    make_run(messages=[{"role": "system", "content": "You book flights"}, {"role": "user", "content": "你好"}])
    for number in range(3):
        store_claim(fact(number), key=f"k{number}", confidence=70, episode_id=str(run.pk), tags=["a", "b"])
    for key, verb in (("k1", "dismiss"), ("k2", "demote")):
        row = Memory.objects.get(key=key)
        row.dismiss(by=ANNA, why="outdated: moved", at=at) if verb == "dismiss" else row.demote(by=ANNA, at=at)
    claims.teach(read_teaching({"content": "Never send proposals on Fridays", "scope": "team:a"}), trust=trust, at=at)
    window = {"mode": "timeboxed", "start": "2026-01-01T00:00:00Z", "end": "2027-01-01T00:00:00Z"}
    triple = {"subject": "Acme", "predicate": "pays", "object": {"days": 30}, "validity": window}
    typed: list[Json] = [
        {"type": "semantic", "category": "fact", "payload": triple},
        {"type": "competence", "payload": {"skill_name": "pack", "recipe": [{"step": "Fold", "tool": "fold"}]}},
        {"type": "plan_graph", "payload": {"plan_id": "p", "nodes": [{"id": "a"}, {"id": "b"}], "edges": []}},
    ]
    for body in typed:
        claims.store(read({"source": "P01", "sensitivity": "medium", **body}), trust=trust, at=at)
    state = WorkingStateReport(source="P01", thread_id="t", state="waiting", next_actions=["ask"])
    episodes.working_state(state, trust=trust, at=at)
    event = EventReport(source="triage", event_kind="run", ref="1", thread_id="t", context={"company": "Acme"})
    episodes.record_events([event], trust=trust, at=at)
    Episode.objects.filter(closed_at=None).update(closed_at=at)
    found = Statement("Acme reports weekly on Mondays", "weekly", "", "rule", 30, origin=Origin.DETECTED)
    occasion = Occasion.episode(UUID(str(run.pk)), at=at)
    old = claims.remember(found, occasions=[occasion], by=SYSTEM, at=at).memory
    new = Memory.objects.get(key="k0")
    assert old is not None
    old.relations.create(predicate="supports", target=new, weight=0.25)
    request = Event.objects.select_related("episode__memory").filter(episode=run.pk).earliest("position")
    Passage.objects.write_request(new, request)
    Passage.objects.add_requests(new, [("How many orders did we sell?", None)])


@pytest.fixture
def full_store() -> Iterator[None]:
    a_store()
    yield
    empty_store()


@pytest.mark.usefixtures("full_store")
def test_lines_come_back_exactly_from_an_empty_store(tmp_path: Path) -> None:
    first = exported(tmp_path, "1.jsonl")
    assert {line["kind"] for line in first} == {"memory", "episode", "relation"}
    assert {line.get("status") for line in first} >= {"candidate", "confirmed", "dismissed"}
    empty_store()
    assert Imports("memos")(tmp_path / "1.jsonl") == counts(imported=len(first))
    second = exported(tmp_path, "2.jsonl")
    assert without(second, "origin", "hold") == without(first, "origin", "hold")
    assert {(line["origin"], line.get("hold", "")) for line in second if line["kind"] == "memory"} == {("imported", "")}
    empty_store()
    Imports("memos")(tmp_path / "2.jsonl")
    exported(tmp_path, "3.jsonl")
    assert (tmp_path / "3.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()


def test_an_export_of_one_scope_holds_the_relations_within_it(tmp_path: Path) -> None:
    old, new, elsewhere = (make_memory(scope=scope) for scope in ("project:shop", "project:shop", "project:other"))
    for target in (old, elsewhere):
        new.relations.create(predicate="supersedes", target=target)
    lines = exported(tmp_path, "shop.jsonl", scope="project:shop")
    assert [line["target"] for line in lines if line["kind"] == "relation"] == [str(old.pk)]


def test_evidence_leads_to_an_episode_that_came_after_its_memory(tmp_path: Path) -> None:
    store_claim(fact(1), key="k")
    store_claim(fact(2), key="d")
    Memory.objects.get(key="d").dismiss(by=ANNA, why="wrong", at=timezone.now())
    run = make_run(id="run-1", outcome="success")
    memory = store_claim(fact(1), key="k", episode_id=str(run.pk)).memory
    assert memory is not None and memory.pk < run.pk
    exported(tmp_path, "1.jsonl")
    empty_store()
    Imports("memos")(tmp_path / "1.jsonl")
    assert Episode.objects.get().evidence_for.get(memory__key="k").kind == "reinforced"
    empty_store()


def lines_of(memory: Memory, path: Path) -> list[Json]:
    [line] = [line for line in exported(path, "requests.jsonl") if line["id"] == str(memory.pk)]
    return list(line.get("requests", []))


def test_a_request_comes_back_with_its_event_and_none_of_a_run_that_is_more_secret_now(tmp_path: Path) -> None:
    run, memory = make_run(), make_memory()
    event = Event.objects.select_related("episode__memory").filter(episode=run.pk).earliest("position")
    Passage.objects.write_request(memory, event)
    assert lines_of(memory, tmp_path) == [{"text": event.text, "episode": str(run.pk), "position": event.position}]
    empty_store()
    Imports("memos")(tmp_path / "requests.jsonl")
    assert memory.passages.requests().get().event_id == Event.objects.get(text=event.text).pk
    Memory.objects.filter(pk=run.pk).update(sensitivity=Sensitivity.HIGH)
    assert lines_of(memory, tmp_path) == []
    empty_store()


def test_a_conversation_that_is_posted_again_after_the_import_is_known(tmp_path: Path) -> None:
    make_run(id="run-1")
    exported(tmp_path, "1.jsonl")
    empty_store()
    Imports("memos")(tmp_path / "1.jsonl")
    again = make_run(id="run-1", outcome="success")
    assert Episode.objects.values_list("pk", "outcome").get() == (again.pk, "success")
    empty_store()


@pytest.mark.usefixtures("full_store")
def test_a_second_import_and_one_into_the_store_itself_change_nothing(tmp_path: Path) -> None:
    lines = exported(tmp_path, "1.jsonl")
    imports = Imports("memos")
    before = everything_stored()[:-1]
    assert imports(tmp_path / "1.jsonl") == counts(known=len(lines))
    assert everything_stored()[:-1] == before
    empty_store()
    imports(tmp_path / "1.jsonl")
    before = everything_stored()
    assert imports(tmp_path / "1.jsonl") == counts(known=len(lines))
    assert everything_stored() == before


@pytest.mark.usefixtures("full_store")
def test_dismissals_come_along_with_their_reason_and_hold(tmp_path: Path) -> None:
    exported(tmp_path, "1.jsonl")
    empty_store()
    Imports("memos")(tmp_path / "1.jsonl")
    assert Tombstone.objects.values_list("reason", "blocks").get() == ("outdated: moved", True)
    assert store_claim(fact(1), key="another").suppressed


@pytest.mark.usefixtures("full_store")
def test_an_applied_line_is_applied_for_an_administrator_only(tmp_path: Path) -> None:
    taught = Memory.objects.get(scope="team:a")
    taught.promote(by=ANNA, at=timezone.now(), to="applied")  # type: ignore[arg-type]
    exported(tmp_path, "1.jsonl", scope="team:a")
    for options, status, active in (({}, "confirmed", 0), ({"apply": True}, "applied", 1)):
        empty_store()
        Imports("memos")(tmp_path / "1.jsonl", **options)
        row = Memory.objects.get()
        assert (row.status, row.hold, row.origin, Adaptation.objects.active().count()) == (
            status,
            "",
            "imported",
            active,
        )


@pytest.mark.usefixtures("full_store")
def test_an_export_holds_what_is_asked_for(tmp_path: Path) -> None:
    assert {line["scope"] for line in exported(tmp_path, "1.jsonl", scope="team:a")} == {"team:a"}
    low = exported(tmp_path, "2.jsonl", clearance="low")
    assert {line["sensitivity"] for line in low if line["kind"] != "relation"} == {"low"}
    out = StringIO()
    call_command("export_memories", stdout=out)
    exported(tmp_path, "3.jsonl")
    assert out.getvalue() == (tmp_path / "3.jsonl").read_text()


@pytest.mark.usefixtures("full_store")
def test_an_export_takes_the_place_of_no_pipe_and_no_link(tmp_path: Path) -> None:
    pipe, link, file = (tmp_path / name for name in ("pipe", "link", "file"))
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        text = reader.submit(pipe.read_text)
        call_command("export_memories", pipe)
        assert text.result().count("\n") > 1 and pipe.is_fifo()
    file.touch()
    link.symlink_to(file)
    call_command("export_memories", link)
    assert link.is_symlink() and file.read_text() == text.result()


@pytest.mark.usefixtures("full_store")
def test_an_export_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "replace", lambda *_: os.close(-1))
    with pytest.raises(CommandError, match="Bad file descriptor"):
        call_command("export_memories", tmp_path / "file")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"kind": "banana"}, "kind: must be one of memory, episode, relation"),
        ({"id": "5"}, "id: "),
        ({"status": "applied!"}, "status: must be one of candidate, confirmed"),
        ({"curve": {"half_life": 0}}, "curve.half_life: "),
        ({"curve": {"salience": 7}}, "curve.salience: "),
        ({"payload": {"kind": "semantic", "validity": 5}}, "payload.validity: "),
        ({"evidence": [{"occasion": "x"}]}, "evidence[0].kind: is required"),
        ({"type": "episodic"}, "type: must be one of semantic, competence, plan_graph, working"),
        ({"created_at": "0001-01-01T00:00:00Z"}, "created_at: must be a time with its zone"),
        ({"banana": 1}, "banana: "),
    ],
)
def test_a_bad_line_is_told_with_its_field(tmp_path: Path, change: Json, error: str) -> None:
    plain = {"kind": "memory", "id": "0198c2f0-5f0e-7a52-9d0c-3c1f5a1b7e11", "content": fact(1), "source": "P01"}
    path = tmp_path / "lines.jsonl"
    path.write_text(json.dumps(plain | change) + "\n")
    imports = Imports("memos")
    assert imports(path) == f"exit 1: {counts(failed=1)}"
    assert error in imports.errors
    assert not Memory.objects.exists()


def test_an_imported_policy_tells_that_its_rule_is_not_in_the_file(tmp_path: Path) -> None:
    line = {"kind": "memory", "source": SOURCE, "origin": "consolidated", "content": "Look at an order before a refund"}
    (tmp_path / "a").write_text(f"{json.dumps(line)}\n{json.dumps({**line, 'source': 'P01', 'content': 'Ask'})}\n")
    imports = Imports("memos")
    assert imports(tmp_path / "a") == counts(imported=2)
    assert imports.errors == f"line 1: {NO_RULE}\n"
    assert imports(tmp_path / "a") == counts(known=2)
    assert imports.errors == ""


def test_the_id_of_a_memory_that_was_here_is_not_taken_again(tmp_path: Path) -> None:
    trust = make_agent()[0].trust
    forgotten = store_claim(fact(5), key="k", trust=trust).memory
    assert forgotten is not None
    line = {"kind": "memory", "id": str(forgotten.pk), "content": fact(1), "source": "P01"}
    from memories import lifecycle

    lifecycle.forget(forgotten, trust=everything(), at=timezone.now(), why="")
    path = tmp_path / "lines.jsonl"
    path.write_text(json.dumps(line) + "\n")
    assert Imports("memos")(path) == counts(imported=1)
    assert Memory.objects.get().pk != forgotten.pk
    empty_store()
