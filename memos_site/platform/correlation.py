"""The id of the request being served, and of the background run: for audit rows, the log and traces, without passing
them as arguments."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from uuid import UUID

request_id: ContextVar[str] = ContextVar("request_id", default="")
run_id: ContextVar[UUID | None] = ContextVar("run_id", default=None)


def current() -> str:
    return request_id.get()


@contextmanager
def bearing(id: str, *, run: UUID | None = None) -> Iterator[None]:
    """Within the block what is done bears the id of the request that ordered it, and of the run that does it; `""` and
    None: those that are borne already."""
    token, run_token = request_id.set(id or request_id.get()), run_id.set(run or run_id.get())
    try:
        yield
    finally:
        request_id.reset(token)
        run_id.reset(run_token)
