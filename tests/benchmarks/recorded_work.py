"""Runs as agents record them, by the hundred: a request, look-ups, a wish that is confirmed, changes, commands."""

import json
import random
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
GOODS = "lamp chair desk kettle radio jacket bottle camera blanket backpack monitor helmet".split()  # noqa: SIM905
REASONS = (
    "it arrived broken", "it is too small for me", "I ordered it twice", "the colour is wrong", "it never arrived",
    "my plans have changed", "I found it cheaper", "a part is missing", "I have moved to another city",
)  # fmt: skip
VERBS = "cancel return exchange refund modify pause upgrade renew extend split merge transfer".split()  # noqa: SIM905
NOUNS = ("order", "booking", "payment", "contract", "invoice", "parcel", "account", "voucher")
REPOSITORIES = ("sympy", "django", "astropy", "flask")
FAILS = 5  # one run in so many fails
RUNS_OF_CASE = 3


def family(name: str, kinds: int, runs: int, scope: str, seed: int = 1, *, light: bool = False) -> Iterator[Json]:
    """Conversations of a scope: `runs` over `kinds` ways of working, one in five with command lines.

    `light`: each of six messages, with one look-up and one change, and no command lines.
    """
    rng = random.Random(f"{name} {seed}")
    for n in range(runs):
        kind = n % kinds
        outcome = "failure" if rng.randrange(FAILS) == 0 else "success"
        work = _short if light else _coding if kind % 5 == 4 else _service
        yield {
            "id": f"{name}-{n}",
            "thread_id": f"{name}-case-{kind}-{n // kinds // RUNS_OF_CASE}",
            "scope": scope,
            "source": "bench",
            "outcome": outcome,
            "messages": work(name, kind, outcome, rng),
        }


def _service(name: str, kind: int, outcome: str, rng: random.Random) -> list[Json]:
    verb, noun = VERBS[kind % len(VERBS)], NOUNS[kind % len(NOUNS)]
    tool = f"{verb}_{noun}" if name == "known" else f"{verb}_{noun}_{kind}"
    goods, reason, number = rng.choice(GOODS), rng.choice(REASONS), rng.randrange(10**6)
    person, thing, payment = f"user_{number}", f"#W{number * 7 % 10**7:07}", f"card_{number * 3 % 10**6}"
    items = [{"item_id": f"{rng.randrange(10**9)}", "name": one, "price": rng.randrange(500)} for one in GOODS[:4]]
    right = payment if outcome == "success" else thing
    told: list[Json] = [
        {"role": "user", "content": f"Hi, I want to {verb} the {noun} with the {goods} in it: {reason}."},
        {"role": "assistant", "content": "I can help with that. What is your e-mail address?"},
        {"role": "user", "content": f"It is {person}@example.com, and the number should be {thing}."},
    ]
    told += _call("find_user_by_email", {"email": f"{person}@example.com"}, {"user_id": person}, rng)
    user = {"user_id": person, "payment_methods": {payment: {"kind": "card"}}, "orders": [thing]}
    told += _call("get_user_details", {"user_id": person}, user, rng)
    state = {"id": thing, "status": "delivered" if kind % 2 else "pending", "items": items, "payment_id": payment}
    told += _call(f"get_{noun}_details", {f"{noun}_id": thing}, state, rng)
    told += [
        {"role": "assistant", "content": f"I will {verb} the {noun} {thing}. Shall I go on?"},
        {"role": "user", "content": "Yes, please."},
    ]
    done = {"status": "done"} if outcome == "success" else {"error": "payment method not found"}
    told += _call(tool, {f"{noun}_id": thing, "payment_id": right, "reason": reason}, done, rng)
    return [*told, {"role": "assistant", "content": f"The {noun} {thing} is settled."}]


def _short(name: str, kind: int, outcome: str, rng: random.Random) -> list[Json]:
    verb, noun = VERBS[kind % len(VERBS)], NOUNS[kind % len(NOUNS)]
    tool = f"{verb}_{noun}" if name == "known" else f"{verb}_{noun}_{kind}"
    thing = f"#W{rng.randrange(10**6)}"
    state = {"status": "delivered" if kind % 2 else "pending"}
    done = {"status": "done"} if outcome == "success" else {"error": "not possible"}
    return [
        {"role": "user", "content": f"Please {verb} my {noun} {thing}: {rng.choice(REASONS)}."},
        *_call(f"get_{noun}", {f"{noun}_id": thing}, state, rng),
        *_call(tool, {f"{noun}_id": thing}, done, rng),
        {"role": "assistant", "content": "It is done."},
    ]


def _coding(name: str, kind: int, outcome: str, rng: random.Random) -> list[Json]:
    place, number = REPOSITORIES[kind % len(REPOSITORIES)], rng.randrange(10**4)
    path = f"/testbed/{place}/core/part_{number % 50}.py"
    told: list[Json] = [
        {"role": "user", "content": f"Fix the {rng.choice(GOODS)} problem {number} in {place}: {rng.choice(REASONS)}."}
    ]
    for line, answer in (
        (f"grep -rn 'part_{number}' /testbed/{place}", f"{path}:12: match"),
        (f"cat {path}", "def part():\n    return 1\n" * 10),
        (f"cd /testbed && pytest {place}/tests/test_{number}.py", "bash: pytest: command not found"),
        (f"sed -i 's/return 1/return {number}/' {path}", ""),
        (f"cd /testbed && bin/test {place}/tests/test_{number}.py", "1 passed" if outcome == "success" else "1 failed"),
        (f"git add {path}" if name == "known" else f"tool{kind} build {path}", ""),
    ):
        told += _call("bash", {"command": line}, {"output": answer, "returncode": int("not found" in answer)}, rng)
    return [*told, {"role": "assistant", "content": "Done."}]


def _call(tool: str, args: Json, result: Json, rng: random.Random) -> list[Json]:
    ref = f"call-{rng.randrange(10**9)}"
    call = {"id": ref, "type": "function", "function": {"name": tool, "arguments": json.dumps(args)}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": ref, "content": json.dumps(result)},
    ]
