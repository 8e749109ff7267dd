"""Small recorded runs, written as scripts: what the user says, what is called, what comes back."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from uuid import NAMESPACE_URL, uuid5

from consolidation.learning.effects.effects import effects
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Message, Run
from consolidation.learning.writing.competence import Competence, learn
from skills.manifest import TrackRecord

Outcome = Literal["success", "failure", "partial"]
Script = str | tuple[str, Any, Any]  # what the user says; or a tool, its arguments and its result
RULES = ToolRules(handover=("transfer_*",), command_tools=frozenset({"bash"}))
START = datetime(2025, 3, 1, 9, tzinfo=UTC)


def run(
    n: int, *script: Script, outcome: Outcome = "success", thread: str | None = None, ok: bool | None = None
) -> Run:
    """The n-th run, an hour after the one before. A text is the user's, after "> " the agent's."""
    at = START + timedelta(hours=n)
    calls: list[Call] = []
    messages: list[Message] = []
    for position, step in enumerate(script):
        if isinstance(step, str):
            role = "assistant" if step.startswith("> ") else "user"
            messages.append(Message(position, role, step.removeprefix("> "), at))
        else:
            calls.append(Call(position, step[0], step[1], step[2], ok, at, None))
    return Run(uuid5(NAMESPACE_URL, f"run {n}"), thread, "agent", outcome, at, tuple(calls), tuple(messages))


def counted(runs: Sequence[Run]) -> TrackRecord:
    outcomes = [run.outcome for run in runs]
    return TrackRecord(
        successes=outcomes.count("success"), failures=outcomes.count("failure"), partials=outcomes.count("partial")
    )


def learned(runs: Sequence[Run], others: Sequence[Run] = (), rules: ToolRules = RULES, **more: Any) -> Competence:
    of_first = effects(runs[0], rules)
    known = {"taken": (), "record": counted(runs), **more}
    return learn(effects=of_first, runs=runs, other_runs=others, rules=rules, **known)


def text(competence: Competence) -> str:
    """Everything that the competence says, as JSON."""
    parts = [competence.fields.model_dump_json(), competence.recipe, competence.triggers]
    return " ".join(map(str, [*parts, competence.failure_modes, competence.fallbacks, competence.contrast]))
