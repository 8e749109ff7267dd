"""Whether a recorded run did what a line speaks of, and whether it showed the line's sign."""

import json
from typing import Any

from consolidation.extraction.transcripts import comparable
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs.run import Call, Run
from consolidation.learning.runs.values import leaves
from consolidation.model_lines.line_answers import ModelLine


def heeds(run: Run, line: ModelLine, rules: ToolRules) -> bool:
    """Whether the run did as the line says: made such a call where it says do, and none where it says do not."""
    return any(_is_meant(call, line, rules) for call in run.steps) == line.do


def calls_tool(run: Run, tool: str, rules: ToolRules) -> bool:
    return any(tool == call.name or tool in rules.kinds(call) for call in run.steps)


def _is_meant(call: Call, line: ModelLine, rules: ToolRules) -> bool:
    if line.tool != call.name and line.tool not in rules.kinds(call):
        return False
    if not line.argument:
        return True
    value = comparable(line.value)
    return any(line.argument in path and comparable(_text(leaf)) == value for path, leaf in leaves(call.arguments))


def shows(run: Run, sign: str) -> bool:
    """Whether a user or a tool said these words in the run."""
    words = comparable(sign)
    results = (_text(call.result) for call in run.steps if call.result is not None)
    return any(words in comparable(text) for text in (*(message.text for message in run.said), *results))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
