"""Wrong passwords: who is locked out, until when, and who is not."""

from datetime import timedelta
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.db.models import F
from django.test import Client, RequestFactory

from memos_site.web.account import address_of
from tests.make import make_person

pytestmark = pytest.mark.django_db


def sign_in(password: str, name: str = "anna", **sent: Any) -> Any:
    return Client().post("/login/", {"username": name, "password": password}, **sent)


def fail(times: int, **sent: Any) -> None:
    for _ in range(times):
        sign_in("guess", **sent)


def age_attempts(**passed: int) -> None:
    """As if the wrong passwords had been tried that long ago."""
    AccessAttempt.objects.update(attempt_time=F("attempt_time") - timedelta(**passed))


def test_three_wrong_passwords_lock_out_this_user_at_this_address_and_nobody_else() -> None:
    make_person()
    User.objects.create_user("berta", password="secret")
    fail(3)
    assert sign_in("secret").status_code == 429
    assert sign_in("secret", "berta").status_code == 302
    assert sign_in("secret", REMOTE_ADDR="10.0.0.7").status_code == 302


def test_the_lockout_ends_after_15_minutes_and_what_is_tried_meanwhile_does_not_prolong_it() -> None:
    make_person()
    fail(3)
    age_attempts(minutes=14)
    fail(2)
    assert sign_in("secret").status_code == 429
    age_attempts(minutes=1, seconds=1)
    assert sign_in("secret").status_code == 302


def test_the_page_says_until_when() -> None:
    make_person()
    fail(3)
    age_attempts(minutes=5)
    refused = sign_in("secret")
    page = refused.content.decode()
    until = AccessAttempt.objects.get().attempt_time + timedelta(minutes=15)
    assert f"{until:%H:%M:%S} UTC" in page
    assert 590 <= int(refused["Retry-After"]) <= 600


def test_the_page_tells_the_end_also_when_several_browsers_guessed() -> None:
    make_person()
    fail(2, HTTP_USER_AGENT="first")
    age_attempts(minutes=10)
    fail(2, HTTP_USER_AGENT="second")
    assert 290 <= int(sign_in("secret")["Retry-After"]) <= 300


def test_a_right_password_forgets_the_wrong_ones_before() -> None:
    make_person()
    for _ in range(3):
        fail(2)
        assert sign_in("secret").status_code == 302


def test_another_address_in_a_header_is_believed_only_of_a_trusted_proxy(settings: Any) -> None:
    make_person()
    fail(3, HTTP_X_FORWARDED_FOR="192.0.2.1")
    assert sign_in("secret", HTTP_X_FORWARDED_FOR="192.0.2.2").status_code == 429
    AccessAttempt.objects.all().delete()
    settings.TRUSTED_PROXIES = ["127.0.0.1/32"]
    fail(3, HTTP_X_FORWARDED_FOR="192.0.2.1")
    assert sign_in("secret", HTTP_X_FORWARDED_FOR="192.0.2.1").status_code == 429
    assert sign_in("secret", HTTP_X_FORWARDED_FOR="192.0.2.2").status_code == 302


@pytest.mark.parametrize(
    ("remote", "forwarded", "found"),
    [
        ("127.0.0.1", "", "127.0.0.1"),
        ("10.0.0.1", "192.0.2.1", "192.0.2.1"),
        ("10.0.0.1", "198.51.100.9, 192.0.2.1, 10.0.0.2", "192.0.2.1"),
        ("10.0.0.1", "made up, 10.0.0.2", "10.0.0.2"),
        ("192.0.2.9", "198.51.100.9", "192.0.2.9"),
        ("::ffff:192.0.2.9", "", "192.0.2.9"),
        ("2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::"),
        ("", "", None),
    ],
)
def test_a_client_is_known_by_the_nearest_address_that_is_no_proxy(
    settings: Any, remote: str, forwarded: str, found: str | None
) -> None:
    settings.TRUSTED_PROXIES = ["10.0.0.0/8"]
    request = RequestFactory().post("/login/", REMOTE_ADDR=remote, HTTP_X_FORWARDED_FOR=forwarded)
    assert address_of(request) == found
