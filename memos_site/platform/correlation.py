"""The id of the request that is being served, so that an audit row can name it without every verb carrying it."""

from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("request_id", default="")
