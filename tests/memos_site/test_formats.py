"""Dates and numbers as the reader's language writes them."""

import re
from datetime import UTC, datetime

from django.template import Context, Template
from django.utils import translation

from memos_site.review.verbs import attention
from tests.test_house import ROOT


def test_a_date_on_a_page_has_the_order_of_the_readers_language() -> None:
    """A literal format of days and months is that of one language only."""
    literal = re.compile(r"""\|date:["']([^"']*[jdDlMFNnmbE][^"']*)["']""")
    formats = {
        (path.name, found)
        for path in (ROOT / "templates").rglob("*.html")
        for found in literal.findall(path.read_text())
        if not found.endswith("_FORMAT")
    }
    assert formats == {("_another_time.html", r"Y-m-d\TH:i:s")}, "the value of a field, which no language changes"


def test_dates_and_numbers_in_chinese() -> None:
    at = datetime(2027, 8, 28, 9, 30, tzinfo=UTC)
    with translation.override("zh-hans"):
        assert attention.named_day(at) == "8月28日 星期六"
        assert (
            Template("{{ at|date:'DATE_FORMAT' }} {{ n|floatformat:'g' }}").render(Context({"at": at, "n": 12345}))
            == "2027年8月28日 12,345"
        )
