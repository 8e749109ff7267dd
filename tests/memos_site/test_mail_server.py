"""EMAIL_URL: the server that sends mails."""

from typing import Any

import pytest

from memos_site import checks
from memos_site.platform.service_settings import CONSOLE, SENDER, mail_settings


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("smtp://mail.example.com", (25, "", "", False, False)),
        ("smtp://anna%40example.com:p%2Fw@mail.example.com:587", (587, "anna@example.com", "p/w", False, True)),
        ("smtps://me:secret@mail.example.com", (465, "me", "secret", True, False)),
        ("smtps://mail.example.com:587", (587, "", "", True, False)),
    ],
)
def test_the_address_of_a_server_says_how_it_is_spoken_to(url: str, expected: tuple[object, ...]) -> None:
    made = mail_settings(url)
    names = ("EMAIL_PORT", "EMAIL_HOST_USER", "EMAIL_HOST_PASSWORD", "EMAIL_USE_SSL", "EMAIL_USE_TLS")
    assert (made["EMAIL_HOST"], *(made[name] for name in names)) == ("mail.example.com", *expected)
    assert (mail_settings("")["EMAIL_BACKEND"], made["DEFAULT_FROM_EMAIL"]) == (CONSOLE, SENDER)


def test_the_address_of_a_server_names_the_sender() -> None:
    made = mail_settings("smtp://me@mail.example.com:587?from=Memos%20<memos@example.com>")
    assert (made["EMAIL_HOST"], made["DEFAULT_FROM_EMAIL"]) == ("mail.example.com", "Memos <memos@example.com>")


def test_links_that_lead_to_the_readers_own_machine_are_warned_of(settings: Any) -> None:
    settings.EMAIL_BACKEND = mail_settings("smtp://mail.example.com")["EMAIL_BACKEND"]
    settings.SITE_URL = "https://memos.example.com"
    assert checks.links_of_mails_lead_here() == []
    settings.SITE_URL = "http://localhost:8000"
    assert [warning.id for warning in checks.links_of_mails_lead_here()] == ["memos_site.W001"]
    settings.EMAIL_BACKEND = CONSOLE
    assert checks.links_of_mails_lead_here() == []
