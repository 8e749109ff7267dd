"""Requests to a service by `curl`, as agents typed them: `curl -s -X POST -d '{"room": "204"}' $A/api/holds`."""

import json
from typing import Any

import pytest

from consolidation.learning.commands import commands, forms, requests
from consolidation.learning.effects.effects import effects, with_single_commands
from consolidation.learning.runs.run import Run
from tests.consolidation.recorded import RULES, Script, learned, run

OPEN = {"error": "fee_open", "message": "arrival is in less than 7 days: a fee of one night or a waiver"}
OWNED = {"error": "channel_owned", "message": "booking belongs to another channel"}
HEAD = "HTTP/1.1 {} {}\nContent-Type: application/json\nContent-Length: 99\n\n"


def sh(*asked: str, printed: str | tuple[Any, ...] = (), options: str = "-s") -> Script:
    """A line of requests (`POST /api/holds {...}`), and the documents that they print."""
    curls = []
    for each in asked:
        method, address, *body = each.split(" ", 2)
        sent = f" -H 'Content-Type: application/json' -d '{body[0]}'" if body else ""
        curls.append(f'curl {options} -H "$K" -X {method}{sent} "$A{address}"')
    line = 'A=$(cat address); K="X-Api-Key: $(cat key)"; ' + "; echo; ".join(curls)
    return "bash", {"command": line}, printed if isinstance(printed, str) else "\n".join(map(json.dumps, printed))


def booking_cancelled(n: int, *, tries: bool = True) -> Run:
    ticket, booking = f"T-{500 + n}", f"BK-{7000 + 13 * n}"
    asked = {"id": ticket, "booking": booking, "messages": [{"text": f"I am ill, please cancel {booking} for us."}]}
    booked = {"id": booking, "status": "confirmed", "from": f"2026-12-0{n + 1}"}
    cancel = f'POST /api/bookings/{booking}/cancel {{"reason": "illness"}}'
    refusal = sh(cancel, printed=HEAD.format(409, "Conflict") + json.dumps(OPEN), options="-si")
    waived = {"id": f"WVR-{40 + n}", "reason": "illness"}
    return run(
        n,
        f"Work ticket {ticket} to the end.",
        sh(f"GET /api/tickets/{ticket}", printed=(asked,)),
        sh(f"GET /api/bookings/{booking}", f"GET /api/charges?booking={booking}", printed=(booked, [])),
        *([refusal] if tries else []),
        sh(f'POST /api/waivers {{"booking": "{booking}", "reason": "illness"}}', printed=(waived,)),
        sh(cancel, f"GET /api/bookings/{booking}", printed=(booked | {"status": "cancelled"}, booked)),
        sh(
            f'POST /api/tickets/{ticket}/messages {{"text": "Your booking {booking} is cancelled without a fee."}}',
            f'POST /api/tickets/{ticket}/close {{"resolution": "BK cancelled"}}',
            printed=({"sent": True}, {"error": "resolution", "message": "one of cancelled, declined"}),
        ),
        sh(f'POST /api/tickets/{ticket}/close {{"resolution": "cancelled"}}', printed=({"status": "closed"},)),
    )


def asked_at_channel(n: int) -> Run:
    ticket, booking = f"T-{600 + n}", f"BK-{8000 + 13 * n}"
    asked = {"id": ticket, "booking": booking, "messages": [{"text": f"Could {booking} get another room?"}]}
    change, wanted = (("PATCH", '{"room": "204"}'), ("POST", '{"reason": "illness"}'))[n % 2]
    return run(
        20 + n,
        f"Work ticket {ticket} to the end.",
        sh(f"GET /api/tickets/{ticket}", printed=(asked,)),
        sh(f"{change} /api/bookings/{booking}{'/cancel' * (n % 2)} {wanted}", printed=(OWNED,)),
        sh(f'POST /api/channel-requests {{"booking": "{booking}"}}', printed=({"id": f"CHR-{n}"},)),
        sh(f'POST /api/tickets/{ticket}/close {{"resolution": "requested"}}', printed=({"status": "closed"},)),
    )


def test_a_skill_says_the_requests_as_they_worked_with_their_arguments_and_where_these_come_from() -> None:
    fields = learned([booking_cancelled(n) for n in range(4)]).fields
    assert fields.title == "Create a waiver, cancel a booking, create a message and close a ticket"
    assert fields.procedure.splitlines() == [
        "1. Look first: `GET /api/tickets/{ticket}`, `GET /api/bookings/{booking}` and "
        "`GET /api/charges?booking={booking}`.",
        '2. Create the waiver with `POST /api/waivers {"booking": {booking}, "reason": "illness"}`. '
        "`booking` from `GET /api/tickets/{ticket}` → `booking`.",
        '3. Cancel the booking with `POST /api/bookings/{booking}/cancel {"reason": "illness"}`. '
        "`booking` from `GET /api/tickets/{ticket}` → `booking`.",
        '4. Create the message with `POST /api/tickets/{ticket}/messages {"text": {text}}`. '
        "`text` in your own words, naming `booking`; `ticket` from the user's request.",
        '5. Close the ticket with `POST /api/tickets/{ticket}/close {"resolution": "cancelled"}`. '
        "`ticket` from the user's request.",
    ]


