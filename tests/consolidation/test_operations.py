"""Calls of tools that do many things are named by what they do."""

import json
from typing import Any

import pytest

from consolidation.learning.commands import commands
from consolidation.learning.effects.effects import effects
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import phrase
from consolidation.learning.runs import operations
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.model_lines.line_losses import calls_tool
from consolidation.pipelines.recorded import calls_of
from memories.models import Episode
from tests.consolidation.experience import run as recorded_run
from tests.consolidation.recorded import START, learned, run
from tests.make import answer, user
from tests.make import call as tool_call

RULES = ToolRules(command_tools=frozenset({"bash"}))
HTTP: Any = {"method": "GET", "url": "https://hr.example.com/api/employees?email=a@example.com"}


def call(tool: str, arguments: Any, result: Any = None) -> Call:
    return Call(1, tool, arguments, result, None, START, None)


@pytest.mark.parametrize(
    ("tool", "arguments", "name", "left"),
    [
        ("api", {"method": "POST", "path": "/a", "type": "POST"}, "POST /a", {"type": "POST"}),
        ("http_request", HTTP, "GET hr.example.com/api/employees", {"url": {"email": "a@example.com"}}),
        (
            "api",
            {"method": "patch", "url": "https://a.example/v2/devices/lap-7", "body": '{"to": "e1"}', "headers": {}},
            "PATCH a.example/v2/devices/{device}",
            {"url": {"device": "lap-7"}, "body": {"to": "e1"}},
        ),
        (
            "requests_post",
            {"url": "/orders/O-17/refund", "data": {}},
            "POST /orders/{order}/refund",
            {"url": {"order": "O-17"}, "data": {}},
        ),
        (
            "http",
            {"method": "GET", "path": "/teams/41/users/42"},
            "GET /teams/{team}/users/{user}",
            {"path": {"team": "41", "user": "42"}},
        ),
        ("api", {"method": "GET", "path": "/users/anna/roles"}, "GET /users/{user}/roles", {"path": {"user": "anna"}}),
        ("api", {"method": "GET", "path": "/users/me"}, "GET /users/me", {}),
        ("api", {"method": "POST", "path": "/orders/export"}, "POST /orders/export", {}),
        ("run_sql", {"query": "-- all\nSELECT * FROM shop.orders o JOIN x"}, "SELECT shop.orders", None),
        ("query_database", {"sql": "WITH a AS (SELECT 1) SELECT * FROM a"}, "SELECT a", None),
        ("postgres", {"sql": "update only \"Orders\" AS o set status = 'x' where id = 1"}, "UPDATE Orders", None),
        ("db", {"statement": "WITH old AS (DELETE FROM a RETURNING *) INSERT INTO b SELECT"}, "DELETE a", None),
        ("run_sql", {"query": "SELECT 'INSERT INTO x' FROM log FOR UPDATE"}, "SELECT log", None),
        ("run_sql", {"query": "ALTER TABLE IF EXISTS orders ADD note text"}, "ALTER orders", None),
        ("run_sql", {"query": "truncate table orders"}, "TRUNCATE orders", None),
        ("graphql", {"query": "{ orders(first: 5) { id } }"}, "query orders", None),
        ("graphql", {"query": "mutation M($id: ID!) { cancelOrder(id: $id) { id } }"}, "mutation cancelOrder", None),
        ("jira", {"action": "create_issue", "summary": "x"}, "jira.create_issue", {"summary": "x"}),
        ("use_mcp_tool", {"tool_name": "get_order", "arguments": '{"id": "O-1"}'}, "get_order", {"id": "O-1"}),
        ("computer", {"action": "left_click", "at": [1, 2]}, "computer.left_click", {"at": [1, 2]}),
    ],
)
def test_a_call_is_named_by_what_it_does(tool: str, arguments: Any, name: str, left: Any) -> None:
    made = call(tool, arguments)
    assert (made.name, made.arguments) == (name, arguments if left is None else left)
    assert made.tool_name == tool and made.is_operation


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_flights", {"query": "select a flight from Boston"}),
        ("search", {"query": "update orders set aside for me"}),
        ("open_page", {"url": "https://a.example"}),
        ("bash", {"command": "curl -X POST https://a.example", "action": "run"}),
        ("ask_expert", {"action": "Please restart the server"}),
        ("run_sql", {"query": "orders of May"}),
        ("pay", {"method": "card", "url": "https://a.example"}),
        ("http_request", {"method": "GET", "url": 7}),
        ("http_request", {"method": "GET", "url": "http://[a"}),
        ("http_request", {"method": ["GET"], "url": "https://a.example"}),
        ("rate_tool", {"tool": "a hammer", "args": {"stars": 5}}),
        ("call_tool", {"tool_name": "get_order", "arguments": "none"}),
        ("http_request", None),
    ],
)
def test_a_tool_that_does_one_thing_keeps_its_name(tool: str, arguments: Any) -> None:
    made = call(tool, arguments)
    assert made.name == tool and made.arguments == (arguments or {}) and not made.is_operation


