"""The tool rules of a scope: from the settings, the hints in callers' tool schemas and what people decided."""

from collections.abc import Iterable, Mapping

from django.conf import settings

from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.models import ToolDecision, ToolUse
from consolidation.pipelines.recorded import read_only_hints
from memories.models import Episode


def tool_rules(episodes: Iterable[Episode] = (), *, decided: Mapping[str, bool] | None = None) -> ToolRules:
    """Tool rules by the settings, how tools behaved, and the `readOnlyHint`s of these episodes; a later hint wins.

    `decided`: what people decided about tools, which holds against hints, as these do against behaviour; None: as it
    stands.
    """
    decisions = ToolDecision.objects.marks() if decided is None else decided
    return ToolRules(
        ignored=frozenset(settings.IGNORED_TOOLS),
        handover=tuple(settings.HANDOVER_TOOLS),
        command_tools=frozenset(settings.COMMAND_TOOLS),
        marked={**ToolUse.objects.that_read(), **read_only_hints(episodes), **decisions},
    )
