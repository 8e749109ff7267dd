"""The supervisor keeps its children running, and stops them all when it is told to."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memos_site.platform.supervision.child import FORK, Child, Fork
from memos_site.platform.supervision.successor import Invocation, Successor
from memos_site.platform.supervision.supervisor import Supervisor
from tests.memos_site.processes import SOURCE, children, kill, until, usual_signals

SCRIPT = """
import os, signal, sys
from memos_site.platform.supervision import child, supervisor
child.Child.grace, child.FIRST_PAUSE, child.LONGEST_PAUSE = {grace}, 0.01, 0.04

def steady(ready):
    print(os.getpid(), flush=True)
    signal.pause()

def stubborn(ready):
    signal.signal(signal.SIGTERM, lambda *_: os.write(1, b"no\\n"))
    print(os.getpid(), flush=True)
    while True:
        signal.pause()

def brief(ready):
    print(os.getpid(), flush=True)
    sys.exit(7)

def mother(ready):
    if os.fork():
        signal.pause()
    stubborn(ready)

supervisor.Supervisor(dict(child={child_work})).run()
print("over")
"""

LOST_INTERRUPT = """
import os, signal
from memos_site.platform.supervision import hangups
hangups.keep()
os.register_at_fork(after_in_parent=lambda: signal.raise_signal(signal.SIGINT))
os.fork() or os._exit(0)
"""


def run(child: str, *, grace: float = 30, before: str = "") -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", before + SCRIPT.format(child_work=child, grace=grace)]
    return subprocess.Popen(command, cwd=SOURCE, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.fixture(autouse=True)
def hangs_are_failures() -> Iterator[None]:
    """An end to waiting for a line that never comes."""

    def fail(*_: object) -> None:
        raise TimeoutError("no line came")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def test_it_stops_its_child_on_sigterm_and_says_nothing_bad() -> None:
    process = run("steady")
    line(process)
    process.terminate()
    assert process.communicate() == ("over\n", "")


def test_it_starts_an_ended_child_again_with_longer_and_longer_pauses() -> None:
    process = run("brief")
    assert len({line(process) for _ in range(4)}) == 4
    process.terminate()
    _, errors = process.communicate()
    said = [words.split(" ended ")[1] for words in errors.splitlines()]
    assert said[:3] == [f"with code 7; starting it again in {pause} s" for pause in ("0.0", "0.0", "0.0")]
    assert process.returncode == 0


def test_it_kills_a_child_that_does_not_stop_in_time() -> None:
    process = run("stubborn", grace=0.1)
    child = int(line(process))
    assert children(process.pid) == [child]
    process.terminate()
    output, errors = process.communicate()
    assert output.endswith("over\n")
    assert "does not stop: killing it" in errors


def insisted(process: "subprocess.Popen[str]") -> bool:
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    return process.poll() is not None


def test_a_second_signal_is_impatience() -> None:
    process = run("stubborn")
    line(process)
    process.send_signal(signal.SIGINT)
    assert line(process) == "no"
    until(lambda: insisted(process))  # a signal right after the first one is the same wish
    output, errors = process.communicate()
    assert output == "over\n"
    assert "killing it" in errors


def test_an_interrupt_that_was_lost_in_a_callback_of_a_fork_ends_it_before_it_starts_anything() -> None:
    with usual_signals():
        process = run("steady", before=LOST_INTERRUPT)
    output, errors = process.communicate()
    assert "KeyboardInterrupt" in errors, "which Python only printed"
    assert output == "over\n"


def test_what_a_dead_child_left_is_swept() -> None:
    process = run("mother")
    orphan = int(line(process))
    kill(children(process.pid)[0])
    assert int(line(process)) != orphan
    until(lambda: orphan not in children(1))
    process.terminate()
    process.communicate()


def test_its_children_do_not_outlive_it() -> None:
    process = run("steady")
    child = int(line(process))
    process.kill()
    process.communicate()
    until(lambda: child not in children(1))


class Unstartable(Child):
    """A process that has ended and cannot be started again: no memory is left."""

    pid, exitcode = 0, 1

    def start(self) -> None:
        raise OSError(12, "Cannot allocate memory")

    def join(self) -> None: ...


def test_a_child_that_cannot_be_started_is_tried_again_later(caplog: pytest.LogCaptureFixture) -> None:
    child = Unstartable("web 1")
    Supervisor({})._start_again(child)
    assert child.due > 0
    assert "web 1 cannot be started: [Errno 12] Cannot allocate memory; trying again" in caplog.text


def test_what_could_not_be_forked_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoProcessLeft:
        def __init__(self, **_how: object) -> None: ...

        def start(self) -> None:
            raise BlockingIOError(11, "Resource temporarily unavailable")

    child, former = Fork("web 1", lambda ready: None, -1), object()
    child.process = former
    monkeypatch.setattr(FORK, "Process", NoProcessLeft)
    with pytest.raises(BlockingIOError):
        child.start()
    assert child.process is former


def test_new_code_that_is_not_there_leaves_the_former_in_place(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lost = Invocation([sys.executable], str(tmp_path / "gone"), {})
    supervisor = Supervisor({}, successor=lambda: Successor(lost, None))
    supervisor.reload_requested = True
    supervisor._reload()
    assert supervisor.successor is None
    assert "the new process cannot be started" in caplog.text and "the former ones go on" in caplog.text


class Ended(Child):
    """A process that was started, and has ended with code 0."""

    pid, exitcode = 0, 0

    def start(self) -> None: ...

    def join(self) -> None: ...

    def end(self) -> None: ...


def test_the_end_of_a_successor_that_was_given_up_is_not_the_end_of_the_children() -> None:
    """What is called then gives their unfinished jobs to others, while they still do them."""
    calls: list[str] = []
    supervisor = Supervisor({"worker": lambda ready: None}, at_end=lambda: calls.append("end"))
    supervisor.retiring = [Ended("a successor")]
    supervisor._collect_retired()
    assert (supervisor.retiring, calls) == ([], [])

    supervisor.children, supervisor.retiring = [Ended("another successor")], [Ended("worker")]
    supervisor._collect_retired()
    assert calls == ["end"]
