"""Command lines of a client program of a service, as agents typed them: `./shopctl orders hold ORD-1`."""

import json
from dataclasses import replace
from typing import Any

import pytest

from consolidation.guidance import features
from consolidation.learning.commands import commands, forms, purposes, resources
from consolidation.learning.effects.effects import effects, with_single_commands
from consolidation.learning.effects.toolnames import phrase
from consolidation.learning.runs import dialogue
from consolidation.learning.runs.run import Run
from tests.consolidation.recorded import RULES, Script, learned, run

LOCKED = "error: ADDRESS_LOCKED: the warehouse may be packing it (hold the order first)"


def sh(command: str, *printed: Any) -> Script:
    """A line, and the texts and documents that its commands print."""
    texts = [each if isinstance(each, str) else json.dumps(each, indent=1) for each in printed]
    return "bash", {"command": command}, "\n".join(texts) + "\n"


def address_changed(n: int) -> Run:
    ticket, order, street = f"T-{100 + n}", f"ORD-{4000 + 37 * n}", f"Station Road {n + 3}, York"
    asked = {"id": ticket, "status": "open", "messages": [{"text": f"Please send {order} to {street} instead."}]}
    paid = {"id": order, "email": f"lena{n}@example.com", "status": "paid", "ticket": ticket}
    reply = f'./shopctl tickets reply {ticket} --text "Hello, we have changed the address of your order {order}."'
    close = f"./shopctl tickets close {ticket} --resolution"
    return run(
        n,
        f"Work ticket {ticket} to the end.",
        sh(
            f"cat README.md; ./shopctl --help; ./shopctl tickets show {ticket}", "# Back office", "usage: x [-h]", asked
        ),
        sh(f"./shopctl orders show {order}; ./shopctl orders find --email {paid['email']}", paid, [paid]),
        sh(f'./shopctl orders set-address {order} --address "{street}"; ./shopctl orders show {order}', LOCKED, paid),
        sh(
            f'./shopctl orders hold {order} && ./shopctl orders set-address {order} --address "{street}" '
            f"&& ./shopctl orders release {order}",
            *({"order": order, "status": status} for status in ("held", "held", "paid")),
        ),
        sh(f'{reply} && {close} "address changed"', {"sent": True}, "error: unknown resolution 'address changed'"),
        sh(f"{close} address_changed", {"ticket": ticket, "status": "closed"}),
    )


def test_a_skill_says_the_commands_as_they_worked_and_where_their_arguments_come_from() -> None:
    fields = learned([address_changed(n) for n in range(3)]).fields
    assert fields.title == "Hold an order, set an order address, release an order and reply to ticket"
    assert fields.procedure.splitlines() == [
        "1. Look first: `./shopctl tickets show {ticket}`, `./shopctl orders show {order}` and "
        "`./shopctl orders find --email {email}`.",
        "2. Run `./shopctl orders hold {order}`. `order` from `shopctl tickets show` → `messages[].text`.",
        "3. Run `./shopctl orders set-address {order} --address {address}`. "
        "`address` from `shopctl tickets show` → `messages[].text`; "
        "`order` from `shopctl tickets show` → `messages[].text`.",
        "4. Run `./shopctl orders release {order}`. `order` from `shopctl tickets show` → `messages[].text`.",
        "5. Run `./shopctl tickets reply {ticket} --text {text}`. `text` in your own words; "
        "`ticket` from the user's request.",
        "6. Run `./shopctl tickets close {ticket} --resolution address_changed`. `ticket` from the user's request.",
    ]


def goods_refunded(n: int) -> Run:
    ticket, goods = f"T-{200 + n}", ("lamp", "rug", "kettle", "desk")[n]
    asked = {"id": ticket, "messages": [{"text": f"The {goods} of ORD-{n} arrived broken and I would like a refund."}]}
    return run(
        20 + n,
        f"Work ticket {ticket} to the end.",
        sh(f"./shopctl tickets show {ticket}", asked),
        sh(f"./shopctl refunds create --payment PAY-{n}", {"id": f"REF-{n}"}),
    )


def test_a_program_runs_the_commands_by_the_tool_that_ran_them_whose_arguments_are_not_those_of_a_command() -> None:
    steps = learned([address_changed(n) for n in range(3)]).fields.recipe
    assert {(step.tool, str(step.args_schema)) for step in steps} == {("bash", "{}")}
    assert "Run `./shopctl orders hold {order}`" in [step.step for step in steps]