@pytest.mark.parametrize(
    ("name", "reads", "words"),
    [
        ("GET hr.example.com/api/employees", True, "look up the employees"),
        ("GET /orders/{order}", True, "look up the order"),
        ("POST idp.example.com/users", False, "create the user"),
        ("POST /orders/{order}/refund", False, "refund the order"),
        ("POST es.example/items/_search", True, "search for items"),
        ("PATCH a.example/v2/devices/{device}", False, "update the device"),
        ("DELETE a.example/companies/{company}", False, "delete the company"),
        ("SELECT shop.orders", True, "look up the orders"),
        ("SELECT", True, "look up the rows"),
        ("UPDATE shop.orders", False, "update the orders"),
        ("DROP orders", False, "delete the orders"),
        ("query orders", True, "look up the orders"),
        ("mutation cancelOrder", False, "cancel the order"),
        ("jira.create_issue", False, "create the issue"),
        ("jira.get_issue", True, "look up the issue"),
    ],
)
def test_whether_an_operation_reads_and_its_words_come_from_what_it_does(name: str, reads: bool, words: str) -> None:
    assert RULES.reads(name) is reads and phrase(name) == words


def test_a_refusal_by_its_http_status_is_a_failed_call() -> None:
    refused = {"status": 422, "body": json.dumps({"error": "employee must be an id"})}
    assert call("http_request", HTTP, refused).failed
    assert not call("http_request", HTTP, {"status": 200, "body": "{}"}).failed
    assert not call("weigh", {}, {"status": 450.0}).failed


def test_long_addresses_and_texts_have_short_names() -> None:
    address = f"https://a.example/{'x' * 30}/{'y' * 30}/{'z' * 30}/{'w' * 30}"
    assert len(call("http", {"method": "GET", "url": address}).name) == operations.LONGEST
    assert operations.of("run_sql", {"query": "SELECT " + "x, " * 50_000 + "y FROM t"}) is not None


def hired(n: int, *, refused: bool = False) -> Run:
    """A run of one tool for HTTP requests: look up, create an account, hand out a device."""
    who, laptop, mail = f"emp_{4400 + n}", f"lap-{700 + n}", f"user{n}@acme.example"
    looked_up = {"status": 200, "body": {"items": [{"id": who, "email": mail}]}}
    devices = {"status": 200, "body": {"devices": [{"id": laptop}]}}
    post = {"method": "POST", "url": "https://idp.acme.example/users"}
    wrong = ("http_request", {**post, "body": {"employee": mail}}, {"status": 422, "body": {"error": "not an id"}})
    steps = [
        ("http_request", {"method": "GET", "url": f"https://hr.acme.example/employees?email={mail}"}, looked_up),
        ("http_request", {"method": "GET", "url": "https://assets.acme.example/devices?state=free"}, devices),
        *([wrong] if refused else []),
        ("http_request", {**post, "body": {"employee": who, "groups": ["staff"]}}, {"status": 201, "body": {}}),
        (
            "http_request",
            {"method": "PATCH", "url": f"https://assets.acme.example/devices/{laptop}", "body": {"assigned_to": who}},
            {"status": 200, "body": {"ok": True}},
        ),
    ]
    return run(n, f"A new hire starts on Monday, e-mail {mail}", *steps, thread=f"case {n}")


def test_runs_of_one_tool_for_requests_become_a_skill_of_what_they_did() -> None:
    competence = learned([hired(n, refused=n == 3) for n in range(6)])
    assert competence.fields.title == "Create a user and update a device"
    assert competence.required_tools == ["http_request"]
    assert [(step["tool"], step["step"]) for step in competence.recipe][-1] == (
        "http_request",
        "Update the device: `PATCH assets.acme.example/devices/{device}`",
    )
    steps = competence.fields.procedure
    assert "`url.device` from `GET assets.acme.example/devices` → `body.devices[].id`" in steps
    assert "`body.employee` from `GET hr.acme.example/employees` → `body.items[].id`" in steps
    assert [mode["tool"] for mode in competence.failure_modes] == ["POST idp.acme.example/users"]


