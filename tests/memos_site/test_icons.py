"""Icons that pages show beside words."""

from pathlib import Path

from django.conf import settings

from memories.values.choices import Status
from skills.models import SkillVersion


def test_every_status_has_a_shape() -> None:
    icons = Path(settings.BASE_DIR, "static/img/icons.svg").read_text()
    assert [one for one in (*Status.values, *SkillVersion.Status.values) if f'id="{one}"' not in icons] == []
