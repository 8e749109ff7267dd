"""The page of settings is made from the settings, so that their text stands once."""

from memos_site.platform.environment import BASE_DIR, FIRST, SECRETS, Environment
from tests.memos_site import settings_page


def test_the_page_of_settings_is_the_one_that_the_settings_make() -> None:
    assert (BASE_DIR / "docs" / "settings.md").read_text() == settings_page.page(), (
        "run `python -m tests.memos_site.settings_page > docs/settings.md`"
    )


def test_every_setting_stands_in_one_section_and_says_what_it_does() -> None:
    lines = settings_page.page().splitlines()
    fields = Environment.model_fields
    rows = {name: [line for line in lines if line.startswith(f"| `{name}` |")] for name in fields}
    assert {name: len(row) - (name in FIRST) for name, row in rows.items()} == dict.fromkeys(fields, 1)
    assert [name for name, field in fields.items() if not field.description] == []


def test_what_is_never_shown_and_what_people_turn_first_are_settings() -> None:
    assert {*SECRETS, *FIRST} <= Environment.model_fields.keys()
    assert len(FIRST) == 12


def test_there_are_few_enough_settings_to_read() -> None:
    assert len(Environment.model_fields) <= 60, "take another one out first, or find a default that suits everybody"
