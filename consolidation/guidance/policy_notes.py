"""Calls that break a rule of the agents' instructions: one that people accepted."""

from collections.abc import Iterator

from consolidation.guidance.provenance import Note
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.facts.call_rules import broken
from consolidation.learning.runs.run import Call, Run
from consolidation.models import Policy
from memories.values.exceptions import within
from memories.values.trust import Trust


def notes(run: Run, call: Call, rules: ToolRules, trust: Trust) -> Iterator[Note]:
    """One for each rule that the call breaks, by what it sends and what the run has shown."""
    held = {policy.rule: policy.memory for policy in Policy.objects.in_force(call.name, trust)} if call.name else {}
    for rule in broken(list(held), run, call, rules):
        pointer = within("/arguments", rule.argument) if rule.argument else "/tool"
        yield {"pointer": pointer, "note": f"Confirmed rule {held[rule].key}: {held[rule].content}"}
