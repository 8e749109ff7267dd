"""A database that is away for a moment (a restart, a deadlock) is asked again before the caller hears of it."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import InterfaceError, OperationalError, close_old_connections, transaction

from memos_site.platform.outages import outage

TRIES, PAUSE = 4, 0.5  # the first, and three more, half a second apart


def patient(work: Callable[..., Any]) -> Callable[..., Any]:
    """`work`, done again after a transient error; each try is its own transaction, so nothing is half done.

    Nor is anything done twice: a commit that fails has not happened (the database backend has asked), and one of which
    nobody can tell is not tried again; nor is what a full disk or a silent database would only refuse once more.
    """

    @wraps(work)
    def tried(*args: Any, **kwargs: Any) -> Any:
        for left in reversed(range(TRIES)):
            try:
                return work(*args, **kwargs)
            except (OperationalError, InterfaceError) as error:
                broken = outage(error)
                if left == 0 or not (broken and broken.passing) or transaction.get_connection().in_atomic_block:
                    raise
                close_old_connections()
                time.sleep(PAUSE)
        return None

    return tried