def test_what_the_ticket_says_that_a_request_names_tells_when_to_use_a_skill() -> None:
    moved, broken = [address_changed(n) for n in range(4)], [goods_refunded(n) for n in range(4)]
    assert learned(moved, others=broken).fields.trigger == ["send"]
    assert learned(broken, others=moved).fields.trigger == ["arrived broken", "refund"]


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        ("Work ticket T-100 to the end.", ["Please send ORD-4000 to Station Road 3, York instead."]),
        ("Work the ticket to the end.", []),
        ("Work T-100: the parcel must go to another street, tell the customer so, and close it today, please.", []),
    ],
)
def test_a_record_is_asked_for_where_a_short_request_names_it(said: str, lines: list[str]) -> None:
    asked = replace(address_changed(0), messages=(replace(address_changed(0).messages[0], text=said),))
    assert dialogue.lines_of_named_record(with_single_commands(asked, RULES), until=None) == lines
    assert dialogue.lines_of_named_record(with_single_commands(asked, RULES), until=1) == []


def test_guidance_compares_tickets_by_what_they_say() -> None:
    def words(run: Run) -> set[int]:
        return {*features.of(run, rules=RULES).channels["words"].ids.tolist()}

    moved, broken = [address_changed(n) for n in range(2)], [goods_refunded(n) for n in range(2)]
    common = words(moved[0]) & words(broken[0])
    assert words(moved[0]) & words(moved[1]) > common < words(broken[0]) & words(broken[1])


def test_a_client_program_beside_changes_of_files_and_tests_makes_work_on_files_of_it() -> None:
    runs = [
        run(
            n,
            f"Add a column {name} to the invoices.",
            sh(f"supabase migration new add_{name}", "Created new migration"),
            sh(
                f"echo 'alter table invoice add {name} text;' > supabase/migrations/2026_{name}.sql && npm test",
                "1 passed",
            ),
        )
        for n, name in enumerate(("vat", "terms", "owner", "city"))
    ]
    fields = learned(runs).fields
    assert fields.title == "Change files and run supabase migration new and npm test"
    assert "Run `supabase migration new {migration}`." in fields.procedure and "`npm test`" in fields.procedure


def test_what_a_client_program_changes_is_an_effect_and_what_it_shows_is_none() -> None:
    assert effects(address_changed(1), RULES) == {
        "shopctl orders hold",
        "shopctl orders set-address",
        "shopctl orders release",
        "shopctl tickets reply",
        "shopctl tickets close",
    }


def test_the_code_of_an_error_is_told_unless_the_call_sent_it() -> None:
    refused = "error: E090: above the limit of one agent"
    runs = [
        run(
            n,
            f"Refund PAY-{n}.",
            sh(f"./shopctl refunds create --payment PAY-{n}", f"{refused}\n[exit code 1]"),
            sh(f"./shopctl approvals request --payment PAY-{n}", {"id": f"APR-{n}"}),
            sh(f"./shopctl refunds create --payment PAY-{n} --approval APR-{n}", {"id": f"REF-{n}"}),
        )
        for n in range(3)
    ]
    assert learned(runs).fields.failure_modes == [
        "`shopctl refunds create` returned “E090: above the limit of one agent” (runs: 3, ended well: 3)"
    ]


def test_each_command_of_a_line_has_the_document_that_it_printed() -> None:
    steps = {(call.position, call.name): call for call in with_single_commands(address_changed(1), RULES).steps}
    assert steps[1, "shopctl tickets show"].parsed_result["messages"]
    assert steps[2, "shopctl orders show"].parsed_result["status"] == "paid"
    assert steps[2, "shopctl orders find"].parsed_result[0]["status"] == "paid"
    assert steps[3, "shopctl orders show"].parsed_result is None  # one document of two commands: nobody knows whose
    assert steps[4, "shopctl orders hold"].parsed_result["status"] == "held"
    assert steps[4, "shopctl orders set-address"].arguments == {"order": "ORD-4037", "address": "Station Road 4, York"}


