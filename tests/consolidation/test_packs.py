"""A pack carries what one scope knows to another: chosen on a page, previewed, brought in for people to decide on."""

import io
import json
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from consolidation import run_queue
from consolidation.models import ImportFile
from consolidation.packs import making
from consolidation.packs.bringing_in import read
from memories.models import Memory, Passage
from memories.transfer.sqlite_file import Unreadable
from memories.values.choices import Sensitivity
from memories.values.trust import everything
from memos_site import review
from skills import importing
from skills.models import Skill
from tests.make import ANNA, AT, caller, make_memory, make_skill
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
HERE, THERE = "project:shop", "project:new"
TERMS, TONE = "Acme pays on net-30 terms", "Write short letters"
RUN = {
    "source_type": "episode",
    "source_id": "01a226e7-c7d5-72da-b55b-859e30d9d4f8",
    "timestamp": "2026-03-01T12:00:00Z",
}
MANIFEST = {
    "kind": "memos-pack",
    "version": 1,
    "name": "refunds",
    "scope": HERE,
    "made_by": "anna",
    "made_at": "2026-01-01T00:00:00Z",
}


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_queue, "async_task", lambda _task: None)


def known() -> list[Memory]:
    told: dict[str, Any] = {"scope": HERE, "status": "confirmed", "confidence": 90}
    return [
        make_memory(TERMS, key="acme-terms", category="fact", payload={"kind": "semantic", "evidence": [RUN]}, **told),
        make_memory(TONE, category="preference", **told),
    ]


def made(client: Any = None, **asked: Any) -> bytes:
    body = {"name": "refunds", "scope": HERE, **asked}
    answer = (client or caller(permissions=["review"])).post("/api/v1/packs", body, format="json")
    assert answer.status_code == 200, answer.content
    return bytes(answer.content)


def test_the_page_names_the_scopes_that_have_something_to_pack_and_only_those_that_its_reader_may_see() -> None:
    known()
    make_skill(scope=HERE)
    make_skill("cancel-flight", scope=HERE)
    make_memory("Only a candidate", scope=THERE)
    make_memory("Secret", scope="project:secret", status="confirmed", sensitivity=Sensitivity.HYPER)
    page = signed_in().get("/packs/").content.decode()
    assert f'<a href="?scope={HERE.replace(":", "%3A")}">{HERE}</a>' in page
    assert "2 memories\n" in page and "2 skills\n" in page
    assert THERE not in page and "project:secret" not in page
    assert "No confirmed memory or published skill" not in page


def zipped(**files: Any) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, value in files.items():
            text = value if isinstance(value, str | bytes) else json.dumps(value)
            archive.writestr(name.replace("__", "/").replace("_json", ".json"), text)
    return content.getvalue()


def brought_in(content: bytes, client: Client | None = None, scope: str = THERE) -> str:
    """What the page says of it in the end; upload, preview, run."""
    client = client or signed_in()
    file = SimpleUploadedFile("refunds.zip", content)
    page = client.post("/import/", {"file": file, "format": "pack", "status": "keep", "scope": scope}, follow=True)
    assert page.status_code == 200, page.content
    stored = ImportFile.objects.order_by("created_at").last()
    assert stored
    client.post(f"/import/{stored.pk}/start/")
    run_queue.work()
    stored.refresh_from_db()
    assert stored.run and stored.run.status == "succeeded", stored.run and stored.run.error
    return json.dumps(stored.summary["counts"])


def test_what_one_scope_knows_waits_in_another_and_says_where_it_comes_from() -> None:
    known()
    make_skill("refund-payment", scope=HERE)
    anna = signed_in()
    content = made()
    assert brought_in(content, anna) == '[["imported", 3]]'
    rows = Memory.objects.filter(scope=THERE)
    assert set(rows.values_list("content", "status", "origin")) == {
        (TERMS, "candidate", "imported"),
        (TONE, "candidate", "imported"),
        ("Books a flight", "candidate", "imported"),
    }
    for row in rows:
        [source] = row.provenance["sources"]
        assert (source["kind"], source["ref"], source["scope"]) == ("pack", "refunds", HERE)
    terms = rows.get(key="acme-terms")
    assert (terms.category, terms.confidence < 90, terms.times_confirmed) == ("fact", True, 0)
    skill = Skill.objects.get(scope=THERE)
    assert (skill.name, skill.published, skill.proposed is not None) == ("refund-payment", None, True)
    assert skill.proposed and skill.proposed.changelog.startswith(f"From the pack refunds of {HERE}, made by ")
    assert "refunds" in anna.get(f"/memories/{terms.pk}/").content.decode()
    assert brought_in(content, anna) == '[["known", 3]]'  # twice changes nothing
    assert rows.count() == 3


