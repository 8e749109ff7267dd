"""Everything through PgBouncer in transaction mode, as it runs where a database serves many processes."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import pytest

from tests.cluster.servers import Pooler, found, primary
from tests.clusters import copied, migrated_cluster
from tests.memos_site.processes import PATIENCE, SOURCE, environment, until
from tests.memos_site.site import Site

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not found(), reason="PgBouncer is not installed")]
FROZEN = "test_a_worker_that_was_frozen_while_another_took_over_doubles_nothing_and_says_so"
MOMENTS = ("mid-batch", "fact-not-written")  # within a transaction, and between two
RULEBOOK = "tests/journeys/test_rulebook.py"
ONE_SEED = [
    f"--deselect={RULEBOOK}::{test}[1]"
    for test in (
        "test_whatever_agents_and_people_do_every_rule_of_the_lifecycle_holds",
        "test_as_of_finds_again_what_was_before_revisions_decay_undo_and_forgetting",
    )
]  # every verb is done with each
JOURNEYS = (RULEBOOK, *ONE_SEED, "tests/memories/test_leases.py", "tests/memos_site/test_desk.py",
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


def through(pooler: Pooler) -> dict[str, str]:
    return {"DATABASE_URL": pooler.url, "DATABASE_POOLER": "transaction"}


def test_the_journeys_pass_through_a_pooler(pooler: Pooler, tmp_path: Path) -> None:
    """Before there are hosts, which look for work all the time."""
    more = through(pooler) | {"JOURNEYS_POOLER_URL": f"{pooler.url.removesuffix('memos')}journeys"}
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", *JOURNEYS],
        cwd=SOURCE,
        env=environment(tmp_path) | more,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-4000:]


@pytest.fixture(scope="module")
def hosts(pooler: Pooler, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Site]]:
    """Two, of which an agent may ask six times a minute."""
    told = through(pooler) | {"RATE_LIMIT_PER_MINUTE": "6"}
    hosts = [Site(tmp_path_factory.mktemp("host"), "serve", "--port", "0", **told) for _ in range(2)]
    yield [host.up() for host in hosts]
    for host in hosts:
        host.stop()


def test_serve_lives_through_a_restart_of_the_pooler_and_of_the_server(pooler: Pooler, hosts: list[Site]) -> None:
    pooler.stop()
    assert [site.health()["code"] for site in hosts] == ["503", "503"]
    pooler.start()
    for site in hosts:
        works(site)
    pooler.server.stop()
    pooler.server.start("fsync=off")
    for site in hosts:
        works(site)


def works(site: Site) -> None:
    until(lambda: site.health().get("worker") == "ok", what=site.said)


def test_limits_and_locks_hold_for_the_web_processes_of_two_hosts(hosts: list[Site]) -> None:
    [token] = [site.token for site in hosts if "The secrets of this first start" in site.said]
    statuses = [status(hosts[call % 2], token) for call in range(20)]
    assert (statuses.count(200), statuses.count(429)) == (6, 14)
    attempts = [wrong_password(hosts[attempt % 2]) for attempt in range(4)]
    assert attempts == [200, 200, 429, 429]


def status(site: Site, token: str) -> int:
    return httpx.get(
        f"{site.url}/api/v1/me", headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE
    ).status_code


def wrong_password(site: Site) -> int:
    with httpx.Client(base_url=site.url, timeout=PATIENCE) as browser:
        browser.get("/login/")
        told = {"username": "admin", "password": "wrong", "csrfmiddlewaretoken": browser.cookies["csrftoken"]}
        return browser.post("/login/", data=told).status_code