def test_a_command_that_prints_its_error_as_a_document_has_failed() -> None:
    refused = {"error": "order is shipped"}
    line = "./shopctl orders show ORD-1; ./shopctl orders hold ORD-1"
    told = run(
        1, "Hold it.", sh(line, {"id": "ORD-1"}, refused), sh(line, {"id": "ORD-1"}, {"code": 7}, "[exit code 1]")
    )
    ends = [(call.name.split()[-1], call.failed) for call in with_single_commands(told, RULES).steps]
    assert ends == [("show", False), ("hold", True), ("show", False), ("hold", True)]
    shown_again = sh(f"{line}; ./shopctl orders show ORD-1", {"id": 1}, {"id": 2}, {"code": 7}, "[exit code 1]")
    ends = [
        (call.name.split()[-1], call.failed)
        for call in with_single_commands(run(1, "Hold it.", shown_again), RULES).steps
    ]
    assert ends == [("hold", False), ("show", True)]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("./shopctl refunds create --payment PAY-1", "shopctl refunds create"),
        ("bin/acme accounts set-owner 7 x", "bin/acme accounts set-owner"),
        ("prisma db push", "prisma db push"),
        ("bin/acme migrate create", "bin/acme migrate"),
        ("shopctl orders --help", "shopctl --version"),
        ("pytest tests show", "pytest"),
        ("psql orders show", "psql"),
        ("shopctl 4711 show", "shopctl"),
        ("grep orders find", "grep"),
        ("gh pr create --fill", "gh pr create"),
    ],
)
def test_a_kind_of_thing_and_a_verb_are_the_subcommand_of_a_program_that_no_list_knows(line: str, kind: str) -> None:
    assert commands.kinds(line) == (kind,)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("shopctl refunds create", "create the refund"),
        ("shopctl orders set-address", "set the order address"),
        ("shopctl tickets reply", "reply to ticket"),
        ("shopctl payments list", "list payments"),
        ("bin/acme categories show", "look up the category"),
    ],
)
def test_such_a_command_is_said_as_a_tool_of_that_name(kind: str, said: str) -> None:
    assert phrase(kind) == said


def test_a_command_of_a_program_that_is_known_is_no_command_on_a_resource() -> None:
    kinds = ["prisma db push", "gh pr create", "prisma migrate deploy", "npm run build", "shopctl orders"]
    assert not any(map(resources.is_of_resource, kinds))
    assert resources.is_of_resource("shopctl orders hold")


def test_an_option_that_only_some_runs_gave_stands_in_brackets() -> None:
    uses = [
        f"./shopctl refunds create --payment PAY-{n} --reason damaged{' --approval APR-1' * (n == 2)} --force".split()
        for n in range(3)
    ]
    shape = resources.usual_call("shopctl refunds create", "./shopctl refunds create", uses, lambda word: True)
    assert shape == "./shopctl refunds create --payment {payment} --reason damaged --force [--approval {approval}]"
    assert resources.usual_call("shopctl refunds create", "./shopctl refunds create", uses[:1], lambda word: True) == ""


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("acme orders get 5 -o json", {"order": "5", "o": "json"}),
        ("sudo acme orders get -v 5 6 --all", {"order": "5", "v": True, "all": True}),
        ("bash bin/acme orders cancel 5 --reason='too late'", {"order": "5", "reason": "too late"}),
        ("acme orders list", {}),
    ],
)
def test_the_arguments_of_a_command_have_the_names_of_its_options_and_of_the_thing(line: str, given: Any) -> None:
    kind = commands.kinds(line)[0]
    assert resources.arguments(forms.commands_in(line)) == {kind: given} and resources.is_of_resource(kind)


def test_a_value_that_may_not_be_told_or_is_secret_is_none_of_the_call() -> None:
    def usual(*words: str, may_name: bool = True) -> str:
        kind, uses = "acme users invite", [["acme", "users", "invite", *words]] * 3
        return resources.usual_call(kind, kind, uses, lambda _: may_name)

    assert usual("--name", "lena", may_name=False) == "acme users invite --name {name}"
    assert usual("--role", "admin") == "acme users invite --role admin"
    assert usual("--admin-password", "swordfish") == "acme users invite --admin-password {admin_password}"


def test_a_program_of_the_folder_is_called_by_its_path_and_so_it_starts() -> None:
    assert forms.kind_forms("./shopctl orders hold ORD-1") == (("shopctl orders hold", "./shopctl orders hold"),)
    assert purposes.may_be_named("./shopctl orders hold") and purposes.may_be_named("./run-checks.sh")
