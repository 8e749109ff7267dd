"""How a request of code went, where the code prints its status and no body."""

import pytest

from consolidation.learning.effects.effects import with_single_commands
from tests.consolidation.recorded import RULES, run
from tests.consolidation.test_learning_request_code import shell


@pytest.mark.parametrize(
    ("printing", "printed"),
    [
        ("print(r.status_code)", ("201", "409")),
        ("print(p, r.status_code, r.text)", ("/api/a 201 ", "/api/b 409 ")),
        ("print('status:', r.status_code); print(r.text)", ('status: 201\n{"id": 1}', "status: 409\n")),
        ("print(p, r.status_code, r.text)", ('/api/a 201 {"id": 409}', "/api/b 409")),
    ],
)
def test_a_status_that_code_prints_without_a_body_is_how_its_request_went(
    printing: str, printed: tuple[str, str]
) -> None:
    code = f"for p in ['/api/a', '/api/b']:\n r = requests.post(u + p); {printing}"
    calls = with_single_commands(run(0, "Please do both.", shell(code, *printed)), RULES).steps
    assert [(call.name, call.failed) for call in calls] == [("POST /api/a", False), ("POST /api/b", True)]


@pytest.mark.parametrize(("printing", "is_refused"), [("r.status_code", True), ("17", False)])
def test_a_number_is_a_status_only_where_code_prints_one(printing: str, is_refused: bool) -> None:
    line = shell(f"r = requests.post(u + '/api/orders/17/hold'); print({printing})", "409")
    [hold] = with_single_commands(run(0, "Please hold it.", line), RULES).steps
    assert hold.failed == is_refused
