"""System checks of what the database holds."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import Tags, Warning, register

from consolidation.models.groups import RuleGroup
from memories.models.digest_key import REMEDY, without_key


@register(Tags.database)
def groups_are_known_again(databases: Sequence[str] | None = None, **kwargs: Any) -> list[Warning]:
    """consolidation.W001: groups of pattern rules were sealed with a SECRET_KEY that is not known any more."""
    lost = without_key(RuleGroup.objects.all()) if databases else 0
    if not lost:
        return []
    said = f"{lost} groups of the pattern rules were sealed with a former SECRET_KEY: their counts begin anew"
    return [Warning(said, hint=REMEDY, id="consolidation.W001")]
