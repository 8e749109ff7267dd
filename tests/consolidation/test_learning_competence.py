import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.learning.runs.run import Run
from skills.packaging.skill_md_writer import skill_md
from tests.consolidation.recorded import learned, run, text


def orders() -> list[Run]:
    """Twelve runs of a shop: some orders could be cancelled, some could not."""
    made: list[Run] = []
    for n in range(12):
        state = "shipped" if n % 4 == 3 else "pending"
        record = {"id": f"A{n}", "state": state, "items": [{"sku": f"s{n}"}]}
        result: Any = "Error: order cannot be cancelled" if state == "shipped" else record | {"state": "cancelled"}
        steps = (("get_order", {"id": f"A{n}"}, record), "> Sure?", "yes", ("cancel_order", {"id": f"A{n}"}, result))
        made.append(run(n, f"Cancel order A{n}", *steps, outcome="failure" if state == "shipped" else "success"))
    return made


@settings(max_examples=15, deadline=None)
@given(st.permutations(orders()), st.permutations(orders()))
def test_the_order_of_the_runs_does_not_matter(runs: Sequence[Run], others: Sequence[Run]) -> None:
    assert text(learned(runs, others)) == text(learned(orders(), orders()))


def test_the_hash_seed_does_not_matter() -> None:
    script = (
        "from tests.consolidation.test_learning_competence import *;"
        "import hashlib; print(hashlib.sha256(text(learned(orders(), orders())).encode()).hexdigest())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(seen) == 1


def test_a_competence_reads_as_a_skill() -> None:
    document = skill_md(learned(orders(), orders()).fields, version=1)

    assert "# Cancel an order\n" in document
    assert "2. Say what will be done and wait for a yes" in document
    assert "Done when it returns an object with `state` cancelled." in document
    assert "`cancel_order` was called for a record with `state` shipped in 3 of 3 runs that failed" in document
    assert "- Successes: 9\n- Failures: 3" in document


def test_as_runs_add_up_only_numbers_change_in_the_failure_modes() -> None:
    def masked(runs: list[Run]) -> list[str]:
        fields = learned(runs, orders()).fields
        return [re.sub(r"\d+", "#", line) for line in (*fields.failure_modes, *fields.fallbacks)]

    assert masked(orders()) == masked(orders()[:8])


def test_runs_of_which_none_ended_well_still_show_how_it_is_done() -> None:
    bad = [run(n, ("get_order", {}, "x"), ("close_order", {}, "ok"), outcome="failure") for n in range(2)]
    fields = learned(bad).fields

    assert fields.title == "Close an order"
    assert "ended well" not in " ".join(fields.tool or [])


def test_the_parts_are_plain_json() -> None:
    competence = learned(orders(), orders())

    for part in (
        competence.triggers,
        competence.recipe,
        competence.failure_modes,
        competence.fallbacks,
        competence.contrast,
    ):
        assert part == _plain(part)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


NESTED: Any = "leaf"
for _ in range(2_000):
    NESTED = [NESTED]


@pytest.mark.parametrize(
    "args", [None, "", "not json", '{"a": ', [1, 2], {"": None, "a": {"b": [[]]}}, 7, NESTED, "[" * 5_000]
)
@pytest.mark.parametrize("result", [None, "", "文" * 5_000, [], {"a": None}, float("nan"), NESTED, "x" * 1_000_000])
def test_whatever_was_recorded_something_is_learned(args: Any, result: Any) -> None:
    runs = [run(n, "", ("weird tool/名 `x`", args, result)) for n in range(3)]

    fields = learned(runs).fields

    assert fields.procedure
    assert skill_md(fields, version=1)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.lists(
            st.one_of(
                st.text(max_size=30),
                st.tuples(st.text(min_size=1, max_size=12), st.text(max_size=12), st.text(max_size=30)),
            ),
            max_size=6,
        ),
        min_size=2,
        max_size=4,
    )
)
def test_any_text_is_survived(scripts: list[list[Any]]) -> None:
    runs = [run(n, *script, ("save_it", {}, "")) for n, script in enumerate(scripts)]

    assert learned(runs, runs).required_tools


def test_five_thousand_messages_are_no_trouble() -> None:
    long = [
        run(n, *[step for k in range(2_500) for step in (f"again {k}", ("retry", {"n": k}, "x" * 200))])
        for n in range(2)
    ]

    assert learned(long).fields.procedure.startswith("1. Retry with `retry`, once per `n` (2500 times).")
