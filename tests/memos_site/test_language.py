"""In which language a page is shown: chosen by the person, else by the browser, else by the setting."""

import pytest
from django.conf import settings
from django.test import Client
from django.utils.translation import get_language

from memories.models import Preferences
from tests.make import make_person
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
CHINESE = {"HTTP_ACCEPT_LANGUAGE": "zh-CN,zh;q=0.9,en;q=0.5"}


def language_of(client: Client, path: str = "/memories/", **headers: str) -> str:
    page = client.get(path, **headers)  # type: ignore[arg-type]
    text: str = page.content.decode()
    return text.split('<html lang="', 1)[1].split('"', 1)[0]


def choose(client: Client, language: str, **form: str) -> str:
    answer = client.post("/language/", {"language": language, **form})
    assert answer.status_code == 302
    return str(answer["Location"])


def sign_in(client: Client, name: str) -> None:
    assert client.post("/login/", {"username": name, "password": "secret"}).status_code == 302


def test_nothing_chosen_the_browser_is_asked_then_the_setting() -> None:
    client = signed_in()
    assert language_of(client) == "en"
    assert language_of(client, **CHINESE) == "zh-hans"
    assert language_of(client, HTTP_ACCEPT_LANGUAGE="fr") == "en"


def test_the_choice_beats_the_browser_and_returns_to_the_page() -> None:
    client = signed_in()
    assert choose(client, "zh-hans", next="/memories/?type=semantic") == "/memories/?type=semantic"
    assert language_of(client, HTTP_ACCEPT_LANGUAGE="en") == "zh-hans"
    choose(client, "en")
    assert language_of(client, **CHINESE) == "en"


def test_the_choice_follows_to_another_browser() -> None:
    make_person("anna")
    first, second = Client(), Client()
    sign_in(first, "anna")
    choose(first, "zh-hans")
    sign_in(second, "anna")
    assert language_of(second) == "zh-hans"


def test_what_is_chosen_on_the_sign_in_page_is_kept_for_the_person_who_signs_in() -> None:
    person = make_person("anna")
    client = Client()
    choose(client, "zh-hans", next="/login/?next=/memories/")
    assert language_of(client, "/login/") == "zh-hans"
    sign_in(client, "anna")
    assert Preferences.objects.language_of(person) == "zh-hans"


def test_the_next_person_of_a_shared_browser_gets_their_own_language() -> None:
    anna, berta = make_person("anna"), make_person("berta")
    Preferences.objects.choose(anna, language="zh-hans")
    Preferences.objects.choose(berta, language="en")
    client = Client()
    for name, language in (("anna", "zh-hans"), ("berta", "en")):
        sign_in(client, name)
        assert language_of(client) == language
        client.post("/logout/")


@pytest.mark.parametrize("language", ["fr", "", "zh-hans\r\nSet-Cookie: a=b", "x" * 3_000])
def test_an_unknown_language_changes_nothing(language: str) -> None:
    client = signed_in()
    answer = client.post("/language/", {"language": language, "next": "https://elsewhere.example/"})
    assert answer.status_code == 302
    assert answer["Location"] == "/"
    assert settings.LANGUAGE_COOKIE_NAME not in answer.cookies
    assert not Preferences.objects.exists()


def test_programs_read_english_whatever_the_browser_asks() -> None:
    client = signed_in()
    choose(client, "zh-hans")
    spoken = [client.get(path, **CHINESE) for path in ("/api/v1/memories/x", "/api/v1/inbox?kind=nonsense")]  # type: ignore[arg-type]
    assert [answer.content.isascii() for answer in spoken] == [True, True]
    assert "Content-Language" not in spoken[0]


def test_the_documentation_of_the_api_is_a_page() -> None:
    client = signed_in()
    choose(client, "zh-hans")
    assert language_of(client, "/api/docs/") == "zh-hans"


def test_the_language_ends_with_the_request() -> None:
    client = signed_in()
    choose(client, "zh-hans")
    assert language_of(client) == "zh-hans"
    assert get_language() == settings.LANGUAGE_CODE


@pytest.mark.parametrize(("shown", "offered"), [("zh-CN", "English"), ("en", "简体中文")])
def test_the_switch_names_a_language_in_its_own_words(shown: str, offered: str) -> None:
    page = Client().get("/login/", HTTP_ACCEPT_LANGUAGE=shown).content.decode()
    assert f"<span>{offered}</span>" in page
