import pytest
from django.test import Client

from tests.make import make_person
from tests.pages import HTMX, signed_in

pytestmark = pytest.mark.django_db


def test_a_person_signs_in_and_out() -> None:
    make_person()
    client = Client()
    response = client.post("/login/", {"username": "anna", "password": "secret", "next": "/skills/"})
    assert response.headers["Location"] == "/skills/"
    assert client.post("/logout/").headers["Location"] == "/login/"
    assert client.get("/skills/").status_code == 302


def test_a_wrong_password_is_said_without_naming_which_half_is_wrong() -> None:
    make_person()
    page = Client().post("/login/", {"username": "anna", "password": "guess"}).content.decode()
    assert "Wrong name or password" in page


def test_a_fragment_asked_for_after_the_session_ended_brings_the_sign_in_page() -> None:
    response = Client().get("/login/", {"next": "/"}, headers=HTMX)
    assert response.headers["HX-Refresh"] == "true"


def test_pages_carry_a_policy_under_which_no_inline_script_or_style_runs() -> None:
    response = signed_in().get("/")
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    page = response.content.decode()
    assert " style=" not in page
    assert "<style" not in page
    assert " onclick=" not in page


def test_a_page_that_is_not_there_is_a_page() -> None:
    response = signed_in().get("/nowhere/")
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


def test_an_address_that_takes_another_method_is_a_page_that_says_so() -> None:
    client = signed_in()
    response = client.get("/runs/start/")
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")
    assert "This address is not a page" in response.content.decode()
    response = client.post("/runs/")
    assert response.status_code == 405 and "This page does not accept forms" in response.content.decode()
    client.post("/language/", {"language": "zh-hans"})
    assert "此地址不是页面" in client.get("/runs/start/").content.decode()
    assert client.get("/api/v1/observations").headers["Content-Type"] == "application/problem+json"