def test_a_pack_is_also_a_plugin_and_holds_no_run_and_no_number() -> None:
    known()
    make_skill("refund-payment", scope=HERE)
    with zipfile.ZipFile(io.BytesIO(made(description="Refunds"))) as archive:
        assert sorted(archive.namelist()) == [
            ".claude-plugin/plugin.json",
            "gemini-extension.json",
            "memories.jsonl",
            "pack.json",
            "skills/refund-payment/SKILL.md",
        ]
        assert json.loads(archive.read(".claude-plugin/plugin.json"))["description"] == "Refunds"
        lines = [json.loads(line) for line in archive.read("memories.jsonl").splitlines()]
    assert {line["content"] for line in lines} == {TERMS, TONE}
    assert not {"evidence", "sources", "thread_id", "confidence"} & {name for line in lines for name in line}
    assert RUN["source_id"] not in json.dumps(lines)


def test_only_what_is_chosen_and_seen_goes_in() -> None:
    terms, _tone = known()
    make_memory("Only a guess", scope=HERE)
    make_memory("Of another scope", scope="project:b", status="confirmed")
    make_skill("draft", scope=HERE, published=False)
    assert len(read(made()).lines) == 2
    assert [line["content"] for line in read(made(memories=[str(terms.pk)], skills=[])).lines] == [TERMS]
    client = caller(permissions=["review"])
    refused = client.post("/api/v1/packs", {"name": "x", "scope": HERE, "skills": ["draft"]}, format="json")
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/skills")
    other = caller(permissions=["review"], scopes=["project:b"])
    refused = other.post("/api/v1/packs", {"name": "x", "scope": HERE}, format="json")
    assert (refused.status_code, "nothing to pack" in refused.json()["detail"]) == (400, True)
    assert client.post("/api/v1/packs", {"name": "No Name", "scope": HERE}, format="json").status_code == 400


def test_what_people_dismissed_there_stays_dismissed() -> None:
    known()
    make_skill("refund-payment", scope=HERE)
    here = make_memory(TERMS, scope=THERE, key="acme-terms", category="fact")
    skill = make_skill("refund-payment", scope=THERE)
    for memory in (here, skill.memory):
        memory.dismiss(by=ANNA, at=AT, why="wrong")
    assert brought_in(made()) == '[["imported", 1], ["suppressed", 2]]'
    assert set(Memory.objects.filter(scope=THERE).values_list("content", "status")) == {
        (TERMS, "dismissed"),
        ("Books a flight", "dismissed"),
        (TONE, "candidate"),
    }


def test_a_pack_decides_nothing_whatever_its_lines_say() -> None:
    line = {"kind": "memory", "type": "semantic", "content": TERMS, "source": "x", "category": "fact"}
    sure = {**line, "status": "applied", "confidence": 100, "times_confirmed": 900}
    lines = [sure, {**line, "content": TONE, "status": "dismissed"}]
    content = zipped(pack_json=MANIFEST, **{"memories.jsonl": "\n".join(map(json.dumps, lines))})
    assert brought_in(content, signed_in(group="administrator")) == '[["imported", 2]]'
    assert set(Memory.objects.values_list("status", "times_confirmed")) == {("candidate", 0)}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"no zip", "not a readable zip file"),
        (zipped(readme="x"), "holds no pack.json"),
        (zipped(pack_json={"kind": "other"}), "does not say that it is a memos-pack"),
        (zipped(pack_json={**MANIFEST, "version": 2}), "version 2, and version 1 is read here"),
        (zipped(pack_json="{"), "pack.json: not JSON"),
        (zipped(pack_json=MANIFEST, **{"memories.jsonl": '{"kind": "episode"}'}), "line 1: a pack holds nothing but"),
        (zipped(pack_json=MANIFEST, **{"../../etc/passwd": "x"}), "in the path"),
        (zipped(pack_json=MANIFEST, big=b" " * 30_000_000), "is larger than"),
    ],
)
def test_what_is_no_pack_is_refused_in_words_and_nothing_comes_in(content: bytes, says: str) -> None:
    with pytest.raises(Unreadable, match="pack"):
        read(content)
    file = SimpleUploadedFile("pack.zip", content)
    answer = signed_in().post("/import/", {"file": file, "format": "pack", "status": "keep"})
    if len(content) < 20_000_000:
        assert (answer.status_code, says in answer.content.decode()) == (400, True)
    assert not ImportFile.objects.exists()


