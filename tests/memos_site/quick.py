"""The settings, with a job queue that delivers again within seconds."""

from memos_site.settings import *  # noqa: F403
from memos_site.settings import Q_CLUSTER

Q_CLUSTER |= {"poll": 0.1, "guard_cycle": 0.125, "timeout": 10, "retry": 25}
