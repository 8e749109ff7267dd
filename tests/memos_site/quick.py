"""The settings, with a job queue that is asked often and stacks in the log on SIGUSR1; a busy machine has its time."""

import faulthandler
import signal

from memos_site.platform.webserver import connections, requests, server
from memos_site.settings import *  # noqa: F403
from memos_site.settings import Q_CLUSTER

# `timeout` and `retry` outlast every test: a job that is held may neither be cut off nor come twice by the clock.
Q_CLUSTER |= {"poll": 0.1, "guard_cycle": 0.125}
server.ARRIVAL_SECONDS = 8.0
connections.IDLE_SECONDS = requests.HEADER_SECONDS = requests.BODY_SECONDS = 120.0
faulthandler.register(signal.SIGUSR1)  # every thread, of the processes that are forked too
