"""A line of the log, for machines."""

import json
import logging
import sys

import pytest

from memos_site.platform.correlation import request_id
from memos_site.platform.logs import JSONLine
from tests.make import caller


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


@pytest.mark.django_db
def test_the_path_of_a_refused_request_is_logged_without_its_credentials(caplog: pytest.LogCaptureFixture) -> None:
    for path in (f"git token ghp_{'a1B2' * 9}", "口令是hunter2Kz", "password=hunter2Kz\\u000aforged"):
        caller().get(f"/api/v1/memories/by-key/{path}")
    assert [record.getMessage() for record in caplog.records if record.name == "django.request"] == [
        f"Not Found: /api/v1/memories/by-key/{shown}"
        for shown in ("git token ••••••", "口令是••••••", "password=•••••• forged")
    ]
