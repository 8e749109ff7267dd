"""The id of the request being served, for audit rows and the log, without passing it as an argument."""

from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("request_id", default="")
