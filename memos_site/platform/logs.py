"""How a line of the log looks. What may not stand in one is not given to it: no headers, cookies or query strings."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from memos_site.platform.correlation import request_id


class JSONLine(logging.Formatter):
    """One JSON object a line, with the id of the request that was served, if one was."""

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


class NoTraceOfRefusals(logging.Filter):
    """Of Django's lines about requests: what was refused, or is told as an outage, needs no traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        status = getattr(record, "status_code", 500)
        if status < 500 or status == 503:
            record.exc_info = record.exc_text = None
        return True
