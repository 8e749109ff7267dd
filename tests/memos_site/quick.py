"""The settings, with a job queue that delivers again within seconds, and stacks in the log on SIGUSR1."""

import faulthandler
import signal

from memos_site.platform.webserver import server
from memos_site.settings import *  # noqa: F403
from memos_site.settings import Q_CLUSTER

Q_CLUSTER |= {"poll": 0.1, "guard_cycle": 0.125, "timeout": 10, "retry": 25}
server.ARRIVAL_SECONDS = 8.0  # a busy machine is given time
faulthandler.register(signal.SIGUSR1)  # every thread, of the processes that are forked too
