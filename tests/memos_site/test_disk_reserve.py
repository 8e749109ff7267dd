"""The space that is kept for the embedded database: given back to a full disk, and no writes until there is more."""

from pathlib import Path

import pytest

from memos_site.platform.postgres import disk_reserve
from memos_site.platform.postgres.disk_reserve import BYTES, ENOUGH, LOW, Reserve
from memos_site.platform.postgres.system_account import Account
from tests.memos_site.processes import sql, using

OTHERS = "# of the database\nfsync = 'off'\n"
READ_ONLY = f"{OTHERS}default_transaction_read_only = on\n"


class Disk:
    """A disk of which a test says how much is free beside the reserve."""

    def __init__(self, data: Path) -> None:
        self.data, self.free = data, 10 * BYTES
        self.file, self.settings = data.with_name("postgres.reserve"), data / "postgresql.auto.conf"

    def free_bytes(self, directory: Path) -> int:
        assert directory == self.data.parent
        return self.free - (self.file.stat().st_size if self.file.exists() else 0)

    def reserve(self) -> Reserve:
        return Reserve(self.data, Account.for_data(self.data))


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    (tmp_path / "postgres").mkdir()
    made = Disk(tmp_path / "postgres")
    made.settings.write_text(OTHERS)
    monkeypatch.setattr(disk_reserve, "free_bytes", made.free_bytes)
    return made


def test_space_is_kept_as_long_as_there_is_enough(disk: Disk) -> None:
    kept = disk.reserve()
    for disk.free in (10 * BYTES, BYTES + LOW):
        assert not kept.look()
        assert disk.file.stat().st_size == BYTES
    assert disk.settings.read_text() == OTHERS


def test_a_full_disk_gets_it_back_and_the_settings_say_read_only_once(disk: Disk) -> None:
    kept = disk.reserve()
    kept.look()
    disk.free = BYTES + LOW - 1
    assert kept.look() and kept.is_full
    assert not disk.file.exists()
    assert disk.settings.read_text() == READ_ONLY
    disk.free = BYTES + ENOUGH - 1  # more than when it was full, and not enough
    assert not kept.look()
    assert disk.settings.read_text() == READ_ONLY


def test_with_enough_space_everything_is_as_before(disk: Disk) -> None:
    disk.free = 0
    kept = disk.reserve()
    assert kept.look()
    disk.free = BYTES + ENOUGH
    assert kept.look() and not kept.is_full
    assert disk.file.stat().st_size == BYTES
    assert disk.settings.read_text() == OTHERS


def test_a_keeper_that_was_killed_while_the_disk_was_full_leaves_no_store_read_only(disk: Disk) -> None:
    disk.settings.write_text(READ_ONLY)
    again = disk.reserve()
    assert again.is_full
    assert again.look()
    assert disk.settings.read_text() == OTHERS


@pytest.mark.slow
def test_the_keeper_looks_before_it_starts_the_server(data_dir: Path) -> None:
    with (data_dir / "postgres" / "postgresql.auto.conf").open("a") as settings:
        settings.write("default_transaction_read_only = on\n")
    with using(data_dir):
        sql(data_dir, "CREATE TABLE written (n int)")
        assert (data_dir / "postgres.reserve").stat().st_size == BYTES
