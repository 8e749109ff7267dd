"""What guidance is worth on recorded runs: right of answered, calibration, silence, and writes put to the test.

    .venv/bin/python -m tests.benchmarks.guidance DATA [--environment DIR] [--only airline]

DATA holds airline-runs.jsonl and runs/{retail,telecom}-runs.jsonl. Each split learns in a scope of its own: of the
airline runs trial 0 and is asked about trial 1 (`recurring`), and everywhere five folds by thread (`left out`). The
retail runs of two agents number their tasks differently, so a thread there is no case: recurring learns the runs of
one agent, who has met all tasks, and asks about the other's; folds are of customers. What a run should have changed is
known there from the run itself, so only runs that ended well are asked about.
--environment: the folder that holds the tau-bench package, to execute what is left of the recorded writes (`replay`).
One JSON line a figure.
"""

import argparse
import json
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.benchmarks.replay import Replay
from tests.benchmarks.store import empty_store

Json = dict[str, Any]
WRITES = {
    "book_reservation", "cancel_reservation", "send_certificate", "update_reservation_baggages",
    "update_reservation_flights", "update_reservation_passengers", "cancel_pending_order",
    "exchange_delivered_order_items", "modify_pending_order_address", "modify_pending_order_items",
    "modify_pending_order_payment", "modify_user_address", "return_delivered_order_items",
}  # fmt: skip
FOLDS = 5
CUSTOMER = re.compile(r"\b[a-z]+_[a-z]+_\d{4}\b")
OFF_TOPIC = (
    "Write a haiku about the sea", "What is the capital of Mongolia?", "How do I bake sourdough bread at home?",
    "Explain quantum chromodynamics on a lattice", "My cat refuses to eat, what should I do?",
    "Translate 'good morning' into Japanese", "I want to cancel my gym membership.",
    "Can you help me change the oil of my car?", "What's the weather like in Paris tomorrow?",
    "Please summarize the plot of Hamlet.", "I need to return a library book late, is there a fine?",
    "Book a table for two at an Italian restaurant tonight.", "Solve x^2 + 3x + 2 = 0", "Who won the cup in 1998?",
    "Could you recommend a good science fiction novel?", "Hi, I need help with my tax declaration.",
    "明天的天气怎么样？", "The button of my landing page is not centered.", "What is 200 dollars in euros today?",
    "Tell me a joke about programmers",
)  # fmt: skip


def is_write(tool: str, domain: str) -> bool:
    return not tool.startswith(("get_", "transfer_")) if domain == "telecom" else tool in WRITES


def calls(run: Json) -> Iterator[tuple[int, str, Any]]:
    for at, message in enumerate(run["messages"]):
        for call in message.get("tool_calls") or []:
            arguments = call["function"]["arguments"]
            yield at, call["function"]["name"], json.loads(arguments) if isinstance(arguments, str) else arguments


def write_set(run: Json, domain: str) -> frozenset[str]:
    return frozenset(name for _, name, _ in calls(run) if is_write(name, domain))


def before_first_write(run: Json, domain: str) -> list[Json]:
    first = next((at for at, name, _ in calls(run) if is_write(name, domain)), len(run["messages"]))
    return list(run["messages"][:first])


def opening(run: Json) -> list[Json]:
    first = next(at for at, message in enumerate(run["messages"]) if message["role"] == "user")
    return list(run["messages"][: first + 1])


def customer(run: Json) -> str:
    """The id that is named most often."""
    named = Counter(CUSTOMER.findall(json.dumps([m for m in run["messages"] if m["role"] != "system"])))
    return named.most_common(1)[0][0] if named else str(run["id"])


def loaded(path: Path, domain: str) -> list[Json]:
    """The runs. `apart`: what has the same of it never stands in two folds."""
    runs: list[Json] = [json.loads(line) for line in path.open()]
    if domain == "retail":
        return [{**run, "thread_id": run["id"], "task_id": run["id"], "apart": customer(run)} for run in runs]
    return [{**run, "apart": run["thread_id"]} for run in runs]


def splits(runs: list[Json], domain: str) -> Iterator[tuple[str, list[list[Json]], list[list[Json]]]]:
    """Name, what each part learns from, what each part is asked about."""
    if domain == "airline":
        trials = [[run for run in runs if run["trial"] == trial] for trial in (0, 1)]
        yield "recurring", [trials[0]], [trials[1]]
        yield "recurring, trials swapped", [trials[1]], [trials[0]]
    if domain == "retail":
        agents = [[run for run in runs if name in run["id"]] for name in ("-gpt5-", "-gpt41-")]
        yield "recurring", [agents[0]], [agents[1]]
    groups = sorted({run["apart"] for run in runs})
    random.Random(1).shuffle(groups)
    folds = [set(groups[n::FOLDS]) for n in range(FOLDS)]
    learn = [[run for run in runs if run["apart"] not in fold] for fold in folds]
    yield "left out", learn, [[run for run in runs if run["apart"] in fold] for fold in folds]


