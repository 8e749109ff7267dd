"""A Ctrl-C while Memos starts ends it, also where Python only prints the KeyboardInterrupt."""

import weakref
from concurrent.futures import Future

import pytest

from memos_site.management.commands.serve import result_of
from memos_site.platform.supervision import hangups


class Referred:
    """Something that a weak reference can have."""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_was_raised_in_a_callback_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hangups, "_interrupts", [])
    referred = Referred()
    reference = weakref.ref(referred, lambda _: hangups._interrupt(2, None))
    del referred  # its callback raises here, and Python goes on
    assert reference() is None
    with pytest.raises(KeyboardInterrupt):
        result_of(Future[None]())


def test_without_an_interrupt_the_result_is_waited_for() -> None:
    future: Future[str] = Future()
    future.set_result("prepared")
    assert result_of(future) == "prepared"
