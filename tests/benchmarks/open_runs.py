"""What a check knows that names its open run, beside a check with the steps sent and one with the task alone.

    .venv/bin/python -m tests.benchmarks.open_runs DATA [--environment DIR] [--only airline]

Held-out runs as in `tests.benchmarks.guidance`. What happens is reported one by one as hooks do it, the user's words
and the calls with their results. Before every call that changes something (of coding runs: before the first call of
each form of a command) a check is asked in three ways: with the messages so far (`sent`), with the user's last words
and the thread (`thread`), and with these words alone (`task`). `as_sent`: with the same verdict, counts and notes;
`guided_as_sent`: with the same effects expected, too. `noted`: checks with a note; `noted_failed`: the call returned an
error or did not start. `warned_failed`: advised against in runs that failed. --environment: writes that are advised
against are left out and the rest executed (gained, lost). One JSON line a figure.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from tests.benchmarks import facts, guidance
from tests.benchmarks.guidance import WRITES, calls, is_write, learn, loaded, show, splits
from tests.benchmarks.replay import Replay
from tests.benchmarks.store import empty_store

Json = dict[str, Any]
SESSIONS = count(1)
WAYS = ("sent", "thread", "task")
PLACES = ("airline-runs.jsonl", "runs/retail-runs.jsonl", "runs/telecom-runs.jsonl", "runs/coding-runs.jsonl")


def reports(messages: list[Json]) -> list[Json]:
    """What hooks report of a run, in order; what the agent says is not among it."""
    from memories.intake.reports.messages import Reader

    said: list[Json] = []
    for n, draft in enumerate(Reader().read(messages)):
        if draft.kind == "tool_call":
            said.append({"tool_name": draft.tool, "args": draft.args, "result": draft.result, "ok": draft.ok})
        elif draft.role == "user":
            said.append({"event_kind": "user_message", "ref": f"m{n}", "summary": draft.text})
    return said


class Caller:
    """Asks in one way; a run under way has a thread of its own, to which is reported what came since the last check."""

    def __init__(self, way: str) -> None:
        self.way, self.thread, self.reported, self.took = way, "", 0, 0.0
        self.first: Json = {}

    def ask(self, scope: str, body: Json) -> Any:
        messages = body["messages"]
        if messages[0] is not self.first:
            self.first, self.reported, self.thread = messages[0], 0, f"session-{next(SESSIONS)}"
        run = {"source": "hook", "thread_id": self.thread}
        if self.way == "thread":
            self.report(messages, {**run, "scope": scope})
        task = {"task": next((str(m["content"]) for m in reversed(messages) if m["role"] == "user"), "Hello")}
        asked = {"sent": {"messages": messages}, "thread": {**task, **run}, "task": task}[self.way]
        began = time.process_time()
        told = guidance.ask(scope, {**asked, "about_to": body["about_to"]})
        self.took += time.process_time() - began
        return told

    def report(self, messages: list[Json], run: Json) -> None:
        from memories.intake.episodes import record_events
        from memories.intake.reports.events import EventReport, ToolOutputReport, check
        from memories.values.trust import everything

        new = reports(messages)[self.reported :]
        self.reported += len(new)
        shaped: list[Any] = [
            check(ToolOutputReport if "tool_name" in one else EventReport, {**one, **run}) for one in new
        ]
        if shaped:
            record_events(shaped, trust=everything(), at=datetime.now(UTC))


def questions(raw: Json, domain: str) -> Iterator[tuple[Json, bool]]:
    """What is asked before the calls of a run, and whether the call failed."""
    if domain == "coding":
        for call, fresh in facts.first_calls(raw):
            about = {"tool": call.name, "arguments": call.arguments}
            yield {"messages": raw["messages"][: call.position], "about_to": about}, not all(o.started for o in fresh)
        return
    from consolidation.guidance.request import check

    ended = iter([call.failed for call in check({"messages": raw["messages"]}).run.steps])
    for (at, name, arguments), failed in zip(calls(raw), ended, strict=True):
        if is_write(name, domain):
            yield {"messages": raw["messages"][:at], "about_to": {"tool": name, "arguments": arguments}}, failed


def measure(domain: str, path: Path, replay: Replay | None) -> None:
    for name, learned, held_out in splits(loaded(path, domain), domain):
        parts = [(f"{domain}-{name.replace(', ', '-').replace(' ', '-')}-{n}", part) for n, part in enumerate(held_out)]
        for (scope, _), part in zip(parts, learned, strict=True):
            learn(part, scope)
        told: dict[str, list[Any]] = {}
        for way in WAYS:
            caller, counted = Caller(way), Counter[str]()
            told[way] = []
            for scope, raw, (body, failed) in ((s, r, q) for s, p in parts for r in p for q in questions(r, domain)):
                answer = caller.ask(scope, body)
                told[way].append(answer)
                noted, warned = bool(answer.check.arguments), answer.check.verdict == "advised_against"
                counted.update({answer.check.verdict: 1, "noted": noted, "noted_failed": noted and failed})
                counted.update(checks=1, failed=failed, warned_failed=warned and raw["outcome"] != "success")
            checks = [a.check == b.check for a, b in zip(told["sent"], told[way], strict=True)]
            guided = [a.expected.effects == b.expected.effects for a, b in zip(told["sent"], told[way], strict=True)]
            figures: Json = replay.put_to_the_test(parts, Caller(way).ask, calls, WRITES) if replay else {}
            figures = {key: figures[key] for key in ("touched", "gained", "lost") if key in figures}
            show(
                what=f"{domain}, {name}, {way}", **dict(sorted(counted.items())), as_sent=sum(checks),
                guided_as_sent=sum(g and c for g, c in zip(guided, checks, strict=True)), **figures,
                cpu_ms=1000 * caller.took / max(1, counted["checks"]),
            )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--environment", type=Path, help="the folder that holds the tau_bench package")
    parser.add_argument("--only", action="append", help="airline, retail, telecom or coding")
    given = parser.parse_args()
    with empty_store():
        for place in PLACES:
            domain = Path(place).name.removesuffix("-runs.jsonl")
            if not given.only or domain in given.only:
                replay = Replay(given.environment) if domain == "airline" and given.environment else None
                measure(domain, given.data / place, replay)


if __name__ == "__main__":
    main()
