"""A line of the log, for machines."""

import json
import logging
import sys

from memos_site.platform.correlation import request_id
from memos_site.platform.logs import JSONLine


def written(**more: object) -> dict[str, object]:
    record = logging.makeLogRecord({"name": "memos", "levelname": "ERROR", "msg": "lost %s", "args": ("α",), **more})
    return dict(json.loads(JSONLine().format(record)))


def test_it_names_the_request_that_was_served() -> None:
    token = request_id.set("0198")
    line = written()
    request_id.reset(token)
    assert (line["request_id"], line["message"], line["level"]) == ("0198", "lost α", "ERROR")
    assert "request_id" not in written()


def test_an_error_is_one_line_with_its_traceback() -> None:
    try:
        raise ValueError("broken")
    except ValueError:
        assert str(written(exc_info=sys.exc_info())["error"]).endswith("ValueError: broken")