def test_a_skill_that_is_none_fails_alone() -> None:
    fine = {"skills/fine/SKILL.md": "---\nname: fine\ndescription: Does it\n---\n"}
    content = zipped(pack_json=MANIFEST, skills__broken__notes="x", **fine)
    assert brought_in(content) == '[["imported", 1], ["failed", 1]]'
    assert Skill.objects.get().name == "fine"


def publish_files(name: str, files: dict[str, bytes]) -> None:
    text = f"---\nname: {name}\ndescription: Does {name}\n---\n".encode()
    trust = everything(ANNA)
    prepared = importing.prepare(importing.read({"SKILL.md": text, **files}), scope=HERE, trust=trust)
    version = importing.record(prepared, trust=trust, at=AT).version
    assert version
    review.decide(trust, version.skill_id, "promote", at=AT)


def test_files_that_repeat_themselves_come_in_again_and_more_than_comes_in_is_not_packed() -> None:
    half = b"".join(Random(number).randbytes(32) + b"0" * 1_500 for number in range(6_000))  # no bomb
    for name in ("one", "two"):
        publish_files(name, {"assets/zeros.csv": b"0" * 2_000_000, "assets/more.bin": half})
    client = caller(permissions=["review"])
    one = client.post("/api/v1/packs", {"name": "refunds", "scope": HERE, "skills": ["one"]}, format="json")
    assert [*read(one.content).skills] == ["one"]
    both = client.post("/api/v1/packs", {"name": "refunds", "scope": HERE}, format="json")
    assert (both.status_code, both.json()["detail"]) == (400, "more than 20 MiB when expanded")


def test_a_pack_of_many_skills_takes_no_more_statements_than_one_of_few() -> None:
    def contents(n: int) -> int:
        with CaptureQueriesContext(connection) as statements:
            chosen = making.chosen(HERE, everything(ANNA), at=AT, memories=None, skills=None)
        assert len(chosen.versions) == n
        return len(statements)

    make_skill("one", scope=HERE)
    few = contents(1)
    make_skill("two", scope=HERE)
    make_skill("three", scope=HERE)
    assert contents(3) == few


def test_on_the_page_one_searches_chooses_sees_what_an_agent_gets_and_downloads() -> None:
    terms, tone = known()
    Passage.objects.rewrite(tone)
    make_skill("refund-payment", scope=HERE)
    anna = signed_in()
    found = anna.get("/packs/", {"scope": HERE, "q": "letters"}).content.decode()
    assert (TONE in found, TERMS in found, "What an agent gets" in found) == (True, False, False)
    chosen = {"scope": HERE, "q": "letters", "memory": [str(terms.pk), "x"], "skill": "refund-payment"}
    page = anna.post("/packs/", chosen).content.decode()
    assert f"- {TERMS}\n\nSkills that it can load:\n- refund-payment: Books a flight" in page
    answer = anna.post("/packs/download/", {**chosen, "name": "refunds"})
    assert answer["Content-Disposition"] == 'attachment; filename="refunds.zip"'
    pack = read(answer.content)
    assert ([line["content"] for line in pack.lines], [*pack.skills]) == ([TERMS], ["refund-payment"])
    wrong = anna.post("/packs/download/", {**chosen, "name": "No Name!"})
    assert (wrong.status_code, "must be small letters" in wrong.content.decode().lower()) == (400, True)


def test_nobody_packs_what_they_may_not_see() -> None:
    terms, _tone = known()
    skill = make_skill("refund-payment", scope=HERE)
    Memory.objects.filter(pk__in=[terms.pk, skill.pk]).update(sensitivity=Sensitivity.HYPER)
    vera = signed_in("vera", group="viewer")
    asked = {"scope": HERE, "memory": str(terms.pk), "skill": "refund-payment", "name": "x"}
    for page in (vera.get("/packs/", asked), vera.post("/packs/download/", asked)):
        assert [word in page.content.decode() for word in (TERMS, "Books a flight", TONE)] == [False, False, True]
    assert page.status_code == 400
    pack = read(made(caller(permissions=["review"])))
    assert ([line["content"] for line in pack.lines], pack.skills) == ([TONE], {})


def test_the_command_tells_what_would_come_in_and_brings_it_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known()
    path = tmp_path / "refunds.zip"
    path.write_bytes(made())
    call_command("import_pack", path, scope=THERE, dry_run=True)
    assert (TERMS in capsys.readouterr().out, Memory.objects.filter(scope=THERE).count()) == (True, 0)
    call_command("import_pack", path, scope=THERE)
    assert Memory.objects.filter(scope=THERE, status="candidate").count() == 2
    path.write_bytes(b"x")
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_pack", path)
