"""What the facts about commands are worth: of the runs whose first test command failed to start, how many were spared.

    .venv/bin/python -m tests.benchmarks.facts DATA/runs/coding-runs.jsonl

Five folds by thread, each learned in a scope of its own from the other four. A held-out run knows the facts of the
place that its commands name before its first test command. It is spared when a fact names another command that starts
and, as far as the run tried that one, it did; misled when a fact says of what the run tried the opposite of what came.
`checks`: before the first call of each form of a command a check is asked, with the run so far: of those that did not
start how many were noted, and of those that did. The facts of all runs are printed last. One JSON line a figure.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.benchmarks import guidance
from tests.benchmarks.guidance import learn, loaded, splits
from tests.benchmarks.store import empty_store

Json = dict[str, Any]


def recorded(raw: Json) -> Any:
    """A run as the learner reads it, without a store."""
    from consolidation.learning.runs.call import Call
    from consolidation.learning.runs.run import Run

    at = datetime.now(UTC)
    results = {m["tool_call_id"]: m["content"] for m in raw["messages"] if m["role"] == "tool"}
    calls = [
        Call(n, call["function"]["name"], call["function"]["arguments"], results.get(call["id"]), None, at, None)
        for n, message in enumerate(raw["messages"])
        for call in message.get("tool_calls") or []
    ]
    return Run(uuid4(), raw["thread_id"], "agent", raw["outcome"], at, tuple(calls), ())


def first_test(run: Any) -> tuple[Any, str, dict[str, bool]] | None:
    """The first attempt at tests, the place as it was known before it, and what else the run tried."""
    from consolidation.learning.commands.purposes import TESTS
    from consolidation.learning.effects.command_starts import attempts
    from consolidation.learning.effects.places import place
    from consolidation.pipelines.tool_rules import tool_rules

    rules = tool_rules()
    tried = [attempt for attempt in attempts(run, rules) if attempt.purpose == TESTS]
    if not tried:
        return None
    for n in range(1, len(run.calls) + 1):
        so_far = replace(run, calls=run.calls[:n])
        if any(attempt.purpose == TESTS for attempt in attempts(so_far, rules)):
            before = replace(run, calls=run.calls[: n - 1])
            return tried[0], place(before, rules, {}), {attempt.form: attempt.started for attempt in tried}
    return None


def ask(raw: Json, scope: str) -> str:
    from consolidation.models.commands import CommandFact

    found = first_test(recorded(raw))
    if found is None:
        return "no test command"
    first, where, tried = found
    fact = CommandFact.objects.filter(scope=scope, place=where, purpose="tests").exclude(memory=None).first()
    said: dict[str, bool] = fact.said if fact else {}
    wrong = any(said.get(form, started) != started for form, started in tried.items())
    if wrong:
        return "misled"
    if first.started:
        return "started"
    starting = [form for form, starts in said.items() if starts and form != first.form]
    return "spared" if starting else "warned only" if said.get(first.form) is False else "failed, nothing known"


def first_calls(raw: Json) -> Iterator[tuple[Any, list[Any]]]:
    """The calls that try a form of a command for the first time, with these attempts, as far as their end is told."""
    from consolidation.learning.effects.command_starts import attempts
    from consolidation.pipelines.tool_rules import tool_rules

    known: set[str] = set()
    run = recorded(raw)
    for call in run.calls:
        fresh = [one for one in attempts(replace(run, calls=(call,)), tool_rules()) if one.form not in known]
        known |= {one.form for one in fresh}
        if fresh:
            yield call, fresh


def check(raw: Json, scope: str) -> Counter[str]:
    """What checks say of the first call of each form of a command of which the result can be told."""
    told: Counter[str] = Counter()
    for call, fresh in first_calls(raw):
        about = {"tool": call.name, "arguments": call.arguments}
        asked = guidance.ask(scope, {"messages": raw["messages"][: call.position], "about_to": about})
        noted = " ".join(note["note"] for note in asked.check.arguments)
        for one in fresh:
            ended = "started" if one.started else "did not start"
            told[f"{ended}, noted" if f"`{one.form}` did not start" in noted else ended] += 1
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path)
    runs = loaded(parser.parse_args().runs, "coding")
    with empty_store():
        from memories.models import Memory

        counted: Counter[str] = Counter()
        checked: Counter[str] = Counter()
        for _, parts, held_out in splits(runs, "coding"):
            for n, (learned, asked) in enumerate(zip(parts, held_out, strict=True)):
                learn(learned, f"project:fold-{n}")
                counted.update(ask(raw, f"project:fold-{n}") for raw in asked)
                for raw in asked:
                    checked.update(check(raw, f"project:fold-{n}"))
        sys.stdout.write(json.dumps({"figure": "first test commands", "runs": len(runs), **counted}) + "\n")
        sys.stdout.write(json.dumps({"figure": "checks", **checked}) + "\n")
        learn(runs, "project:all")
        for fact in Memory.objects.filter(scope="project:all", origin="consolidated", type="semantic").order_by("key"):
            sys.stdout.write(json.dumps({"fact": fact.content, "evidence": fact.evidence.count()}) + "\n")


if __name__ == "__main__":
    main()
