"""Everything through PgBouncer in transaction mode, as it runs where a database serves many processes."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import pytest

from tests.cluster.clients import tokens_of
from tests.cluster.servers import Pooler, found, primary
from tests.clusters import copied, migrated_cluster
from tests.memos_site.processes import PATIENCE, SOURCE, environment, until
from tests.memos_site.site import Site

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not found(), reason="PgBouncer is not installed")]
FROZEN = "test_a_worker_that_was_frozen_while_another_took_over_doubles_nothing_and_says_so"
MOMENTS = ("mid-batch", "fact-not-written")  # within a transaction, and between two
RULEBOOK = "tests/journeys/test_rulebook.py"  # of its longest test one seed
ONE_SEED = f"--deselect={RULEBOOK}::test_as_of_finds_again_what_was_before_revisions_decay_undo_and_forgetting[1]"
JOURNEYS = (RULEBOOK, ONE_SEED, "tests/memories/test_leases.py", "tests/memos_site/test_desk.py",
            *(f"tests/journeys/test_consolidation_survives.py::{FROZEN}[{moment}]" for moment in MOMENTS))  # fmt: skip


@pytest.fixture(scope="module")
def pooler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pooler]:
    with TemporaryDirectory(prefix="memos-test-") as path:
        folder = Path(path)
        folder.chmod(0o711)
        data = copied(migrated_cluster(tmp_path_factory), folder) / "postgres"
        server = primary(data).start("fsync=off")
        for name in ("journeys", "test_memos"):  # for processes of a journey, and Django's test database
            server.sql(f"CREATE DATABASE {name} TEMPLATE memos")
        place = folder / "pooler"
        place.mkdir()
        yield (pooler := Pooler(place, server).start())
        pooler.stop()
        server.stop()


def test_serve_lives_through_a_restart_of_the_pooler_and_of_the_server(pooler: Pooler, tmp_path: Path) -> None:
    site = Site(tmp_path, "serve", "--port", "0", DATABASE_URL=pooler.url, DATABASE_POOLER="transaction").up()
    pooler.stop()
    assert site.health()["code"] == "503"
    pooler.start()
    until(lambda: site.health().get("worker") == "ok", what=site.said)
    pooler.server.stop()
    pooler.server.start("fsync=off")
    until(lambda: site.health().get("worker") == "ok", what=site.said)
    site.stop()


def test_the_journeys_pass_through_a_pooler(pooler: Pooler, tmp_path: Path) -> None:
    more = {"DATABASE_URL": pooler.url, "DATABASE_POOLER": "transaction"}
    more["JOURNEYS_POOLER_URL"] = f"{pooler.url.removesuffix('memos')}journeys"
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", *JOURNEYS],
        cwd=SOURCE,
        env=environment(tmp_path) | more,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-4000:]


def test_limits_and_locks_hold_for_the_web_processes_of_two_hosts(pooler: Pooler, tmp_path: Path) -> None:
    hosts = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        told = {"DATABASE_URL": pooler.url, "DATABASE_POOLER": "transaction", "RATE_LIMIT_PER_MINUTE": "6"}
        hosts.append(Site(tmp_path / name, "serve", "--port", "0", **told).up())
    token = tokens_of(hosts[0].data_dir, {"caller": []}, **told)["caller"]
    statuses = [status(hosts[call % 2], token) for call in range(20)]
    assert (statuses.count(200), statuses.count(429)) == (6, 14)
    attempts = [wrong_password(hosts[attempt % 2]) for attempt in range(4)]
    assert attempts == [200, 200, 429, 429]
    for site in hosts:
        site.stop()


def status(site: Site, token: str) -> int:
    return httpx.get(
        f"{site.url}/api/v1/me", headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE
    ).status_code


def wrong_password(site: Site) -> int:
    with httpx.Client(base_url=site.url, timeout=PATIENCE) as browser:
        browser.get("/login/")
        told = {"username": "admin", "password": "wrong", "csrfmiddlewaretoken": browser.cookies["csrftoken"]}
        return browser.post("/login/", data=told).status_code