def learn(runs: list[Json], scope: str) -> None:
    from consolidation import consolidation_run
    from consolidation.models import Run
    from memories.intake import episodes
    from memories.intake.reports import conversation
    from memories.values.trust import everything

    at = datetime.now(UTC)
    drafts = [
        conversation.parse({**{key: run[key] for key in ("id", "thread_id", "outcome", "messages")}, "scope": scope})
        for run in runs
    ]
    for answer in episodes.conversations(drafts, trust=everything(), at=at):
        assert not isinstance(answer, Exception), answer
    consolidation_run.consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=at)


def ask(scope: str, body: Json) -> Any:
    from consolidation import guidance
    from memories.values.trust import everything

    return guidance.answer(guidance.check({"scopes": [scope], **body}), trust=everything(), at=datetime.now(UTC))


def show(**figures: Any) -> None:
    print(json.dumps({name: round(v, 3) if isinstance(v, float) else v for name, v in figures.items()}), flush=True)


def route(domain: str, name: str, parts: list[tuple[str, list[Json]]], good: dict[str, set[frozenset[str]]]) -> None:
    for moment in ("opening", "before the first write"):
        asked: list[tuple[float, bool, bool]] = []
        took = []
        for scope, runs in parts:
            for run in runs:
                if sets := good[str(run["task_id"])]:
                    messages = opening(run) if moment == "opening" else before_first_write(run, domain)
                    began = time.perf_counter()
                    told = ask(scope, {"messages": messages})
                    took.append(time.perf_counter() - began)
                    hit = frozenset(t for t in told.expected.effects if is_write(t, domain)) in sets
                    asked.append((told.confidence, hit, told.decision != "unsure"))
        answered = [hit for _, hit, told in asked if told]
        base = sum(hit for _, hit, _ in asked) / len(asked)
        show(
            what=f"{domain}, {name}, {moment}", runs=len(asked), answered=len(answered) / len(asked),
            right_of_answered=sum(answered) / max(1, len(answered)), write_set_at_1=base,
            brier=sum((sure - hit) ** 2 for sure, hit, _ in asked) / len(asked), brier_of_base_rate=base * (1 - base),
            median_ms=sorted(took)[len(took) // 2] * 1000,
        )  # fmt: skip
        if moment != "opening":
            bins = defaultdict(list)
            for sure, hit, _ in asked:
                bins[min(int(sure * 5), 4)].append(hit)
            told_bins = {f"{n * 20}-{n * 20 + 20}": f"{sum(hits)}/{len(hits)}" for n, hits in sorted(bins.items())}
            show(what=f"{domain}, {name}, right by confidence", **told_bins)


def measure(domain: str, path: Path, environment: Path | None) -> None:
    runs = loaded(path, domain)
    replay = Replay(environment) if domain == "airline" and environment else None
    good: dict[str, set[frozenset[str]]] = defaultdict(set)
    for run in runs:
        if run["outcome"] == "success":
            good[str(run["task_id"])].add(write_set(run, domain))
    for task, answer in enumerate(replay.answers if replay else []):
        good[str(task)].add(answer)
    for name, learned, asked in splits(runs, domain):
        scopes = [f"{domain}-{name.replace(', ', '-').replace(' ', '-')}-{n}" for n in range(len(learned))]
        for scope, part in zip(scopes, learned, strict=True):
            learn(part, scope)
        parts = list(zip(scopes, asked, strict=True))
        route(domain, name, parts, good)
        decisions = Counter(ask(scope, {"task": task}).decision for scope in scopes for task in OFF_TOPIC)
        show(
            what=f"{domain}, {name}, off-topic",
            asked=decisions.total(),
            answered=decisions.total() - decisions["unsure"],
        )
        if replay:
            figures = replay.put_to_the_test(parts, ask, calls, WRITES)
            show(what=f"{domain}, {name}, replay", **figures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--environment", type=Path, help="the folder that holds the tau_bench package")
    parser.add_argument("--only", action="append", help="airline, retail or telecom")
    given = parser.parse_args()
    paths = {"airline": given.data / "airline-runs.jsonl"}
    paths |= {name: given.data / "runs" / f"{name}-runs.jsonl" for name in ("retail", "telecom")}
    with empty_store():
        for domain, path in paths.items():
            if not given.only or domain in given.only:
                measure(domain, path, given.environment)


if __name__ == "__main__":
    main()
