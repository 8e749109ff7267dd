"""`manage.py serve` under the kills that a long life brings: all work is done, and nothing is left running."""

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from psycopg.pq import Ping

from memos_site.platform.postgres.server import Server
from memos_site.platform.supervision.web import PortUnavailable, listen
from tests.clusters import copied, migrated_cluster
from tests.memos_site.processes import belonging, children, kill, nobody_left, postmaster, runs, sql, until
from tests.memos_site.site import Site

pytestmark = pytest.mark.slow

SERVE = ("serve", "--port", "0")
OLD_AND_NEW = ["held", *(f"after-{number}" for number in range(5))]


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One site for all the tests that it must survive."""
    with TemporaryDirectory(prefix="memos-test-") as path:
        site = Site(copied(migrated_cluster(tmp_path_factory), Path(path)), *SERVE).up()
        yield site
        site.stop()


@pytest.fixture
def site(lasting: Site) -> Site:
    begin_anew(lasting)
    return lasting


def begin_anew(site: Site) -> None:
    """Jobs of before leave no trace in what follows, and what is held is held again."""
    site.trace = site.data_dir / os.urandom(4).hex() / "trace"
    site.trace.parent.mkdir()
    site.rows = []


def two_workers(site: Site) -> tuple[int, int, int]:
    """A busy worker, an idle one, and their parent."""
    site.enqueue("hold", "held")
    busy, parent = site.who("held-begun")
    site.enqueue("note", "noted")
    idle, _ = site.who("noted")
    return busy, idle, parent


def cluster_ends(site: Site, *workers: int) -> None:
    """Wait until the workers are gone: one that still runs could finish the old job with nobody to record it."""
    until(lambda: not set(workers) & set(belonging(site.data_dir)), what=site.said)


def all_is_done(site: Site) -> None:
    """Five new jobs and the old one, each finished once, and none of them is left in the queue."""
    others_are_done(site)
    until(lambda: not site.left(), what="an empty queue")
    assert [site.words().count(word) for word in OLD_AND_NEW] == [1] * 6


def others_are_done(site: Site) -> None:
    """Five new jobs and the old one, each finished once, whatever else waits."""
    for word in OLD_AND_NEW[1:]:
        site.enqueue("note", word)
    site.release()
    until(lambda: set(OLD_AND_NEW) <= set(site.words()), what=f"{OLD_AND_NEW} in {site.words()}: {site.said}")
    assert [site.words().count(word) for word in OLD_AND_NEW] == [1] * 6


def test_work_goes_on_when_an_idle_worker_is_killed(site: Site) -> None:
    busy, idle, _ = two_workers(site)
    kill(idle)
    cluster_ends(site, busy, idle)
    all_is_done(site)


def test_work_goes_on_when_a_busy_worker_is_killed(site: Site) -> None:
    busy, idle, _ = two_workers(site)
    kill(busy)
    cluster_ends(site, busy, idle)
    all_is_done(site)


def test_work_goes_on_when_the_cluster_itself_is_killed_and_its_workers_do_not_outlive_it(site: Site) -> None:
    busy, idle, parent = two_workers(site)
    kill(parent)
    cluster_ends(site, busy, idle, parent)
    all_is_done(site)


def test_a_job_that_runs_out_of_time_ends_and_does_not_come_again(site: Site) -> None:
    site.enqueue("hold", "late", timeout=1)
    site.who("late-begun")
    until(lambda: not site.left(), what="an empty queue")
    two_workers(site)
    all_is_done(site)
    assert site.words().count("late-begun") == 1
    assert "late" not in site.words()


def test_requests_are_answered_again_when_a_web_process_is_killed_or_all_are(site: Site) -> None:
    _, _, jobs = two_workers(site)
    first, second = set(children(site.process.pid)) - {jobs}
    kill(first)
    assert until(lambda: _answer(site)) == {"status": "ok"}
    until(lambda: len(set(children(site.process.pid)) - {jobs, first}) == 2, what=site.said)
    for pid in {second, *children(site.process.pid)} - {jobs, first}:
        kill(pid)
    assert until(lambda: _answer(site)) == {"status": "ok"}
    told = [f"{name} was killed by SIGKILL; starting it again" for name in ("web 1", "web 2")]
    until(lambda: all(line in site.said for line in told), what=site.said)
    all_is_done(site)


def _answer(site: Site) -> dict[str, str]:
    try:
        return site.health("/health/live")
    except (OSError, HTTPException):  # the request that the killed one held
        return {}


def test_requests_are_answered_again_when_the_database_is_killed(site: Site) -> None:
    sql(site.data_dir, "CREATE TABLE kept AS SELECT 1")
    kill(pid := postmaster(site.data_dir))
    until(lambda: not runs(pid))
    assert site.health()["status"] == "ok"
    assert sql(site.data_dir, "SELECT count(*) FROM kept") == [(1,)]


def test_when_serve_itself_is_killed_nothing_is_left_and_the_next_start_does_the_work(migrated: Path) -> None:
    site = Site(migrated, *SERVE).up()
    two_workers(site)
    site.signal(signal.SIGKILL)
    until(lambda: nobody_left(migrated))
    site.log.unlink()
    again = Site(migrated, *SERVE).up()
    again.rows = site.rows
    again.deliver_again()  # nobody knew of them at the end
    all_is_done(again)
    assert "password" not in again.said
    begin_anew(again)
    the_port_is_free_while_the_jobs_of_a_killed_serve_are_still_in_hand(again)
    until(lambda: nobody_left(migrated))


def frozen(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGSTOP)
    except ProcessLookupError:  # it ended by itself
        return False
    return True


def is_free(port: int) -> bool:
    try:
        listen("127.0.0.1", port).close()
    except PortUnavailable:
        return False
    return True


def the_port_is_free_while_the_jobs_of_a_killed_serve_are_still_in_hand(site: Site) -> None:
    """They are frozen here, as those would be that take their seconds to end."""
    two_workers(site)
    web = {child for child in children(site.process.pid) if not children(child)}
    jobs = [pid for pid in {*children(site.process.pid)} - web if frozen(pid)]
    workers = [worker for one in jobs for worker in children(one) if frozen(worker)]
    site.signal(signal.SIGKILL)
    until(lambda: not any(map(runs, web)))
    until(lambda: is_free(int(site.url.rsplit(":", 1)[1])))  # threads of a web process may outlive its first one
    assert jobs
    assert all(map(runs, jobs))
    for pid in [*workers, *jobs]:
        with suppress(ProcessLookupError):  # it may have ended with the one before it
            kill(pid)


def test_a_job_that_kills_its_worker_comes_back_once_and_then_leaves_the_others_their_turn(site: Site) -> None:
    deadly = site.enqueue("die", "deadly")
    until(lambda: site.words().count("deadly") == 2, what=site.said)
    two_workers(site)
    others_are_done(site)
    assert site.words().count("deadly") == 2
    waits = f"SELECT lock > now() FROM django_q_ormq WHERE id = {deadly}"
    assert sql(site.data_dir, waits) == [(True,)]
    sql(site.data_dir, f"DELETE FROM django_q_ormq WHERE id = {deadly}")


def test_two_first_starts_at_once_make_one_store_and_show_its_secrets_once(data_dir: Path) -> None:
    (data_dir / "second").mkdir()
    first = Site(data_dir, *SERVE)
    second = Site(data_dir, *SERVE)
    second.log = first.log
    until(lambda: first.said.count("Memos runs at") == 2, what=first.said)
    assert first.said.count("are in") == 1
    secrets = data_dir / "first-start"
    assert secrets.stat().st_mode & 0o777 == 0o600
    assert "curl" in secrets.read_text()
    assert sql(data_dir, "SELECT count(*) FROM auth_user") == [(1,)]
    first.signal(signal.SIGTERM)
    assert Server(data_dir).keeper_pid()
    assert second.signal(signal.SIGINT) == 0
    until(lambda: nobody_left(data_dir), what=second.said)


def test_a_taken_port_is_one_line(new_data_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        site = Site(new_data_dir, "serve", "--port", str(taken.getsockname()[1]))
        assert site.process.wait() == 1
    assert len(site.said.splitlines()) == 1
    assert "Address already in use" in site.said
    until(lambda: not belonging(new_data_dir), what="the database that it had begun to start still runs")


def test_a_wrong_setting_is_said_and_nothing_starts(new_data_dir: Path) -> None:
    site = Site(new_data_dir, *SERVE, DEBUG="perhaps", DATABASE_URL="mysql://me:secret@there/name")
    assert site.process.wait() == 1
    assert "(memos_site.E001) DEBUG: " in site.said
    assert "(memos_site.E001) DATABASE_URL: " in site.said
    assert "secret" not in site.said
    assert not (new_data_dir / "postgres").exists()


def test_jobs_that_do_not_end_are_cut_off_and_delivered_again(migrated: Path) -> None:
    impatient = "from memos_site.platform.supervision import jobs; jobs.GRACE = 1; jobs.SILENT_SECONDS = 0"
    code = f"import django; django.setup(); {impatient}; from django.core.management import call_command as call; call"
    worker = Site(migrated, "shell", "-v", "0", "-c", f"{code}('worker', workers=1)")
    until(lambda: Server(migrated).ping() == Ping.OK, what=worker.said)
    worker.enqueue("hold", "held")
    _, cluster = worker.who("held-begun")  # which says that it lives while all its workers are busy
    sign = f"SELECT name FROM memories_lease WHERE name LIKE 'worker %/{cluster}/%'"
    until(lambda: sql(migrated, sign), what=worker.said)
    assert worker.signal(signal.SIGTERM) == 0
    assert "cutting them off" in worker.said
    again = Site(migrated, "worker")
    until(lambda: Server(migrated).ping() == Ping.OK, what=again.said)
    again.rows = worker.rows
    all_is_done(again)
    again.stop()


def test_the_worker_says_what_is_wrong_with_the_database(new_data_dir: Path) -> None:
    (new_data_dir / "postgres").mkdir()
    (new_data_dir / "postgres" / "PG_VERSION").write_text("17\n")
    site = Site(new_data_dir, "worker")
    assert site.process.wait() == 1
    assert "was written by PostgreSQL 17" in site.said.splitlines()[-1]
