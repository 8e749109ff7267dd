"""Reads on streaming replicas: never older than what the caller wrote or a person decided, and never an error."""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import HTTPError

import pytest

from tests.cluster.clients import called, store, tokens_of
from tests.cluster.servers import Postgres, primary, replica
from tests.clusters import copied, migrated_cluster
from tests.memos_site.processes import until
from tests.memos_site.site import Site

pytestmark = pytest.mark.slow
Pair = tuple[Postgres, Postgres]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with TemporaryDirectory(prefix="memos-test-") as path:
        folder = Path(path)
        folder.chmod(0o711)
        first = primary(copied(migrated_cluster(tmp_path_factory), folder) / "postgres").start("fsync=off")
        second = replica(first, folder / "replica").start("fsync=off")
        yield first, second
        second.stop()
        first.stop()


def serving(pair: Pair, folder: Path, **more: str) -> Site:
    told = {"DATABASE_URL": pair[0].url, "DATABASE_REPLICA_URLS": pair[1].url} | more
    # one web process: each remembers the primary's positions for itself, and a new one knows of none yet
    return Site(folder, "serve", "--port", "0", "--workers", "1", **told).up()


@pytest.fixture(scope="module")
def site(pair: Pair, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One that reads the replica however late that is, for all tests but one."""
    site = serving(pair, tmp_path_factory.mktemp("site"), REPLICA_MAX_LAG="300")
    yield site
    site.stop()


@pytest.fixture(scope="module")
def tokens(pair: Pair, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    agents = {"ours": [], "others": [], "judge": ["--permission", "review", "--permission", "read"]}
    return tokens_of(tmp_path_factory.mktemp("agents"), agents, DATABASE_URL=pair[0].url)


@pytest.fixture
def ours(tokens: dict[str, str]) -> str:
    return tokens["ours"]


def sees(site: Site, token: str, stored: Any) -> bool:
    """Whether the memory that a store answered with is there for this reader."""
    try:
        called(site, token, f"/api/v1/memories/{stored['id']}")
    except HTTPError as refusal:
        with refusal:
            assert refusal.code == 404
        return False
    return True


def read_there(site: Site, token: str) -> bool:
    """Whether the next list is read on a replica."""
    return on_replica(site, token, lambda: called(site, token, "/api/v1/memories"))


def on_replica(site: Site, token: str, ask: Callable[[], Any]) -> bool:
    """Whether this is read on a replica, and the scrape before it too, which is counted after its answer."""
    before = reads(site, token)
    ask()
    return reads(site, token) >= before + 2


def reads(site: Site, token: str) -> float:
    lines = called(site, token, "/metrics").splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith("memos_replica_reads_total"))


def test_a_reader_sees_its_own_writes_and_decisions_however_late_the_replica_is(
    pair: Pair, site: Site, tokens: dict[str, str]
) -> None:
    ours, others, judge = tokens["ours"], tokens["others"], tokens["judge"]
    until(lambda: read_there(site, others), what=site.said)
    pair[1].sql("SELECT pg_wal_replay_pause()")
    try:
        late = store(site, ours, "late")
        assert sees(site, ours, late)
        until(lambda: not sees(site, others, late), what=site.said)  # it reads what the replica has
        called(site, judge, f"/api/v1/memories/{late['id']}/promote", {})
        assert sees(site, others, late)  # what was decided is seen by everybody
    finally:
        pair[1].sql("SELECT pg_wal_replay_resume()")
    assert "recovery is in progress" not in site.said  # a replica was not asked what only the primary knows


def test_a_replica_that_is_too_late_is_not_read(pair: Pair, tmp_path: Path, tokens: dict[str, str]) -> None:
    site = serving(pair, tmp_path, REPLICA_MAX_LAG="1")
    ours, others = tokens["ours"], tokens["others"]
    pair[1].sql("SELECT pg_wal_replay_pause()")
    try:
        soon = store(site, ours, "soon")
        until(lambda: sees(site, others, soon), what=site.said)
    finally:
        pair[1].sql("SELECT pg_wal_replay_resume()")
        site.stop()


def test_a_replica_that_dies_costs_no_answer_and_comes_back(pair: Pair, site: Site, ours: str) -> None:
    until(lambda: read_there(site, ours), what=site.said)
    pair[1].kill()
    alone = store(site, ours, "alone")
    assert all(sees(site, ours, alone) for _ in range(10))
    pair[1].start("fsync=off")
    until(lambda: read_there(site, ours), what=site.said)


def test_a_search_on_a_replica_counts_its_uses_on_the_primary(pair: Pair, site: Site, ours: str) -> None:
    claim = {"key": "used", "category": "fact", "content": "The word is used", "source": "P01", "direct": True}
    known = called(site, ours, "/api/v1/memories", claim | {"confidence": 70})["memory"]

    def search() -> None:
        assert called(site, ours, "/api/v1/search", {"query": "The word is used"})["results"]

    until(lambda: on_replica(site, ours, search), what=site.said)
    [[uses]] = pair[0].sql(f"SELECT times_used FROM memories_memory WHERE id = '{known['id']}'")
    assert uses
    assert "was to be written" not in site.said


def test_questions_are_answered_by_a_replica_and_counted_on_the_primary(pair: Pair, site: Site, ours: str) -> None:
    for path, more in (("guidance", {}), ("context", {"source": "P01"})):

        def answered(path: str = path, body: Any = {"task": "When does Acme pay?"} | more) -> bool:
            before = reads(site, ours)
            assert called(site, ours, f"/api/v1/{path}", body)
            return reads(site, ours) > before

        until(answered, what=site.said)
    assert pair[0].sql("SELECT sum(n) > 0 FROM consolidation_dailycount WHERE name = 'guidance'") == [(True,)]
    assert "was to be written" not in site.said


def test_tools_that_read_are_answered_by_a_replica_over_http_and_mcp(pair: Pair, site: Site, ours: str) -> None:
    claim = {"key": "tooled", "category": "fact", "content": "The word is tooled", "source": "P01", "direct": True}
    known = called(site, ours, "/api/v1/memories", claim | {"confidence": 70})["memory"]
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    asked = {"name": "memory_get", "arguments": {"key": "tooled"}}
    questions = [("/api/v1/tools/memory_get", asked["arguments"]), ("/mcp", call | {"params": asked})]
    for path, body in [*questions, (f"/api/v1/memories/{known['id']}", None)]:

        def answered(path: str = path, body: Any = body) -> bool:
            return on_replica(site, ours, lambda: tooled(called(site, ours, path, body)))

        until(answered, what=site.said)
    [[uses]] = pair[0].sql(f"SELECT times_used FROM memories_memory WHERE id = '{known['id']}'")
    assert uses
    stored = {"key": "noted", "category": "fact", "content": "The word is noted", "source": "P01"}
    assert called(site, ours, "/api/v1/tools/memory_store", stored)["created"]
    assert "was to be written" not in site.said


def tooled(answer: Any) -> None:
    assert "tooled" in str(answer)
