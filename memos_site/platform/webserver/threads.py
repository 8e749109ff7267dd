"""Which of the idle worker threads gets the next request."""

import threading


class LatestFirst(threading.Condition):
    """A condition that wakes the thread which began to wait last.

    Few clients then keep few threads busy, and few connections to the database open: each of these has to plan its
    statements and to read the catalogue for itself, anew every minute.
    """

    def __init__(self, lock: threading.Lock) -> None:
        super().__init__(lock)
        self._shared, self._idle = lock, list[threading.Condition]()

    def wait(self, timeout: float | None = None) -> bool:
        mine = threading.Condition(self._shared)
        self._idle.append(mine)
        woken = mine.wait(timeout)
        if not woken and mine in self._idle:
            self._idle.remove(mine)
        return woken

    def notify(self, n: int = 1) -> None:
        for _ in range(min(n, len(self._idle))):
            self._idle.pop().notify()

    def notify_all(self) -> None:
        self.notify(len(self._idle))
