"""System checks of consolidation's rows in the database."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import Tags, Warning, register

from consolidation.models.groups import RuleGroup
from memories.models.digest_key import REMEDY, without_key


@register(Tags.database)
def check_group_keys(databases: Sequence[str] | None = None, **kwargs: Any) -> list[Warning]:
    """consolidation.W001: groups of pattern rules were sealed with a SECRET_KEY that is no longer known."""
    count = without_key(RuleGroup.objects.all()) if databases else 0
    if not count:
        return []
    message = f"{count} groups of the pattern rules were sealed with a former SECRET_KEY: their counts begin anew"
    return [Warning(message, hint=REMEDY, id="consolidation.W001")]
