"""A whole cluster under mixed load, whose parts are killed at random: nothing acknowledged is lost, nothing doubled.

For long: `python -m tests.cluster --seconds 600 --every 10`; with `--workers 3` nine jobs at a time on four scopes.
"""

import os
from collections.abc import Iterator

import pytest

from tests.cluster.servers import found
from tests.cluster.trial import trial
from tests.cluster.whole import Cluster, cluster

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not found(), reason="PgBouncer is not installed")]
SEED, SECONDS, EVERY, WORKERS = (float(os.environ.get(f"CLUSTER_{name}", usual)) for name, usual in
                        (("SEED", "20"), ("SECONDS", "30"), ("EVERY", "2.7"), ("WORKERS", "1")))  # fmt: skip
ONLY = os.environ.get("CLUSTER_ONLY", "").split()  # kinds of faults


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory, workers=int(WORKERS)) as made:
        yield made


def test_nothing_acknowledged_is_lost_and_nothing_doubled(whole: Cluster) -> None:
    outcome = trial(whole, seed=int(SEED), seconds=SECONDS, every=EVERY, only=ONLY)
    print(outcome.line)
    assert outcome.wrong == [], f"{outcome.line}\n{whole.said[-8000:]}"
    assert all(outcome.ledger.count(kind) for kind in ("event", "claim", "conversation", "skill")), outcome.line
