"""System checks of the database's content."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import Tags, Warning, register

from memories.models import Tombstone
from memories.models.digest_key import REMEDY, without_key


@register(Tags.database)
def dismissals_hold(databases: Sequence[str] | None = None, **kwargs: Any) -> list[Warning]:
    """memories.W001: forgotten claims were sealed with a SECRET_KEY that is not known any more."""
    lost = without_key(Tombstone.objects.standing().filter(blocks=True)) if databases else 0
    if not lost:
        return []
    warning = f"{lost} dismissals or forgets were sealed with a former SECRET_KEY: what they are about may come back"
    return [Warning(warning, hint=REMEDY, id="memories.W001")]
