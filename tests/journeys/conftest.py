"""An installation for the tests of a module; what they do in it they tell apart by scope."""

from collections.abc import Iterator

import pytest

from tests.clusters import copied, migrated_cluster
from tests.journeys.forking import Forking, forking


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forking]:
    folder = tmp_path_factory.mktemp("home")
    (folder / "data").mkdir()
    copied(migrated_cluster(tmp_path_factory), folder / "data")
    with forking(folder) as home:
        yield home
