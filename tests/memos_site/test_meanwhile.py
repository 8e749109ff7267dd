"""What is done beside the start of a server is done in its time, or left."""

import signal
from functools import partial
from multiprocessing import active_children
from pathlib import Path

import pytest

from memos_site.management.commands.serve import meanwhile


def test_what_is_done_in_time_is_waited_for(tmp_path: Path) -> None:
    done = tmp_path / "done"
    with meanwhile(partial(done.write_text, "done"), at_most=60.0):
        pass
    assert done.read_text() == "done"
    assert not active_children()


def test_what_is_not_done_in_time_is_ended() -> None:
    with meanwhile(signal.pause, at_most=0.0):
        [child] = active_children()
    assert child.exitcode == -signal.SIGKILL


def test_a_start_that_fails_ends_it_at_once() -> None:
    with pytest.raises(KeyboardInterrupt), meanwhile(signal.pause, at_most=60.0):
        [child] = active_children()
        raise KeyboardInterrupt
    assert child.exitcode == -signal.SIGKILL
