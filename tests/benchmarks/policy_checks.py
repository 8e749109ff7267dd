"""What policies are worth on recorded runs: the calls of failed runs that a check would have noted, and of others.

    .venv/bin/python -m tests.benchmarks.policy_checks DATA

DATA holds airline-runs.jsonl and runs/{retail,telecom}-runs.jsonl, which begin with their instructions. ANSWERS are
what a careful and a hasty reader found in them; each goes through the same checks as a model's answer. Nothing is
stored. One JSON line a policy, then one a file: runs in which a policy that is proposed notes a call, by how they
ended; `refused`: notes on calls that the tool itself refused.
"""

import argparse
import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import django

Json = dict[str, Any]
INSURED = "Otherwise, basic economy or economy flights can be cancelled only if travel insurance is bought"
ANSWERS: dict[str, list[Json]] = {
    "airline-runs.jsonl": [
        {
            "tool": "cancel_reservation",
            "conditions": [("record", "cabin", "is", "basic_economy", "economy"), ("record", "insurance", "is", "no")],
            "quote": INSURED,
        },
        {
            "tool": "update_reservation_flights",  # hasty: the cabin may be changed
            "conditions": [("record", "cabin", "is", "basic_economy")],
            "quote": "Basic economy flights cannot be modified.",
        },
        {
            "tool": "book_reservation",
            "conditions": [("argument", "passengers", "above", "5")],
            "quote": "Each reservation can have at most five passengers.",
        },
        {
            "tool": "send_certificate",
            "conditions": [
                ("record", "membership", "is", "regular"),
                ("record", "insurance", "is", "no"),
                ("record", "cabin", "is", "basic_economy", "economy"),
            ],
            "quote": "Do not compensate if the user is regular member and has no travel insurance",
        },
    ],
    "runs/retail-runs.jsonl": [
        *(
            {"tool": tool, "conditions": [("record", "status", "is_not", state)], "quote": quote}
            for tool, state, quote in (
                ("cancel_pending_order", "pending", "An order can only be cancelled if its status is 'pending'"),
                ("modify_pending_order_items", "pending", "An order can only be modified if its status is 'pending'"),
                ("modify_pending_order_address", "pending", "An order can only be modified if its status is 'pending'"),
                ("modify_pending_order_payment", "pending", "An order can only be modified if its status is 'pending'"),
                ("return_delivered_order_items", "delivered", "An order can only be returned if its status is 'deliv"),
                ("exchange_delivered_order_items", "delivered", "An order can only be exchanged if its status is 'de"),
            )
        ),
        {
            "tool": "cancel_pending_order",
            "conditions": [("argument", "reason", "is_not", "no longer needed", "ordered by mistake")],
            "quote": "(either 'no longer needed' or 'ordered by mistake') for cancellation. Other reasons are not",
        },
    ],
    "runs/telecom-runs.jsonl": [
        {
            "tool": "refuel_data",
            "conditions": [("argument", "gb_amount", "above", "2")],
            "quote": "The maximum amount of data that can be refueled is 2GB.",
        },
        {
            "tool": "send_payment_request",
            "conditions": [("record", "status", "is_not", "overdue")],
            "quote": "You should always check that the bill is overdue before sending a payment request.",
        },
    ],
}


def measure(data: Path, name: str) -> None:
    from consolidation.guidance.request import run_of
    from consolidation.learning.effects.tool_rules import ToolRules
    from consolidation.learning.facts.call_rules import CallRule, broken
    from consolidation.learning.runs.run import Run
    from consolidation.policies.instructions import Instructions, ModelPolicy
    from consolidation.policies.policy_reading import fault, speaks_against
    from consolidation.policies.recorded_calls import RecordedCalls
    from memories.intake.reports.messages import Reader

    recorded = [json.loads(line) for line in (data / name).open()]
    runs: list[Run] = []
    for one in recorded:
        ended = {"outcome": one["outcome"], "thread_id": one["thread_id"]}
        runs.append(replace(run_of(Reader().read(one["messages"])), **ended))
    calls, told = RecordedCalls(runs, ToolRules()), Instructions(recorded[0]["messages"][0]["content"])
    proposed: list[CallRule] = []
    for given in ANSWERS[name]:
        parts = given["conditions"]
        conditions = [{"of": of, "field": at, "test": test, "values": said} for of, at, test, *said in parts]
        policy = ModelPolicy.model_validate({**given, "conditions": conditions})
        counts = calls.counts(policy.rule)
        reason = fault(policy, told, calls) or speaks_against(counts)
        proposed += [] if reason else [policy.rule]
        shown = {"rule": policy.rule.in_words("en"), "calling": counts.calling, "well": counts.well, "ill": counts.ill}
        print(json.dumps({"file": name, **shown, "left_out": reason}))
    noted: Counter[str] = Counter()
    for run in runs:
        made = [call for call in run.steps if broken(proposed, run, call, calls.rules)]
        noted[run.outcome] += any(not call.failed for call in made)
        noted["refused"] += sum(call.failed for call in made)
    of = Counter(run.outcome for run in runs)
    print(json.dumps({"file": name, "runs": of, "noted": noted}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memos_site.settings")
    django.setup()
    for name in ANSWERS:
        measure(data, name)


if __name__ == "__main__":
    main()
