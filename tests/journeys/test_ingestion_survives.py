"""Processes that bring in the same at the same instant, and one that is killed while it imports: everything once."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.dying import Moment, die
from tests.journeys.forking import Forking
from tests.make import run, user
from tests.memos_site.processes import until

pytestmark = pytest.mark.slow

LINES, CALLERS, ROUNDS = 180, 3, 30

# When it dies: everything written and not committed; committed; between two groups.
MOMENTS = {
    "first-group-written": Moment("memories.models.passage", "write", 0, done=True),
    "second-group-written": Moment("memories.models.passage", "write", 1, done=True),
    "second-group-committed": Moment("memories.intake.episodes", "conversations", 2),
}
TOTALS = """
import json
from memories.models import AuditEntry, Episode, Event, Memory, Passage
within = {{"scope": {scope!r}}}
rows = [
    Memory.objects.filter(**within), Episode.objects.filter(**within), Event.objects.filter(episode__scope={scope!r}),
    Passage.objects.filter(**within), AuditEntry.objects.filter(**within),
]
print(json.dumps([each.count() for each in rows]))
"""
CALLING = """
import pathlib, time
from rest_framework.test import APIClient
client = APIClient(HTTP_HOST="localhost")
client.credentials(HTTP_AUTHORIZATION="Bearer {token}")
client.get("/api/v1/me")
folder = pathlib.Path({folder!r})
folder.joinpath("ready-{caller}").touch()
began = time.monotonic()
while not folder.joinpath("go").exists():
    assert time.monotonic() < began + 240, "nobody said go"
    time.sleep(0.001)
for n in range({rounds}):
    run = {{"source": "a", "id": f"r{{n}}", "messages": [{{"role": "user", "content": "hello"}}]}}
    event = {{"source": "a", "event_kind": "e", "ref": "{caller}", "thread_id": f"t{{n}}"}}
    alone = {{"source": "a", "event_kind": "e", "ref": f"k{{n}}"}}
    seen = {{"source": "a", "subject": f"s{{n}}", "predicate": "is", "object": 1}}
    asked = [("conversations", run, {{}}), ("events", event, {{}}), ("observations", seen, {{}})]
    for path, body, headers in [*asked, ("events", alone, {{"Idempotency-Key": f"k{{n}}"}})]:
        answer = client.post(f"/api/v1/{{path}}", body, format="json", headers=headers)
        assert answer.status_code in (200, 201), answer.content
"""


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lines") / "runs.jsonl"
    told: list[dict[str, Any]] = [run(id=n, messages=[user(f"number {n}"), user("again")]) for n in range(LINES)]
    path.write_text("\n".join(json.dumps(each) for each in told))
    return path


def totals(home: Forking, scope: str) -> list[int]:
    counted: list[int] = json.loads(home.shell(TOTALS.format(scope=scope)).strip().splitlines()[-1])
    return counted


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_import_that_is_killed_and_done_again_is_one_import(home: Forking, lines: Path, moment: str) -> None:
    die(home, MOMENTS[moment], f'call_command("import_conversations", {str(lines)!r}, scope={moment!r})')
    half = totals(home, moment)
    assert half[0] == half[1] == half[4] < LINES
    home.run("import_conversations", str(lines), "--scope", moment)
    assert totals(home, moment) == [LINES, LINES, 2 * LINES, 2 * LINES, LINES]


def test_two_imports_of_one_file_at_once_are_one(home: Forking, lines: Path) -> None:
    both = [home.begin("import_conversations", str(lines), "--scope", "twice") for _ in range(2)]
    said = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert sum(int(one.split()[0]) for one in said) == LINES
    assert totals(home, "twice") == [LINES, LINES, 2 * LINES, 2 * LINES, LINES]


def test_processes_that_say_the_same_at_the_same_instant_say_it_once(home: Forking, tmp_path: Path) -> None:
    token = json.loads(home.run("create_agent", "a", "--json"))["token"]
    told = {"token": token, "folder": str(tmp_path), "rounds": ROUNDS}
    callers = [home.begin("shell", "-v0", "-c", CALLING.format(caller=number, **told)) for number in range(CALLERS)]
    until(lambda: len(list(tmp_path.glob("ready-*"))) == CALLERS, what="all to be ready")
    tmp_path.joinpath("go").touch()
    for process in callers:
        said = process.communicate()
        assert process.returncode == 0, said
    # of each round: the conversation, the thread with an event of each, what was observed, the event with the key
    memories, episodes, events, _, _ = totals(home, "")
    assert (memories, episodes, events) == (4 * ROUNDS, 3 * ROUNDS, (1 + CALLERS + 1) * ROUNDS)
