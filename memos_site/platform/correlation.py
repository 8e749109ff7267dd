"""The id of the request being served, for audit rows, the log and traces, without passing it as an argument."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("request_id", default="")


def current() -> str:
    return request_id.get()


@contextmanager
def bearing(id: str) -> Iterator[None]:
    """Within the block what is done bears the id of the request that ordered it; `""`: the id that is borne already."""
    token = request_id.set(id or request_id.get())
    try:
        yield
    finally:
        request_id.reset(token)
