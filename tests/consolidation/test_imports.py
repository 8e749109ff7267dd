"""The page that imports: an upload, its preview, a run in the background, what came of it."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from consolidation import import_run, run_queue
from consolidation.models import ImportFile, Run, RunStopped
from consolidation.retention import prune_runs
from memories.models import Memory, PersonLimits
from tests.make import make_person
from tests.pages import HTMX, signed_in
from tests.transfer.sources import FOUNDER_OS, database, fact, founder_memory

pytestmark = pytest.mark.django_db


def upload(client: Client, path: Path, *rows: dict[str, Any], **options: Any) -> Any:
    content = database(path / "memory.db", FOUNDER_OS, memories=rows).read_bytes()
    file = SimpleUploadedFile("memory.db", content)
    return client.post("/import/", {"file": file, "format": "founderos", "status": "keep", **options}, follow=True)


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_queue, "async_task", lambda _task: None)


def test_an_upload_is_shown_before_anything_comes_in_and_then_imported_by_a_run(tmp_path: Path) -> None:
    anna = signed_in()
    rows = [founder_memory(1, status="confirmed"), founder_memory(2, confidence="x"), founder_memory(3)]
    page = upload(anna, tmp_path, *rows, scope="team:a")
    text = page.content.decode()
    assert fact(1) in text
    assert "confidence: must be a number" in text
    assert "<td>new</td>" in text and "<td>imported</td>" not in text
    assert not Memory.objects.exists()
    file = ImportFile.objects.get()
    assert file.preview["statuses"] == {"candidate": 1, "confirmed": 1}
    anna.post(f"/import/{file.pk}/start/")
    run = Run.objects.get()
    assert (run.kind, run.status) == ("import", "queued")
    assert "every 2s" in anna.get(f"/import/{file.pk}/", headers=HTMX).content.decode()
    run_queue.work()
    run.refresh_from_db()
    assert (run.status, run.counters, run.done, run.error) == ("succeeded", {"imported": 2, "failed": 1}, 3, "")
    assert set(Memory.objects.values_list("scope", "status", "created_by")) == {
        ("team:a", "confirmed", "anna"),
        ("team:a", "candidate", "anna"),
    }
    assert anna.get(f"/import/{file.pk}/", headers=HTMX)["HX-Refresh"] == "true", "the counts of the rail changed too"
    done = anna.get(f"/import/{file.pk}/").content.decode()
    assert "See what waits for you" in done
    assert "every 2s" not in done and "<td>imported</td>" in done
    file.refresh_from_db()
    assert (bytes(file.content), file.summary["counts"]) == (b"", [["imported", 2], ["failed", 1]])


def test_a_bar_tells_how_much_of_a_file_of_lines_is_imported() -> None:
    anna = signed_in()
    lines = [f'{{"id": "r{n}", "messages": [{{"role": "user", "content": "Refund order {n}"}}]}}' for n in range(301)]
    file = SimpleUploadedFile("runs.jsonl", "\n\n".join(lines).encode())
    anna.post("/import/", {"file": file, "format": "conversations", "status": "keep"})
    uploaded = ImportFile.objects.get()
    anna.post(f"/import/{uploaded.pk}/start/")
    run = Run.objects.get()
    run.begin(at=timezone.now())
    with pytest.raises(RunStopped):
        import_run.process(run, should_stop=lambda: True)
    page = anna.get(f"/import/{uploaded.pk}/", headers=HTMX).content.decode()
    assert '<progress max="301" value="25"' in page


def test_a_file_is_imported_once_however_often_the_button_is_pressed(tmp_path: Path) -> None:
    anna = signed_in()
    upload(anna, tmp_path, founder_memory(1))
    address = f"/import/{ImportFile.objects.get().pk}/start/"
    anna.post(address)
    assert "it is imported already" in anna.post(address, follow=True).content.decode()
    assert Run.objects.count() == 1


def test_a_file_that_is_none_is_named_at_its_field() -> None:
    file = SimpleUploadedFile("memory.db", b"hello")
    page = signed_in().post("/import/", {"file": file, "format": "founderos", "status": "keep"})
    assert page.status_code == 400
    assert "file is not a database" in page.content.decode()
    assert not ImportFile.objects.exists()


@pytest.mark.parametrize(("group", "status"), [("reviewer", "confirmed"), ("administrator", "applied")])
def test_only_an_administrator_applies(tmp_path: Path, group: str, status: str) -> None:
    client = signed_in(group=group)
    assert (b'name="apply"' in client.get("/import/").content) == (group == "administrator")
    upload(client, tmp_path, founder_memory(1, status="applied", category="preference"), apply="on")
    client.post(f"/import/{ImportFile.objects.get().pk}/start/")
    run_queue.work()
    assert Memory.objects.get().status == status


def test_who_lost_the_permission_meanwhile_imports_nothing(tmp_path: Path) -> None:
    anna = signed_in()
    upload(anna, tmp_path, founder_memory(1))
    file = ImportFile.objects.get()
    anna.post(f"/import/{file.pk}/start/")
    file.person.groups.clear()
    run_queue.work()
    assert (Run.objects.get().status, Memory.objects.count()) == ("failed", 0)


def test_viewers_may_not_import_and_nobody_sees_the_files_of_others(tmp_path: Path) -> None:
    upload(signed_in(), tmp_path, founder_memory(1))
    file = ImportFile.objects.get()
    assert signed_in("ben", group="viewer").get("/import/").status_code == 403
    carl = signed_in("carl")
    assert carl.get(f"/import/{file.pk}/").status_code == 404
    assert carl.post(f"/import/{file.pk}/start/").status_code == 404
    assert b"memory.db</a>" not in carl.get("/import/").content


def test_the_page_of_an_import_leads_to_its_file_only_for_whose_it_is(tmp_path: Path) -> None:
    anna, ben = signed_in("anna"), signed_in("ben")
    upload(anna, tmp_path, founder_memory(1))
    file = ImportFile.objects.get()
    anna.post(f"/import/{file.pk}/start/")
    run_queue.work()
    address = f"/runs/{Run.objects.get().pk}/"
    pages = [client.get(path).content.decode() for client in (anna, ben) for path in (address, "/runs/")]
    assert [f"/import/{file.pk}/" in page for page in pages] == [True, False, False, False]
    forgotten = Run.objects.create(kind="contrast", trigger="page", subject=uuid4())
    assert "its memory" not in ben.get(f"/runs/{forgotten.pk}/").content.decode()


def test_files_that_nobody_imports_go_after_a_day(tmp_path: Path) -> None:
    anna = signed_in()
    upload(anna, tmp_path, founder_memory(1))
    ImportFile.objects.update(created_at=timezone.now() - timedelta(days=2))
    (tmp_path / "2").mkdir()
    upload(anna, tmp_path / "2", founder_memory(2))
    assert ImportFile.objects.count() == 1


def test_the_file_of_a_failed_import_goes_after_a_day_and_trying_again_says_so(tmp_path: Path) -> None:
    anna = signed_in()
    upload(anna, tmp_path, founder_memory(1))
    file = ImportFile.objects.get()
    anna.post(f"/import/{file.pk}/start/")
    ImportFile.objects.update(content=b"damaged")
    run_queue.work()
    now = timezone.now()
    for at, kept in ((now, b"damaged"), (now + timedelta(days=2), b"")):
        prune_runs(at=at)
        file.refresh_from_db()
        assert (bytes(file.content), bool(file.preview)) == (kept, bool(kept))
    run = Run.objects.get(status="failed")
    anna.post(f"/runs/{run.pk}/retry/")
    run_queue.work()
    run.refresh_from_db()
    assert (run.status, run.error) == ("failed", "what it was about has been forgotten meanwhile")


def test_the_page_costs_few_queries(tmp_path: Path, django_assert_max_num_queries: Any) -> None:
    anna = signed_in()
    for number in range(3):
        (tmp_path / str(number)).mkdir()
        upload(anna, tmp_path / str(number), founder_memory(number))
    with django_assert_max_num_queries(12):
        anna.get("/import/")
    with django_assert_max_num_queries(12):
        anna.get(f"/import/{ImportFile.objects.all()[0].pk}/")


def test_recorded_conversations_come_in_by_the_page_and_again_only_once() -> None:
    anna = signed_in()
    lines = [
        '{"id": "r1", "outcome": "success", "messages": [{"role": "user", "content": "Refund order 7, please"}]}',
        "not json",
        '{"messages": []}',
    ]
    for expected in ([["imported", 1], ["failed", 2]], [["known", 1], ["failed", 2]]):
        file = SimpleUploadedFile("runs.jsonl", "\n".join(lines).encode())
        form = {"file": file, "format": "conversations", "status": "keep", "scope": "team:a"}
        page = anna.post("/import/", form, follow=True).content.decode()
        assert "Refund order 7" in page and "line 2" in page and "line 3" in page
        latest = ImportFile.objects.latest("created_at")
        assert latest.preview["counts"] == expected
        anna.post(f"/import/{latest.pk}/start/")
        run_queue.work()
        latest.refresh_from_db()
        assert latest.summary["counts"] == expected
    (episode,) = Memory.objects.all()
    assert (episode.type, episode.scope, episode.episode.outcome) == ("episodic", "team:a", "success")


def test_who_may_see_less_than_its_person_does_not_pause_an_import() -> None:
    anna = signed_in()
    file = SimpleUploadedFile("runs.jsonl", b'{"id": "r", "messages": [{"role": "user", "content": "Refund it"}]}')
    anna.post("/import/", {"file": file, "format": "conversations", "status": "keep"})
    anna.post(f"/import/{ImportFile.objects.get().pk}/start/")
    carl = make_person("carl")
    PersonLimits.objects.create(user=carl, scopes=["project:a"])
    limited = Client()
    limited.force_login(carl)
    address = f"/runs/{Run.objects.get().pk}/pause/"
    assert "ordered by somebody who may see more than you" in limited.post(address, follow=True).content.decode()
    assert Run.objects.get().status == "queued"
    anna.post(address)
    assert Run.objects.get().status == "paused"
