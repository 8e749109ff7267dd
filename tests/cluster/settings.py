"""The settings of hosts of a cluster: a job may take longer than a lease, so that one that freezes comes back to it."""

from tests.memos_site.quick import *  # noqa: F403
from tests.memos_site.quick import Q_CLUSTER

Q_CLUSTER |= {"timeout": 120, "retry": 400}
