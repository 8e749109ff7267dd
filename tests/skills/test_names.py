import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills.names import display_name, file_name, slug


@given(st.text())
def test_every_text_has_a_valid_name(text: str) -> None:
    name = slug(text)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert len(name) <= 64


@given(st.text())
def test_a_name_names_itself(text: str) -> None:
    assert slug(slug(text)) == slug(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Travel Itinerary Planning", "travel-itinerary-planning"),
        ("skill:get_user+cancel", "skill-get-user-cancel"),
        ("Café déjà vu", "cafe-deja-vu"),
        ("--don't--", "dont"),
        ("prompt", "prompt-skill"),
    ],
)
def test_a_latin_name_stays_readable(text: str, name: str) -> None:
    assert slug(text) == name


def test_names_without_latin_letters_stay_apart() -> None:
    assert slug("旅行计划") != slug("行程计划")
    assert re.fullmatch(r"skill-[0-9a-f]{8}", slug("旅行计划"))
    assert re.fullmatch(r"ai-[0-9a-f]{8}", slug("AI 助手"))


def test_long_names_that_differ_at_the_end_stay_apart() -> None:
    assert slug("word " * 30 + "one") != slug("word " * 30 + "two")


def test_a_display_name_is_made_from_the_name() -> None:
    assert display_name("travel-planning-2") == "Travel Planning 2"


@given(st.text(), st.sampled_from([".py", ".md", ""]))
def test_a_file_name_is_safe_or_refused(stem: str, ending: str) -> None:
    try:
        name = file_name(stem + ending)
    except ValueError:
        return
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name)
    assert file_name(name) == name


@pytest.mark.parametrize(
    ("given_name", "name"),
    [
        ("budget calculator.py", "budget_calculator.py"),
        ("./run.sh", "run.sh"),
        ("scripts/run.sh", "run.sh"),
        ("Résumé.MD", "Resume.md"),
        ("_private.py", "private.py"),
        ("notes", "notes.md"),
        ("计划.py", "file-"),
    ],
)
def test_a_file_name_is_put_right_where_a_rule_can(given_name: str, name: str) -> None:
    assert file_name(given_name, folder="scripts", default=".md").startswith(name)


@pytest.mark.parametrize(
    "name",
    [
        "../../evil.py",
        "a/b.py",
        "a\\b.py",
        "/etc/passwd.txt",
        ".env.txt",
        "..",
        "",
        "run.exe",
        "a\x00.py",
        "x" * 120 + ".py",
    ],
)
def test_a_file_name_that_no_rule_mends_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="file"):
        file_name(name)
