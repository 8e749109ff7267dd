"""The embedded PostgreSQL under real processes that come at once, leave, and are killed."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memos_site.platform.postgres.cluster import Unusable, arguments_of
from memos_site.platform.postgres.server import Server
from tests.memos_site.processes import (
    SOURCE,
    Using,
    belonging,
    environment,
    kill_all,
    nobody_left,
    postmaster,
    sql,
    until,
    using,
)

ROOT = os.geteuid() == 0
NOBODY = pwd.getpwnam("nobody").pw_uid
NAMELESS = 54321  # a user id that /etc/passwd does not have


def commit_a_row(data_dir: Path) -> None:
    sql(data_dir, "CREATE TABLE kept AS SELECT 1 AS row")


def the_row_is_there(data_dir: Path) -> bool:
    return sql(data_dir, "SELECT row FROM kept") == [(1,)]


def test_ten_starts_at_once_share_one_server(new_data_dir: Path) -> None:
    users = [Using(new_data_dir) for _ in range(10)]
    for user in users:
        user.ready()
    servers = [pid for pid in belonging(new_data_dir) if "-D" in arguments_of(pid)]
    assert servers == [postmaster(new_data_dir)]
    for user in users:
        user.leave()
    until(lambda: nobody_left(new_data_dir))


@pytest.mark.parametrize("number", [0, signal.SIGTERM, signal.SIGKILL], ids=["by itself", "SIGTERM", "SIGKILL"])
def test_the_server_stops_after_its_last_user_however_that_one_ends(data_dir: Path, number: int) -> None:
    first, last = Using(data_dir).ready(), Using(data_dir).ready()
    server = postmaster(data_dir)
    first.leave()
    assert postmaster(data_dir) == server
    last.signal(number) if number else last.leave()
    until(lambda: nobody_left(data_dir))
    assert "database system is shut down" in (data_dir / "postgres.log").read_text()


def test_a_fork_that_outlives_its_parent_still_uses_the_server(data_dir: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from memos_site.platform.postgres.server import Server;"
        "Server(Path(sys.argv[1])).ensure_running(); os.fork() and os._exit(0); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, data_dir], cwd=SOURCE, env=environment(data_dir), stdin=subprocess.PIPE
    )
    process.wait()
    assert sql(data_dir, "SELECT 1") == [(1,)]
    assert process.stdin
    process.stdin.close()
    until(lambda: nobody_left(data_dir))


def test_a_killed_postmaster_is_started_again_with_every_committed_row(data_dir: Path) -> None:
    with using(data_dir):
        commit_a_row(data_dir)
        killed = postmaster(data_dir)
        os.kill(killed, signal.SIGKILL)
        with using(data_dir):
            assert the_row_is_there(data_dir)
            assert postmaster(data_dir) != killed


def test_a_killed_keeper_takes_the_server_with_it_and_the_next_connection_starts_both(data_dir: Path) -> None:
    with using(data_dir):
        commit_a_row(data_dir)
        keeper = Server(data_dir).keeper_pid()
        assert keeper
        os.kill(keeper, signal.SIGKILL)
        with using(data_dir):
            assert the_row_is_there(data_dir)
    until(lambda: nobody_left(data_dir))


def test_when_everything_is_killed_the_next_start_has_every_committed_row(data_dir: Path) -> None:
    user = Using(data_dir).ready()
    commit_a_row(data_dir)
    kill_all(data_dir)
    user.process.communicate()
    with using(data_dir):
        assert the_row_is_there(data_dir)


def test_stale_files_that_name_a_living_stranger_do_not_matter(data_dir: Path) -> None:
    with using(data_dir):
        commit_a_row(data_dir)
    until(lambda: nobody_left(data_dir))
    stranger = subprocess.Popen(["sleep", "60"])
    cluster = data_dir / "postgres"
    (cluster / "postmaster.pid").write_text(f"{stranger.pid}\n{cluster}\n1\n5432\n{cluster}\n\n")
    (cluster / ".s.PGSQL.5432.lock").write_text(f"{stranger.pid}\n{cluster}\n1\n5432\n{cluster}\n")
    (cluster / ".s.PGSQL.5432").touch()
    with using(data_dir):
        assert the_row_is_there(data_dir)
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


def keeper_alone(data_dir: Path) -> None:
    """Kills the keeper; its server then shuts itself down, and its pid file is gone with it."""
    keeper = Server(data_dir).keeper_pid()
    assert keeper
    os.kill(keeper, signal.SIGKILL)
    until(lambda: not (data_dir / "postgres" / "postmaster.pid").exists())


@pytest.mark.parametrize("kill", [kill_all, keeper_alone])
def test_a_path_too_long_for_a_socket_gets_a_short_one_that_is_removed_again(
    data_dir: Path, kill: Callable[[Path], None]
) -> None:
    deep = data_dir / ("deep" * 20) / ("er" * 20)
    deep.mkdir(parents=True)
    (data_dir / "postgres").rename(deep / "postgres")
    user = Using(deep).ready()
    sockets = Path(Server(deep).host())
    assert sockets != deep / "postgres"
    assert sockets.stat().st_mode & 0o777 == 0o700
    kill(deep)
    user.process.kill()
    user.process.communicate()
    with using(deep):
        assert sql(deep, "SELECT 1") == [(1,)]
        assert not sockets.exists()
        sockets = Path(Server(deep).host())
    until(lambda: nobody_left(deep))
    assert not sockets.exists()


@pytest.mark.skipif(not ROOT, reason="only root has other users to become")
def test_root_runs_it_as_somebody_else_even_where_that_one_may_not_enter(data_dir: Path) -> None:
    closed = data_dir / "closed"
    closed.mkdir(mode=0o700)
    (data_dir / "postgres").rename(closed / "postgres")
    with using(closed):
        assert Path(f"/proc/{postmaster(closed)}").stat().st_uid != 0
        assert (closed / "postgres").stat().st_uid != 0
        commit_a_row(closed)
    until(lambda: nobody_left(closed))
    shutil.copytree(closed, data_dir / "copy")  # now root's, as after `cp -r`
    with using(data_dir / "copy"):
        assert the_row_is_there(data_dir / "copy")


@pytest.mark.skipif(not ROOT, reason="only root has other users to become")
def test_another_user_runs_it_as_himself(new_data_dir: Path) -> None:
    os.chown(new_data_dir, NOBODY, NOBODY)
    user = Using(new_data_dir, user=NOBODY).ready()
    assert Path(f"/proc/{postmaster(new_data_dir)}").stat().st_uid == NOBODY
    user.leave()
    until(lambda: nobody_left(new_data_dir))


@pytest.mark.skipif(not ROOT, reason="only root has other users to become")
def test_a_user_without_a_name_reads_what_to_do(new_data_dir: Path) -> None:
    os.chown(new_data_dir, NAMELESS, NAMELESS)
    user = Using(new_data_dir, user=NAMELESS)
    _, errors = user.process.communicate("")
    assert f"uid {NAMELESS} has none: run as a user of /etc/passwd" in errors


def test_variables_for_other_servers_change_nothing(data_dir: Path) -> None:
    with using(data_dir, {"PGPORT": "6000", "PGHOST": "nowhere", "PGDATA": "/nowhere", "PGUSER": "nobody"}):
        assert sql(data_dir, "SHOW port") == [("5432",)]


def test_a_directory_of_another_major_version_is_refused_with_the_way_out(new_data_dir: Path) -> None:
    (new_data_dir / "postgres").mkdir()
    (new_data_dir / "postgres" / "PG_VERSION").write_text("17\n")
    with pytest.raises(Unusable, match=r"was written by PostgreSQL 17.*To upgrade: run .*backup DIR"):
        Server(new_data_dir).ensure_running()


def test_a_directory_with_something_else_in_it_is_refused_as_that(new_data_dir: Path) -> None:
    (new_data_dir / "postgres" / "lost+found").mkdir(parents=True)
    with pytest.raises(Unusable, match=r"/postgres is not empty, and holds no database: move away"):
        Server(new_data_dir).ensure_running()


def test_a_start_that_was_killed_while_it_made_the_cluster_is_made_anew(new_data_dir: Path) -> None:
    (new_data_dir / "postgres.new").mkdir()
    (new_data_dir / "postgres.new" / "half").touch()
    with using(new_data_dir):
        assert sql(new_data_dir, "SELECT 1") == [(1,)]
        assert not (new_data_dir / "postgres.new").exists()


def test_it_stays_without_users_when_it_was_told_to_until_it_is_stopped(data_dir: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from memos_site.platform.postgres.server import Server;"
        "Server(Path(sys.argv[1])).keep_running()"
    )
    subprocess.run([sys.executable, "-c", code, data_dir], cwd=SOURCE, env=environment(data_dir), check=True)
    for _ in range(2):
        with using(data_dir):
            server = postmaster(data_dir)
    assert postmaster(data_dir) == server
    assert Server(data_dir).stop()
    assert nobody_left(data_dir)
    assert not Server(data_dir).stop()


def test_a_server_that_cannot_start_says_why_in_its_own_words(data_dir: Path) -> None:
    (data_dir / "postgres" / "postgresql.auto.conf").write_text("shared_buffers = 'plenty'\n")
    with pytest.raises(Unusable, match=r'does not start: [^$]*invalid value for parameter "shared_buffers"'):
        Server(data_dir).ensure_running()
    Server(data_dir).leave()
