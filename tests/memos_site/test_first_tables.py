"""The squashed migrations: a new store has the very tables that all steps one after the other lead to."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memos_site.platform.postgres.cluster import NAME, PORT, USER
from memos_site.platform.postgres.server import Server, binaries
from tests.clusters import copied, migrated_cluster, new_cluster
from tests.memos_site.processes import SOURCE, environment, sql, using
from tests.memos_site.test_upgrades import FORMER

OF_FORMER = """
import json, sys
import django
django.setup()
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
executor = MigrationExecutor(connection)
executor.loader = MigrationLoader(connection, replace_migrations=False)
executor.migrate(list(json.loads(sys.argv[1]).items()))
"""


@pytest.mark.slow
def test_a_store_that_was_upgraded_step_by_step_has_the_tables_of_a_new_one(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    stores = {name: tmp_path / name for name in ("upgraded", "new")}
    clusters = {"upgraded": new_cluster(tmp_path_factory), "new": migrated_cluster(tmp_path_factory)}
    schemas = {}
    for name, store in stores.items():
        store.mkdir()
        with using(copied(clusters[name], store)):
            if name == "upgraded":
                _run(store, "-c", OF_FORMER, json.dumps(FORMER))
                assert sql(store, "SELECT to_regclass('memories_formerstate')") == [(None,)]
                _run(store, "manage.py", "migrate", "-v0")
            schemas[name] = _schema(store)
            assert sql(store, "SELECT count(*) FROM memories_digestkey") == [(1,)]
    assert schemas["upgraded"] == schemas["new"]
    assert len(schemas["new"]) > 300


def _run(store: Path, *command: str) -> None:
    environ = environment(store, DJANGO_SETTINGS_MODULE="memos_site.settings")
    subprocess.run([sys.executable, *command], cwd=SOURCE, env=environ, check=True)


def _schema(store: Path) -> dict[str, list[str]]:
    """Each object of the database by its name: its statements, with the columns of a table in the order of their names,
    for an upgrade adds a column at the end."""
    dump = subprocess.run(
        [binaries() / "pg_dump", "-s", "-h", Server(store).host(), "-p", str(PORT), "-U", USER, NAME],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    _, *objects = re.split(r"^-- Name: ", dump.split("\n-- PostgreSQL database dump complete")[0], flags=re.MULTILINE)
    titled = (text.split("\n", 1) for text in objects)
    return {title: sorted(line.strip(" ,") for line in body.split("\n")) for title, body in titled}
