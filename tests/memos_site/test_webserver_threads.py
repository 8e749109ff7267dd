"""The thread that was idle for the shortest time gets the next request."""

import threading

from waitress.task import ThreadedTaskDispatcher

from memos_site.platform.webserver.threads import LatestFirst


class Work:
    """A request that says which thread had it, and may wait for another."""

    def __init__(self, until: threading.Event | None = None) -> None:
        self.began, self.done, self.until, self.thread = threading.Event(), threading.Event(), until, ""

    def service(self) -> None:
        self.thread = threading.current_thread().name
        self.began.set()
        if self.until:
            self.until.wait(30)
        self.done.set()

    def cancel(self) -> None: ...


def idle(dispatcher: ThreadedTaskDispatcher) -> None:
    """Return when no thread has work."""
    while True:
        with dispatcher.lock:
            if dispatcher.active_count == 0:
                return


def test_the_next_request_goes_to_the_thread_that_was_idle_last() -> None:
    dispatcher = ThreadedTaskDispatcher()
    dispatcher.queue_cv = LatestFirst(dispatcher.lock)
    dispatcher.set_thread_count(8)
    idle(dispatcher)
    answered = []
    for _ in range(20):
        work = Work()
        dispatcher.add_task(work)
        assert work.done.wait(30)
        idle(dispatcher)
        answered.append(work.thread)
    assert len(set(answered)) == 1
    at_once, end = [], threading.Event()
    for _ in range(8):
        at_once.append(Work(end))
        dispatcher.add_task(at_once[-1])
        assert at_once[-1].began.wait(30)
    assert len({work.thread for work in at_once}) == 8
    end.set()
    idle(dispatcher)
    dispatcher.shutdown()
    assert dispatcher.threads == set()
