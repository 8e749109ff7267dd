"""Log formatting: JSON lines, and no tracebacks for refused requests. Headers, cookies and queries are never logged."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from memos_site.platform.correlation import request_id


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
