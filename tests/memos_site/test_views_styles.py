"""The style page: for staff alone, and complete: whatever tokens.css names is shown."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from memories.values.choices import Status
from skills.models import SkillVersion
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
COLOUR = re.compile(r"--([a-z0-9-]+): #")


def test_staff_see_every_colour_and_every_status() -> None:
    page = signed_in(group="administrator").get("/styles/").content.decode()
    tokens = Path(settings.BASE_DIR, "static/css/tokens.css").read_text()
    sheet = Path(settings.BASE_DIR, "static/css/styles.css").read_text()
    for name in set(COLOUR.findall(tokens)):
        assert f"swatch-{name}" in page and f".swatch-{name} " in sheet
    for status in Status.values:
        assert f"is-{status}" in page


def test_every_status_has_a_shape() -> None:
    icons = Path(settings.BASE_DIR, "static/img/icons.svg").read_text()
    assert [one for one in (*Status.values, *SkillVersion.Status.values) if f'id="{one}"' not in icons] == []


def test_others_are_not_shown_it() -> None:
    assert signed_in(group="reviewer").get("/styles/").status_code == 403
