"""The tool rules of a scope, from the settings and from the hints in callers' tool schemas."""

from collections.abc import Iterable

from django.conf import settings

from consolidation.learning.effects import ToolRules
from consolidation.pipelines.recorded import read_only_hints
from memories.models import Episode


def tool_rules(episodes: Iterable[Episode] = ()) -> ToolRules:
    """Tool rules by the settings and the `readOnlyHint`s of these episodes; a later episode's hint wins."""
    return ToolRules(
        ignored=frozenset(settings.IGNORED_TOOLS),
        handover=tuple(settings.HANDOVER_TOOLS),
        command_tools=frozenset(settings.COMMAND_TOOLS),
        marked=read_only_hints(episodes),
    )
