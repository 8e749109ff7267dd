"""What agents and people take out: within their trust, safe for spreadsheets; skills as folders."""

import csv
import io
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memories.models import Memory
from memories.values.choices import Sensitivity
from skills.models import SkillVersion
from tests.make import bytes_of, caller, make_memory, make_run, make_skill
from tests.memories.storing import store as store_claim
from tests.pages import signed_in

pytestmark = pytest.mark.django_db


def test_an_agent_gets_the_lines_that_it_may_see_and_no_others() -> None:
    make_memory("seen")
    make_memory("of the scope", scope="project:a")
    make_memory("of another scope", scope="project:b")
    make_memory("too secret", sensitivity=Sensitivity.HYPER)
    make_run(scope="project:a")
    answer = caller(scopes=["project:a"]).get("/api/v1/export")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/x-ndjson")
    lines = [json.loads(line) for line in bytes_of(answer).splitlines()]
    assert [line["content"] for line in lines] == ["Book a flight", "seen", "of the scope"]
    assert Memory.objects.filter(times_used__gt=0).count() == 0
    one = caller().get("/api/v1/export?scope=project:b")
    assert [json.loads(line)["content"] for line in bytes_of(one).splitlines()] == ["of another scope"]


def test_an_export_says_nothing_of_episodes_that_the_caller_may_not_see() -> None:
    run = make_run()
    stored = store_claim(episode_id=str(run.pk)).memory
    assert stored is not None
    Memory.objects.filter(pk=run.pk).update(sensitivity=Sensitivity.HYPER)
    text = bytes_of(caller().get("/api/v1/export")).decode()
    assert str(stored.pk) in text
    assert str(run.pk) not in text


def test_an_export_needs_the_permission_to_read() -> None:
    assert caller(permissions=["ingest"]).get("/api/v1/export").status_code == 403
    assert caller().get("/api/v1/export?banana=1").status_code == 400


def test_the_list_as_csv_has_its_filters_and_no_cell_that_computes() -> None:
    texts = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", 'plain, with "quotes"\nand lines', "你好"]
    for text in texts:
        make_memory(text, scope="project:a")
    make_memory("elsewhere", tags=["=a", "b"])
    answer = signed_in().get("/memories/export.csv?scope=project:a")
    assert answer["Content-Disposition"] == 'attachment; filename="memories.csv"'
    rows = list(csv.DictReader(io.StringIO(bytes_of(answer).decode("utf-8-sig"), newline="")))
    cells = {row["content"] for row in rows}
    assert cells == {"'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\tx", *texts[5:]}
    whole = bytes_of(signed_in("ben").get("/memories/export.csv")).decode()
    assert "'=a, b" in whole


def test_the_list_as_lines_holds_what_the_person_sees() -> None:
    make_memory("seen")
    make_memory("too secret", sensitivity=Sensitivity.HYPER)
    lines = bytes_of(signed_in().get("/memories/export.jsonl")).splitlines()
    assert [json.loads(line)["content"] for line in lines] == ["seen"]


@pytest.mark.parametrize("command", ["export_skills", "export_skill"])
def test_published_skills_become_folders(command: str, tmp_path: Path) -> None:
    make_skill("book-flight")
    make_skill("not-yet", published=False)
    (tmp_path / "mine").mkdir()
    out = StringIO()
    call_command(command, tmp_path, stdout=out)
    assert out.getvalue() == f"1 skills in {tmp_path}\n"
    assert (tmp_path / "book-flight" / "SKILL.md").read_text() == SkillVersion.objects.get(
        skill__name="book-flight"
    ).skill_md
    assert sorted(path.name for path in tmp_path.iterdir()) == ["book-flight", "mine"]


def test_a_name_in_two_scopes_asks_for_the_scope(tmp_path: Path) -> None:
    make_skill("book-flight", scope="project:a")
    make_skill("book-flight", scope="project:b")
    with pytest.raises(CommandError, match="book-flight is in the scopes 'project:a' and 'project:b'"):
        call_command("export_skills", tmp_path)
    call_command("export_skills", tmp_path, scope="project:b", stdout=StringIO())
    assert (tmp_path / "book-flight" / "SKILL.md").exists()
