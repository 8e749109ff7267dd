"""Notes on the values of a request that is about to be sent by a command line or by code."""

from typing import Any

import pytest

from memories.values.choices import Sensitivity
from tests.consolidation import experience
from tests.make import answer, call, caller, user


@pytest.mark.django_db
@pytest.mark.parametrize("by", ["curl", "python", "notebook"])
def test_of_a_request_in_a_command_line_or_in_code_values_are_noted_as_of_a_tool(by: str) -> None:
    def sending(n: int, id: str, line: str, code: str) -> dict[str, Any]:
        if by == "notebook":
            return call(
                "mcp__jupyter__execute_code", id, code=code if n else "import requests\nB = 'https://a.example'"
            )
        program = f"python3 - <<'E'\nimport requests\nB = 'https://a.example'\n{code}\nE"
        return call("bash", id, command=line if by == "curl" else program)

    def talk(n: int) -> list[dict[str, Any]]:
        first = [sending(0, "c0", "ls", ""), answer("", "c0")]
        looked = sending(1, "c1", f"curl -s $B/api/orders/o-{n}", f"print(requests.get(B + '/api/orders/o-{n}').text)")
        shown = answer(f'{{"id": "o-{n}", "payment_id": "pay-{n}"}}', "c1")
        return [user(f"Refund o-{n}, it broke"), *first, looked, shown]

    def refund(n: int) -> dict[str, Any]:
        code = f"print(requests.post(B + '/api/refunds', json={{'payment': 'pay-{n}'}}).text)"
        return sending(2, "c2", f'curl -sX POST -d \'{{"payment": "pay-{n}"}}\' $B/api/refunds', code)

    for n in range(5):
        messages = [*talk(n), refund(n), answer(f'{{"id": "rf-{n}"}}', "c2")]
        experience.run([], thread_id=f"case-{n}", messages=messages)
    experience.consolidated()
    about = refund(1)["tool_calls"][0]["function"]
    body = {"messages": talk(9), "about_to": {"tool": about["name"], "arguments": about["arguments"]}}
    check = caller(clearance=Sensitivity.MEDIUM).post("/api/v1/guidance", body, format="json").json()["check"]
    assert [note["pointer"] for note in check["arguments"]] == [f"/arguments/{next(iter(about['arguments']))}"]
    assert "`payment` `pay-1` was not shown in this run; in 5 of 5 cases" in check["arguments"][0]["note"]
