"""SIGHUP to `manage.py serve`: new code takes over under load without a failed request, unless it does not start."""

import json
import os
import shutil
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from urllib.request import urlopen

import httpx
import pytest

from tests.memos_site import site as sites
from tests.memos_site.processes import PATIENCE, SOURCE, children, kill, until, using, usual_signals
from tests.memos_site.site import Site

pytestmark = pytest.mark.slow
CODE = ("manage.py", "memos_site", "memories", "skills", "consolidation", "templates", "static", "tests")
VIEWS = "memos_site/web/health.py"
BROKEN = "consolidation/tasks.py"
PAUSE = 0.05  # seconds from one call of a client to its next
ENDED = "the former processes have ended"


@pytest.fixture(autouse=True)
def _sighup_as_a_service_manager_leaves_it() -> Iterator[None]:
    """What these tests start inherits whether the signal is ignored, as it is when they themselves run under nohup."""
    with usual_signals():
        yield


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the code, whose versions this test writes; sites run from it."""
    folder = tmp_path / "source"
    folder.mkdir()
    for name in CODE:
        copy = shutil.copytree if (SOURCE / name).is_dir() else shutil.copy
        copy(SOURCE / name, folder / name)
    monkeypatch.setattr(sites, "SOURCE", folder)
    monkeypatch.setenv("PWD", str(folder))
    return folder


def write_version(source: Path, version: str) -> None:
    """Code whose answer at /health/live is that version."""
    text = (SOURCE / VIEWS).read_text()
    assert '{"status": "ok"}' in text
    (source / VIEWS).write_text(text.replace('{"status": "ok"}', f'{{"status": "{version}"}}'))


class Callers:
    """Clients that ask all the time, half of them by one connection that they keep; what they got, counted."""

    def __init__(self, url: str, number: int = 6) -> None:
        self.url, self.answers, self.ended = url, Counter[str](), threading.Event()
        self.threads = [threading.Thread(target=self._ask, args=[bool(n % 2)]) for n in range(number)]

    def _ask(self, keep: bool) -> None:
        with httpx.Client() as kept:
            while not self.ended.wait(PAUSE):
                try:
                    answer = self._by(kept) if keep else self._alone()
                    self.answers[str(json.loads(answer)["status"])] += 1
                except (httpx.TransportError, OSError, HTTPException, ValueError) as error:
                    self.answers[f"{type(error).__name__} {error}"] += 1

    def _by(self, client: httpx.Client) -> bytes:
        return client.get(f"{self.url}/health/live", timeout=PATIENCE).content

    def _alone(self) -> bytes:
        with urlopen(
            f"{self.url}/health/live", timeout=PATIENCE
        ) as answer:  # a tenth of the time of a new httpx client
            return bytes(answer.read())


@contextmanager
def calling(site: Site) -> Iterator[Counter[str]]:
    callers = Callers(site.url)
    for thread in callers.threads:
        thread.start()
    try:
        yield callers.answers
    finally:
        callers.ended.set()
        for thread in callers.threads:
            thread.join()


def reload(site: Site) -> None:
    os.kill(site.process.pid, signal.SIGHUP)


def taken_over(site: Site, count: int) -> None:
    until(lambda: site.said.count(ENDED) == count, what=site.said)


def answered(answers: Counter[str], version: str) -> None:
    until(lambda: answers[version] > 10, what=f"{version} in {answers}")


def test_new_code_takes_over_without_a_failed_request_and_broken_code_does_not(source: Path, migrated: Path) -> None:
    write_version(source, "first")
    site = Site(migrated, "serve", "--port", "0").up()
    former = set(children(site.process.pid))
    with calling(site) as answers:
        answered(answers, "first")
        (source / BROKEN).write_text("import nothing_of_this_name\n")
        reload(site)
        until(lambda: "before it was ready: the former ones go on" in site.said, what=site.said)
        assert "nothing_of_this_name" in site.said
        assert set(children(site.process.pid)) == former
        shutil.copy(SOURCE / BROKEN, source / BROKEN)
        for count, version in enumerate(("second", "third"), start=1):
            write_version(source, version)
            reload(site)
            taken_over(site, count)
            answered(answers, version)
    assert set(answers) == {"first", "second", "third"}
    [successor] = children(site.process.pid)
    assert not former & set(children(successor))
    site.enqueue("note", "noted")
    site.who("noted")
    a_killed_successor_is_started_again(site, successor, "third")
    site.stop()


def a_killed_successor_is_started_again(site: Site, successor: int, version: str) -> None:
    kill(successor)
    until(lambda: children(site.process.pid) not in ([], [successor]), what=site.said)
    assert site.health("/health/live") == {"status": version}


def test_a_worker_without_web_processes_takes_new_code_too(source: Path, migrated: Path) -> None:
    with using(migrated):  # it launches no server then, which would be a child of it for a moment
        worker = Site(migrated, "worker")
        until(lambda: len(children(worker.process.pid)) == 1, what=worker.said)
        [former] = children(worker.process.pid)
    until(lambda: children(former), what=worker.said)
    reload(worker)
    taken_over(worker, 1)
    [successor] = children(worker.process.pid)
    assert successor != former
    assert len(children(successor)) == 1
    worker.stop()
