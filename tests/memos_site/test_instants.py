"""Instants as text: each reader's own zone and language."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone, translation

from memos_site.web import reader

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