def test_what_a_service_refused_is_told_by_its_code_and_words_with_what_was_done_about_it() -> None:
    fields = learned([booking_cancelled(n, tries=n < 3) for n in range(5)]).fields
    told = "fee_open: arrival is in less than {number} days: a fee of one night or a waiver"
    assert f"`POST /api/bookings/{{booking}}/cancel` returned “{told}” (runs: 3, ended well: 3)" in fields.failure_modes
    assert (
        f"After “{told}” from `POST /api/bookings/{{booking}}/cancel`: called `POST /api/waivers` and tried again "
        "(3 of 3 runs that ended well)"
    ) in fields.fallbacks


def test_a_change_that_was_only_refused_is_none_where_another_one_went_well() -> None:
    changed = {"POST /api/channel-requests", "POST /api/tickets/{ticket}/close"}
    runs = [asked_at_channel(n) for n in range(4)]
    assert {effects(each, RULES) for each in runs} == {
        effects(with_single_commands(each, RULES), RULES) for each in runs
    }
    assert {effects(each, RULES) for each in runs} == {frozenset(changed)}
    assert learned(runs).fields.title == "Create a channel request and close a ticket"


def test_what_the_ticket_says_that_was_looked_up_tells_when_to_use_a_skill() -> None:
    ill, at_channel = [booking_cancelled(n) for n in range(4)], [asked_at_channel(n) for n in range(4)]
    assert learned(ill, others=at_channel).fields.trigger == ["cancel", "ill"]


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("curl -d '{\"n\": 2}' -H 'Authorization: x' \"$A/orders/O-7?dry=1\"", {"order": "O-7", "dry": "1", "n": 2}),
        ("curl --json='{\"a\": [1]}' $A/orders", {"a": [1]}),
        (
            "curl -sX POST $A/orders -d a=5 -d'b=six eggs' --data-urlencode c=%C3%A9",
            {"a": "5", "b": "six eggs", "c": "é"},
        ),
        ("curl -F kind=invoice -F file=@a.pdf $A/files", {"kind": "invoice", "file": "@a.pdf"}),
        ("curl -G -d page=2 $A/orders", {"page": "2"}),
        ('curl -d @- $A/orders <<\'EOF\'\n{"a": "it\'s"}\nEOF\n', {"a": "it's"}),
        ('curl -d "$(cat <<EOF\n{"a": 1}\nEOF\n)" $A/orders', {"a": 1}),
        (
            'B=O-7; N=3; curl -d "{\\"n\\": \\"$N\\", \\"m\\": \\"$M\\"}" $A/orders/$B',
            {"order": "O-7", "n": "3", "m": None},
        ),
        ("curl -d @order.json $A/orders", {}),
        ("curl -d 'not a form' -X POST $A/orders", {}),
        ("curl -X DELETE $A/orders", {}),
    ],
)
def test_the_arguments_of_a_request_are_those_of_its_address_and_its_body(line: str, given: dict[str, Any]) -> None:
    call = with_single_commands(run(1, "Do it.", ("bash", {"command": line}, "")), RULES).steps[0]
    assert call.arguments == given and requests.is_request(call.name)


CLOSE, SHOW = "curl {} -X POST $A/tickets/1/close", "curl {} $A/jobs/1"
FAILED_JOB = {"id": 1, "status": "failed", "error": "disk is full"}


@pytest.mark.parametrize(
    ("line", "printed", "ends"),
    [
        (f"{CLOSE.format('-s')}; {SHOW.format('-s')}", '{"error": "told"}\n[]', [False, True]),
        (f"{CLOSE.format('-s')}; {SHOW.format('-s')}", f'{{"errors": []}}{json.dumps(FAILED_JOB)}\n', [True, True]),
        (CLOSE.format("-s"), '{"detail": "Not found."}', [False]),
        (CLOSE.format("-s"), '{"success": false, "code": 7}', [False]),
        (
            f"{SHOW.format('-si')}; {CLOSE.format('-s')}",
            HEAD.format(404, "Not Found") + '{"a": 1}{"b": 1}',
            [False, True],
        ),
        (
            f"{CLOSE.format('-i')}; {SHOW.format('-s')}",
            HEAD.format(409, "Conflict") + '{"a": 1}\n\n{"b": 2}',
            [False, True],
        ),
        (CLOSE.format("-iL"), HEAD.format(307, "Moved") + HEAD.format(403, "Forbidden") + '{"a": 1}', [False]),
        (f"{CLOSE.format('-s -w %{http_code}')}", '{"a": 1}422', [False]),
        (CLOSE.format("-s -o /dev/null -w 'HTTP %{http_code} in %{time_total}\\n'"), "HTTP 403 in 0.1\n", [False]),
        (f"{CLOSE.format('-so x -w %{http_code}')}; {SHOW.format('-s')}", '201{"a": 1}', [True, True]),
    ],
)
def test_each_request_of_a_line_went_as_its_status_or_its_document_says(
    line: str, printed: str, ends: list[bool]
) -> None:
    steps = with_single_commands(run(1, "Close it.", ("bash", {"command": line}, printed)), RULES).steps
    assert [not call.failed for call in steps] == ends


