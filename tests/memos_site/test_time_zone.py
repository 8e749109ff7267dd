"""In which time zone a page shows times: chosen by the person, else the workspace's."""

import re
from datetime import UTC, datetime

import pytest
from django.test import Client
from django.utils import timezone

from memories.models import Preferences
from tests.make import make_memory, make_person, make_run
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def choose(client: Client, zone: str) -> None:
    assert client.post("/time-zone/", {"time_zone": zone})["Location"] == "/profile/"


def times(client: Client) -> list[str]:
    """The absolute times that the list shows."""
    return re.findall(r'<time datetime="[^"]*" title="[^"]*?, ([^",]*)"', client.get("/memories/").content.decode())


def test_absolute_times_follow_the_zone_of_the_person() -> None:
    make_memory(created_at=NOON)
    client = signed_in()
    assert times(client) == ["12:00:00 UTC"]
    choose(client, "Asia/Shanghai")
    assert times(client) == ["20:00:00 CST"]
    assert "<option selected>Asia/Shanghai</option>" in client.get("/profile/").content.decode()
    choose(client, "")
    assert times(client) == ["12:00:00 UTC"]


def test_what_a_thread_does_next_is_not_for_this_reader() -> None:
    client = signed_in()
    choose(client, "Asia/Tokyo")
    client.get("/memories/")
    assert timezone.get_current_timezone_name() == "UTC"


def test_the_zone_follows_to_another_browser_and_leaves_with_the_person() -> None:
    make_person("anna")
    make_person("ben")
    make_memory(created_at=NOON)
    first, second = Client(), Client()
    for client in (first, second):
        client.post("/login/", {"username": "anna", "password": "secret"})
        if client is first:
            choose(client, "Asia/Tokyo")
    assert times(second) == ["21:00:00 JST"]
    second.post("/logout/")
    second.post("/login/", {"username": "ben", "password": "secret"})
    assert times(second) == ["12:00:00 UTC"]


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../etc/passwd", "Factory", "posix/UTC"])
def test_what_is_no_zone_changes_nothing(zone: str) -> None:
    client = signed_in()
    choose(client, zone)
    assert not Preferences.objects.exclude(time_zone="").exists()
    client.cookies["time_zone"] = zone
    assert client.get("/memories/").status_code == 200


def test_episodes_of_a_day_are_those_of_the_readers_day() -> None:
    make_run(title="Late in the evening", at=datetime(2026, 3, 1, 20, tzinfo=UTC))
    client = signed_in()
    query = {"from": "2026-03-02", "to": "2026-03-02"}
    assert "Late in the evening" not in client.get("/episodes/", query).content.decode()
    choose(client, "Asia/Shanghai")
    assert "Late in the evening" in client.get("/episodes/", query).content.decode()
