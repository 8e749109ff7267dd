"""An installation for the tests of a module; what they do in it they tell apart by scope."""

import os
from collections.abc import Iterator

import pytest

from tests.clusters import copied, migrated_cluster
from tests.journeys.forking import Forking, forking


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forking]:
    folder = tmp_path_factory.mktemp("home")
    (folder / "data").mkdir()
    settings = {}
    if pooler := os.environ.get("JOURNEYS_POOLER_URL"):  # of a migrated database that nobody else uses
        settings = {"DATABASE_URL": pooler, "DATABASE_POOLER": "transaction"}
    else:
        copied(migrated_cluster(tmp_path_factory), folder / "data")
    with forking(folder, settings) as home:
        yield home