def test_of_documents_that_are_less_or_more_than_the_requests_nobody_knows_whose_they_are() -> None:
    for printed in ('{"error": "told"}', '{"id": 1}\n{"id": 2}\n{"error": "told"}'):
        line = f"{SHOW.format('-s')}; cat notes.json; {CLOSE.format('-s')}"
        steps = with_single_commands(run(1, "Close it.", ("bash", {"command": line}, printed)), RULES).steps
        assert [call.parsed_result for call in steps if "jobs" in call.name] == [None]


def test_a_value_that_differs_is_secret_or_was_not_always_sent_is_none_of_the_usual_request() -> None:
    uses = [
        {"user": f"U-{n}", "token": "swordfish", "active": True, **({"role": "admin"} if n else {})} for n in range(3)
    ]
    usual = requests.usual_request("PATCH /users/{user}", uses, lambda word: True)
    assert usual == 'PATCH /users/{user} {"token": {token}, "active": true, ["role": "admin"]}'
    assert requests.usual_request("GET /users", uses[:2], lambda word: False).startswith(
        "GET /users?user={user}&token="
    )
    assert requests.usual_request("GET /users", uses[:1], lambda word: True) == ""


def test_the_words_of_a_request_have_the_values_that_its_line_gave_to_variables() -> None:
    ((_, _, words),) = forms.commands_in("export A=https://a.example B=7; curl ${A}/orders/$B/$C")
    assert words == ("curl", "https://a.example/orders/7/$C")


def test_a_statement_is_no_request() -> None:
    kinds = [
        "DELETE orders",
        "UPDATE orders",
        "SELECT orders",
        "curl -X",
        "git push",
        "DELETE a.example/orders",
        "PUT a",
    ]
    assert [*filter(requests.is_request, kinds)] == ["DELETE a.example/orders", "PUT a"]


def order_cancelled(n: int) -> Run:
    order = f"ORD-{900 + n}"
    query = f'{{ order(number: "{order}") {{ id status }} }}'
    mutation = "mutation M($id: ID!, $reason: String) { cancelOrder(id: $id) { status } }"
    given = {"query": mutation, "variables": {"id": f"gid-{77 + n}", "reason": "customer"}}
    return run(
        60 + n,
        f"Cancel order {order}, the customer asks for it.",
        sh(
            f"POST /graphql {json.dumps({'query': query})}",
            printed=({"data": {"order": {"id": f"gid-{77 + n}", "status": "open"}}},),
        ),
        sh(f"POST /graphql {json.dumps(given)}", printed=({"data": {"cancelOrder": {"status": "cancelled"}}},)),
    )


def test_what_is_asked_of_graphql_is_a_look_up_and_a_mutation_is_a_change_with_its_variables() -> None:
    runs = [order_cancelled(n) for n in range(3)]
    assert effects(runs[0], RULES) == {"mutation cancelOrder"}
    fields = learned(runs).fields
    assert fields.title == "Cancel an order"
    assert '`mutation cancelOrder {"id": {id}, "reason": "customer"}`' in fields.procedure
    assert "`id` from `query order` → `data.order.id`" in fields.procedure
    line = """curl -s https://api.a.example/v2/orders -d '{"query": "shoes"}'"""
    assert [kind for kind, _, _ in forms.commands_in(line)] == ["POST api.a.example/v2/orders"]


@pytest.mark.parametrize(
    ("line", "kind", "given"),
    [
        (
            "gh api repos/acme/shop/pulls/12/comments --jq '.[].body'",
            "GET api.github.com/pulls/{pull}/comments",
            {"pull": "12"},
        ),
        (
            "gh api --method PATCH /repos/{owner}/{repo}/issues/5 -f state=closed",
            "PATCH api.github.com/issues/{issue}",
            {"issue": "5", "state": "closed"},
        ),
        ("gh api repos/acme/shop/issues -f title=Rounding", "POST api.github.com/issues", {"title": "Rounding"}),
        ("gh api user -H 'Accept: x' -q .login", "GET api.github.com/user", {}),
        ("gh api graphql -f query='query($n: Int) { issue(number: $n) { id } }' -F n=5", "query issue", {"n": "5"}),
        ("gh api graphql -f query='mutation { closeIssue(input: $i) { id } }'", "mutation closeIssue", {}),
    ],
)
def test_what_gh_asks_of_the_api_is_a_request(line: str, kind: str, given: dict[str, Any]) -> None:
    assert commands.kinds(line) == (kind,)
    assert requests.arguments(forms.commands_in(line), "") == {kind: given}


@pytest.mark.parametrize("line", ["gh run list --limit 5", "gh run watch 12", "gh search issues bug", "gh pr view 5"])
def test_what_gh_shows_changes_nothing(line: str) -> None:
    assert not any(map(RULES.is_effect, commands.kinds(line)))
    assert all(map(RULES.is_effect, commands.kinds("gh run rerun 12 && gh pr merge 5")))
