"""A store that was backed up, destroyed and restored is the store that it was."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clusters import copied, new_cluster
from tests.memos_site.processes import SOURCE, environment, nobody_left, sql, until, using

COMMANDS = """
import io, json, sys
import django
from django.core.management import CommandError, call_command
django.setup()
said = []
for name, *arguments in json.loads(sys.argv[1]):
    out = io.StringIO()
    try:
        call_command(name, *arguments, stdout=out, stderr=out)
    except CommandError as error:
        out.write(f"refused: {error}")
    said.append(out.getvalue())
print(json.dumps(said))
"""

pytestmark = pytest.mark.slow  # whole stores are destroyed and restored


def commands(data_dir: Path, *wanted: list[str], **more: str) -> list[str]:
    """What each of the commands says, called one after the other in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS, json.dumps(wanted)],
        cwd=SOURCE,
        env=environment(data_dir, DJANGO_SETTINGS_MODULE="memos_site.settings", **more),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout.splitlines()[-1]))


def test_a_destroyed_store_comes_back_whole(migrated: Path) -> None:
    store, saved = migrated / "store", migrated / "saved"
    store.mkdir()
    (migrated / "postgres").rename(store / "postgres")
    package = store / "skills" / "_" / "name" / "sha.zip"
    package.parent.mkdir(parents=True)
    package.write_bytes(b"zip")
    with using(store):
        sql(store, "CREATE TABLE kept AS SELECT '[1,2]'::vector AS v")
        backup, restore = ["backup", str(saved)], ["restore", str(saved)]
        said = commands(store, ["postgres", "status"], backup, backup, restore)
    key = (store / "secret_key").read_text()
    assert said[0].startswith(f"running in {store}/postgres: PostgreSQL 18")
    assert said[1].startswith(f"{saved}: the database, the packages, the secret key.")
    assert saved.stat().st_mode & 0o777 == 0o700
    assert said[2] == f"refused: {saved} exists; name a new directory"
    assert said[3].startswith("refused: the database holds something")

    until(lambda: nobody_left(store))
    shutil.rmtree(store)
    said = commands(store, ["restore", str(migrated)], restore, ["migrate", "--check"], ["postgres", "stop"])
    assert said[0].startswith(f"refused: {migrated} is not a finished backup")
    assert said[1].startswith(f"restored from {saved}")
    assert said[2:] == ["", "stopped\n"]
    with using(store):
        assert sql(store, "SELECT v::text FROM kept") == [("[1,2]",)]
        assert sql(store, "SELECT count(*) > 20 FROM django_migrations") == [(True,)]
    assert (store / "secret_key").read_text() == key
    assert (store / "secret_key").stat().st_mode & 0o777 == 0o600
    assert package.read_bytes() == b"zip"


def test_a_backup_that_lacks_something_is_restored_only_by_force(
    migrated: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    store, saved = migrated / "store", migrated / "saved"
    for name in ("other", "third"):  # empty stores, as their first start makes them
        (migrated / name).mkdir()
        copied(new_cluster(tmp_path_factory), migrated / name)
    store.mkdir()
    (migrated / "postgres").rename(store / "postgres")
    (store / "secret_key").write_text("a key that is not in use")
    with using(store):
        sql(store, "DROP TABLE skills_skillversion CASCADE")
        sql(store, "CREATE TABLE skills_skillversion AS SELECT '_/name/sha.zip' AS package")
        said = commands(store, ["backup", str(saved)], SECRET_KEY="that of the environment")
    assert "without the secret key, which the environment gives: keep that too" in said[0]
    assert sorted(path.name for path in saved.iterdir()) == ["database.dump", "skills"]
    until(lambda: nobody_left(store))
    restore, other = ["restore", str(saved)], migrated / "other"
    (saved / "skills").rmdir()
    refused = commands(other, restore)[0]
    assert refused.startswith("refused: the backup has no secret key: set SECRET_KEY to that of then")
    assert "the backup has no packages (skills/)" in refused
    assert refused.rstrip().endswith("Nothing was restored; --force restores what there is")
    (saved / "skills").mkdir()
    (saved / "secret_key").write_text("another one")
    refused, done = commands(other, restore, [*restore, "--force"], SECRET_KEY="mine")
    assert refused.startswith("refused: SECRET_KEY is not that of the backup")
    assert done.startswith("restored without what is missing: SECRET_KEY is not that of the backup")
    assert "packages are missing: 1 that the database names, such as _/name/sha.zip" in done
    assert f"restored from {saved}" in done
    again = commands(migrated / "third", restore, SECRET_KEY="mine, another one")[0]
    assert again.startswith("restored without what is missing: packages are missing")
    assert f"restored from {saved}" in again


def test_psql_starts_the_server_and_speaks_to_it(data_dir: Path) -> None:
    command = [sys.executable, "manage.py", "postgres", "psql", "-Atc", "SELECT current_user"]
    done = subprocess.run(command, cwd=SOURCE, env=environment(data_dir), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "memos\n"), done.stderr
