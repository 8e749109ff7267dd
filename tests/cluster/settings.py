"""The settings of hosts of a cluster, who hurry. A job may outlast a lease: a worker that freezes comes back to it."""

from tests.memos_site.quick import *  # noqa: F403
from tests.memos_site.quick import INSTALLED_APPS, Q_CLUSTER

Q_CLUSTER |= {"timeout": 120, "retry": 400}
INSTALLED_APPS = [*INSTALLED_APPS, "tests.cluster.hurry.Hurried"]
