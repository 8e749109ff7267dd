"""What notes on the arguments of a write are worth, on recorded runs, each judged by what runs of other cases show.

    .venv/bin/python -m tests.benchmarks.argument_notes DATA

For every call that changes something: is there a note, of which kind, and did the call return an error (`errors`), or
at least its run fail (`in_failed`)? `false`: the call worked and its run ended well. And what is noticed of mistakes
that are made by hand in such calls: a value of another run in place of the right one (`foreign`), the last item of a
list left out (`shortened`). One JSON line a figure.
"""

import argparse
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from tests.benchmarks.guidance import is_write, loaded, show
from tests.benchmarks.store import empty_store

KINDS = {
    "was not shown": "not shown",
    "comes from": "other source",
    "equally many": "lengths",
    "in all, less than": "sums",
    "shown together": "together",
    "in which this call worked it was": "states",
    "calls of runs that ended well": "choices",
    "called it for none of": "records",
}
Json = dict[str, Any]
Known = Mapping[str, Mapping[str, Any]]  # tool -> argument -> habits


def kind(note: Json) -> str:
    return next(name for words, name in KINDS.items() if words in note["note"])


def habits(runs: list[tuple[Json, Any]], rules: Any) -> Known:
    from consolidation.learning.facts.argument_calls import argument_calls, json_values
    from consolidation.learning.facts.argument_habits import Habits, RunCalls

    shown: dict[tuple[str, str], list[RunCalls]] = defaultdict(list)
    for raw, run in runs:
        uses = defaultdict(list)
        for one in argument_calls(run, rules):
            uses[one.tool, one.argument].append(one)
        for about, found in uses.items():
            shown[about].append(RunCalls.of_rows(uuid5(NAMESPACE_URL, raw["apart"]), run.outcome, json_values(found)))
    known: dict[str, dict[str, Habits]] = defaultdict(dict)
    for (tool, argument), cases in shown.items():
        known[tool][argument] = Habits.of_runs(cases)
    return known


def conditions(runs: list[tuple[Json, Any]], rules: Any) -> list[Json]:
    """What decides arguments in these runs, as a skill of all of them would say."""
    from consolidation.learning.writing.competence import learn
    from skills.manifest import TrackRecord

    ended = [run for _, run in runs]
    skill = learn(effects=frozenset(), runs=ended, other_runs=ended, record=TrackRecord(), taken=(), rules=rules)
    return list(skill.contrast["choices"])


def before(run: Any, call: Any) -> Any:
    calls = tuple(one for one in run.calls if one.position < call.position)
    return replace(run, calls=calls, messages=tuple(m for m in run.messages if m.position < call.position))


def mistakes(call: Any, other: Any) -> Iterator[tuple[str, Json]]:
    for name, value in call.arguments.items():
        if isinstance(value, str) and any(map(str.isdigit, value)) and other.arguments.get(name, value) != value:
            yield "foreign", {**call.arguments, name: other.arguments[name]}
        if isinstance(value, list) and value:
            yield "shortened", {**call.arguments, name: value[:-1]}


def measure(domain: str, path: Path) -> None:
    from consolidation.guidance import choice_notes
    from consolidation.guidance.provenance import notes
    from consolidation.guidance.request import check
    from consolidation.pipelines.tool_rules import tool_rules

    rules, counted, draw, took = tool_rules(), Counter[str](), random.Random(1), 0.0
    runs = [
        (raw, replace(check({"messages": raw["messages"]}).run, outcome=raw["outcome"], thread_id=raw["apart"]))
        for raw in loaded(path, domain)
    ]
    writes = [(raw, run, call) for raw, run in runs for call in run.steps if is_write(call.name, domain)]
    known: dict[str, Known] = {}
    deciding: dict[str, list[Json]] = {}
    for raw, run, call in writes:
        case = raw["apart"]
        others = [one for one in runs if one[0]["apart"] != case]
        known[case] = known.get(case) or habits(others, rules)
        deciding[case] = deciding[case] if case in deciding else conditions(others, rules)
        so_far, asked = before(run, call), replace(call, result=None, ok=None)
        began = time.process_time()
        told = [*notes(so_far, asked, known[case].get(call.name, {}), rules)]
        told += choice_notes.notes_of_conditions(so_far, asked, choice_notes.read(deciding[case], call.name))
        found = {kind(note) for note in told}
        took += time.process_time() - began
        well = run.succeeded and not call.failed
        counted.update(calls=1, errors=call.failed, ended_well=well)
        for name in found:
            ended = "errors" if call.failed else "false" if well else "in_failed"
            counted.update({f"{name}, noted": 1, f"{name}, {ended}": 1})
        same = [one for r, _, one in writes if one.name == call.name and r["apart"] != case and not one.failed]
        for name, wrong in mistakes(call, draw.choice(same)) if well and same else ():
            told = notes(so_far, replace(asked, args=wrong), known[case].get(call.name, {}), rules)
            counted.update({f"{name}, made": 1, f"{name}, noticed": bool(told)})
    show(what=domain, **dict(sorted(counted.items())), cpu_ms=1000 * took / max(1, counted["calls"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    with empty_store():
        measure("airline", data / "airline-runs.jsonl")
        for domain in ("retail", "telecom"):
            measure(domain, data / "runs" / f"{domain}-runs.jsonl")


if __name__ == "__main__":
    main()
