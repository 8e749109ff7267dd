"""Instants, dates and numbers as text: in each reader's own zone and language."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from django.template import Context, Template
from django.utils import timezone, translation

from memos_site.review.verbs import attention
from memos_site.web import reader
from tests.test_house import ROOT

AT = datetime(2024, 12, 31, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "zone", "written", "day"),
    [
        ("en", "UTC", "31 Dec 2024, 23:30:00 UTC", "31 Dec 2024"),
        ("en", "Asia/Tokyo", "1 Jan 2025, 08:30:00 JST", "1 Jan 2025"),
        ("zh-hans", "UTC", "2024年12月31日 23:30:00 UTC", "2024年12月31日"),
    ],
)
def test_readers_of_one_instant_read_it_each_in_their_zone_and_language(
    language: str, zone: str, written: str, day: str
) -> None:
    with translation.override("en"), timezone.override(ZoneInfo("Europe/Berlin")):
        assert reader.absolute(AT) == "1 Jan 2025, 00:30:00 CET"  # of another reader, before
    with translation.override(language), timezone.override(ZoneInfo(zone)):
        assert reader.absolute(AT) == written
        assert reader.distance(AT) == day


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
