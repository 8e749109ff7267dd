"""What is logged and how: a line or a JSON object a record, and no tracebacks for refused requests.

Headers, cookies and queries are never logged; of the paths of refused requests, in which a caller's own keys stand, no
credential.
"""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from django.utils.module_loading import import_string

from memos_site.platform.correlation import request_id

QUIET: dict[str, dict[str, Any]] = {
    "axes": {"level": "WARNING"},
    # they name addresses, and in DEBUG what they sign
    **{name: {"level": "WARNING"} for name in ("boto3", "botocore", "s3transfer", "oss2", "urllib3")},
    "httpx": {"level": "WARNING"},  # it names each address that it asks
    "httpx2": {"level": "WARNING"},
    "openai": {"level": "WARNING"},
    "opentelemetry": {"level": "WARNING"},
    "django-q": {"level": "WARNING"},  # a line for each nudge is noise
    "waitress": {"level": "WARNING"},
    "waitress.queue": {"level": "ERROR"},  # a line for each request that waits for a thread, too
}


def logging_settings(form: str, *, masked_by: str) -> dict[str, Any]:
    """Django's LOGGING: everything to standard error, as a "line" or as "json". `masked_by`: the dotted name of the
    function that masks credentials in a text, imported with the first refusal.
    """
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
            "json": {"()": JSONLine},
        },
        "filters": {
            "no_trace_of_refusals": {"()": DropRefusalTracebacks},
            "no_credentials": {"()": MaskCredentials, "masked_by": masked_by},
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": form}},
        "root": {"handlers": ["console"], "level": "INFO"},
        "loggers": {
            "django": {"handlers": [], "level": "INFO"},  # its own handler speaks only in DEBUG
            "django.request": {"filters": ["no_trace_of_refusals", "no_credentials"]},
            **QUIET,
        },
    }


class JSONLine(logging.Formatter):
    """Format a record as one JSON object, with the id of the request being served, if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if request_id.get():
            line["request_id"] = request_id.get()
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


class DropRefusalTracebacks(logging.Filter):
    """Drop the traceback from Django's request log for refusals (below 500) and outages (503)."""

    def filter(self, record: logging.LogRecord) -> bool:
        status = getattr(record, "status_code", 500)
        if status < 500 or status == 503:
            record.exc_info = record.exc_text = None
        return True


class MaskCredentials(logging.Filter):
    """Mask the credentials in a message."""

    def __init__(self, masked_by: str) -> None:
        super().__init__()
        self.masked_by = masked_by

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = import_string(self.masked_by)(record.getMessage()), ()
        return True