def test_a_tool_that_people_say_only_reads_or_that_counts_as_nothing_stays_one() -> None:
    script = [("run_sql", {"sql": "UPDATE orders SET state = 'x'"}, "ok"), ("pay", {"order": "O-1"}, "ok")]
    for rules in (ToolRules(marked={"run_sql": True}), ToolRules(ignored=frozenset({"run_sql"}))):
        assert effects(run(1, "pay", *script), rules) == {"pay"}
        recipe = learned([run(n, "pay", *script) for n in range(3)], rules=rules).recipe
        assert "UPDATE orders" not in str(recipe)
    assert effects(run(1, "pay", *script), ToolRules(marked={"run_sql": False})) == {"pay", "UPDATE orders"}


@pytest.mark.django_db
def test_of_a_long_run_the_calls_are_read_with_what_tells_what_they_do() -> None:
    asked = [user("pay"), tool_call("run_sql", sql="UPDATE orders SET state = 'x'"), answer("ok")]
    recorded = recorded_run(
        ["cancel_order"],
        messages=[
            *asked,
            *(tool_call("pay", "c2", order="O-1"), answer("ok", "c2")),
            *(tool_call("execute_code", "c3", code="print(1)"), answer("1", "c3")),
        ],
    )
    ((found, _),) = calls_of([Episode.objects.get(pk=recorded.pk)])
    assert [(made.name, bool(made.arguments)) for made in found.calls] == [
        ("UPDATE orders", True),
        ("pay", False),
        ("bash", True),
    ]


def test_a_model_may_name_a_call_by_its_tool_or_by_what_it_does() -> None:
    assert all(calls_tool(hired(1), tool, RULES) for tool in ("http_request", "POST idp.acme.example/users"))
    assert not calls_tool(hired(1), "run_sql", RULES)


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("curl -s -X POST https://idp.example/users -H 'Authorization: x' -d '{}'", ("POST idp.example/users",)),
        ('curl -XDELETE "$BASE/orders/O-17" | jq .', ("DELETE /orders/{order}", "jq")),
        ("curl -d x ${BASE}/v1/orders", ("POST /v1/orders",)),
        ('curl -d x "$(cat address)/v1/orders"', ("POST /v1/orders",)),
        ("A=https://a.example; B=$A/v1; curl -d x $B/orders/$N/cancel", ("POST a.example/v1/orders/{order}/cancel",)),
        ("A=http://localhost:8000; curl -d x $A/orders", ("curl -X",)),
        ("curl -s $A/orders?page=2", ("GET /orders",)),
        ("curl -s https://a.example/api/orders/17", ("GET a.example/api/orders/{order}",)),
        ("curl -s https://a.example/api/orders > orders.json", ("curl >",)),
        ("curl -so /dev/null -w '%{http_code}' $A/health", ("GET /health",)),
        ("curl -o orders.json $A/orders", ("curl -X",)),
        ("docker exec web curl --request=PUT http://api:8000/users/7", ("PUT api/users/{user}",)),
        ("curl -T report.csv https://a.example/files", ("PUT a.example/files",)),
        ("curl --json '{}' https://a.example/orders/17/refund", ("POST a.example/orders/{order}/refund",)),
        ("curl -sS https://a.example/users", ("curl",)),
        ("curl -X POST localhost:8000/users -d x", ("curl -X",)),
        ("curl -X POST http://127.0.0.1:8000/users -d x", ("curl -X",)),
        ("curl -G -d q=1 https://a.example/search", ("curl",)),
        ("curl -sG --data-urlencode q=x https://a.example/search", ("curl",)),
        ("curl -sX DELETE https://a.example/users/7", ("DELETE a.example/users/{user}",)),
        ("curl -o x.tar https://a.example/x.tar", ("curl -X",)),
        ("curl -X POST", ("curl -X",)),
    ],
)
def test_a_curl_to_a_service_elsewhere_counts_as_its_request(line: str, kinds: tuple[str, ...]) -> None:
    assert commands.kinds(line) == kinds


def test_runs_that_send_requests_by_curl_become_a_skill_of_what_they_did() -> None:
    lines = ["curl -s https://a.example/orders/O-{}", "curl -X POST https://a.example/orders/O-{}/refund -d amount=5"]
    runs = [run(n, "refund", *[("bash", {"command": line.format(n + 10)}, "{}") for line in lines]) for n in range(3)]
    competence = learned(runs)
    assert competence.fields.title == "Refund an order" and competence.required_tools == ["bash"]
    assert (
        'Refund the order with `POST a.example/orders/{order}/refund {"amount": {amount}}`.'
        in competence.fields.procedure
    )
