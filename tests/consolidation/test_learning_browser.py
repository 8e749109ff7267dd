"""Runs of agents that work in a browser, as Playwright MCP 0.0.83 and 0.0.41 and Chrome DevTools MCP 1.11 print."""

import json

import pytest

from consolidation.guidance.request import check
from consolidation.learning.effects.effects import effects
from consolidation.learning.effects.toolnames import phrase
from consolidation.learning.runs.run import Run
from tests.consolidation.recorded import RULES, Script, learned, run

SHOP = "http://kontor.internal"


def tool(name: str, printed: str, **arguments: object) -> Script:
    return f"mcp__playwright__browser_{name}", arguments, printed


def ran(code: str, address: str, title: str) -> str:
    return (
        f"### Ran Playwright code\n```js\nawait page.{code};\n```\n### Page\n- Page URL: {SHOP}{address}\n"
        f"- Page Title: {title} - Kontor\n### Snapshot\n- [Snapshot](./page-2026-11-30T10-56-25-330Z.yml)"
    )


def look(address: str, title: str, *lines: str) -> Script:
    shown = "\n".join([f'- heading "{title}" [level=1] [ref=e7]', *lines])
    page = f"### Page\n- Page URL: {SHOP}{address}\n- Page Title: {title} - Kontor\n### Snapshot\n```yaml\n{shown}\n```"
    return tool("snapshot", page)


def opened(address: str, title: str, *lines: str) -> list[Script]:
    return [
        tool("navigate", ran(f"goto('{SHOP}{address}')", address, title), url=f"{SHOP}{address}"),
        look(address, title, *lines),
    ]


def pressed(button: str, address: str, title: str, *lines: str, ref: str = "e21") -> list[Script]:
    code = f"getByRole('button', {{ name: '{button}' }}).click()"
    return [
        tool("click", ran(code, address, title), element=f"{button} button", target=ref),
        look(address, title, *lines),
    ]


def filled(**fields: str) -> Script:
    objects = [
        {"target": f"e{n}", "name": name.replace("_", " "), "type": "textbox", "value": value}
        for n, (name, value) in enumerate(fields.items(), start=10)
    ]
    return tool("fill_form", "### Ran Playwright code\n```js\n```", fields=objects)


def moved(n: int, *, first: bool = False) -> Run:
    """The address of an order is changed: at first without a hold, which the user corrects."""
    order, street = f"803{10 + 7 * n}", ["9 quai Rouget", "Calle Sol 5", "Parkveien 11", "Nygata 40"][n]
    on_order = opened(f"/orders/{order}", f"Order {order}", f"- paragraph [ref=e9]: Status{order}: packed")
    saved = [
        *opened(f"/orders/{order}/address", f"Address of order {order}"),
        filled(Street=street, City="Praha"),
        *pressed("Save address", f"/orders/{order}", f"Order {order}", "- alert [ref=e8]: Address saved."),
    ]
    hold = pressed("Put on hold", f"/orders/{order}", f"Order {order}", "- alert [ref=e8]: Order is on hold.")
    release = pressed("Release", f"/orders/{order}", f"Order {order}", "- alert [ref=e8]: Order released.")
    premature = [*saved, "> Done.", "The label has the old street. An order has to be put on hold first."]
    return run(
        n,
        f"A customer has moved: order {order} must go to {street}, Praha.",
        *on_order,
        *(() if first else premature),
        *hold,
        *saved,
        *release,
        thread=f"case {n}",
    )


def refunded(n: int) -> Run:
    """A refund that the form refuses once, with a number that an earlier page made and the same account each time."""
    order, number = f"804{10 + 7 * n}", f"RMA51{20 + 3 * n}"
    form = [f"/orders/{order}/refund", f"Refund for order {order}"]
    limit = f"- alert [ref=e8]: Condition B allows at most {70 + n}.65 EUR."
    return run(
        n,
        f"The shelf of order {order} came back, please refund it.",
        *opened("/returns/new", "New return"),
        filled(Order_number=order, Reason="damaged"),
        *pressed("Create return", f"/returns/{number}", f"RMA {number}", f"- paragraph [ref=e9]: {number}"),
        *opened(*form),
        filled(RMA_number=number, Amount_in_EUR="89.00", Account="4730 Returns"),
        *pressed("Book refund", *form, limit),
        filled(Amount_in_EUR=f"{70 + n}.65"),
        *pressed("Book refund", f"/orders/{order}", f"Order {order}", "- alert [ref=e8]: Refund booked."),
        thread=f"case {n}",
    )


def names(steps: Run) -> list[str]:
    return [call.name for call in steps.steps]


def test_a_run_is_the_pages_it_opened_and_the_buttons_it_pressed() -> None:
    assert names(moved(0, first=True)) == [
        "GET kontor.internal/orders/{order}",
        "press Put on hold",
        "GET kontor.internal/orders/{order}/address",
        "press Save address",
        "press Release",
    ]
    assert effects(moved(0), RULES) == {"press Put on hold", "press Save address", "press Release"}
    save = moved(0, first=True).first_call("press Save address")
    assert save and save.arguments == {"Street": "9 quai Rouget", "City": "Praha"}
    assert save.page == "kontor.internal/orders/{order}/address"


def test_what_users_had_to_correct_is_no_step_of_the_skill() -> None:
    fields = learned([moved(0), moved(1), moved(2)]).fields
    assert fields.title == "Put on hold, save an address and release"
    assert fields.procedure.splitlines()[1:4] == [
        "2. Press `Put on hold`. Done when it returns “Order is on hold.”.",
        "3. Press `Save address` on `kontor.internal/orders/{order}/address`. `City` from the user's request; "
        "`Street` from the user's request. Done when it returns “Address saved.”.",
        "4. Press `Release`. Done when it returns “Order released.”.",
    ]


def test_a_form_sent_again_was_refused_for_what_its_page_says() -> None:
    first, last = [call for call in refunded(0).steps if call.name == "press Book refund"]
    assert first.failed
    assert first.parsed_result == "Condition B allows at most 70.65 EUR."
    assert not last.failed
    assert last.arguments == {"RMA number": "RMA5120", "Amount in EUR": "70.65", "Account": "4730 Returns"}


def test_a_form_that_is_opened_and_sent_again_for_the_same_record_was_refused_and_for_another_one_was_not() -> None:
    def sent(order: str, amount: str) -> list[Script]:
        form = [f"/orders/{order}/refund", f"Refund for order {order}"]
        return [*opened(*form), filled(Account="4730", Amount=amount), *pressed("Book refund", *form)]

    again = run(0, "Refund it.", *sent("80410", "89.00"), *opened("/orders/80410", "Order"), *sent("80410", "75.65"))
    others = run(1, "Refund both.", *sent("80410", "89.00"), *opened("/orders/80417", "Order"), *sent("80417", "75.65"))
    assert [[call.failed for call in each.steps if call.button] for each in (again, others)] == [
        [True, False],
        [False, False],
    ]


def test_two_notes_and_a_button_without_fields_that_is_pressed_twice_were_not_refused() -> None:
    page = ["/orders/80410", "Order 80410"]
    notes = [step for text in ("late", "call back") for step in [filled(Note=text), *pressed("Add note", *page)]]
    twice = [*pressed("Move up", *page), *pressed("Move up", *page)]
    assert not any(call.failed for call in run(0, "Please note it.", *opened(*page), *notes, *twice).steps)


def test_what_the_agent_typed_comes_from_no_page() -> None:
    shown = look("/vouchers/new", "New voucher", '- textbox "Code" [ref=e10]: GW-80310')
    form = opened("/vouchers/new", "New voucher")
    page = run(0, "Send a voucher.", *form, filled(Code="GW-80310"), shown).steps[0]
    assert "GW-80310" not in str(page.result)


def test_a_skill_says_what_goes_into_a_form_and_where_it_comes_from() -> None:
    competence = learned([refunded(n) for n in range(4)])
    assert competence.fields.procedure.splitlines()[:2] == [
        "1. Press `Create return` on `kontor.internal/returns/new`. `Order number` from the user's request; "
        "`Reason` `damaged`.",
        "2. Press `Book refund` on `kontor.internal/orders/{order}/refund`. `Amount in EUR` from `press Book refund`; "
        "`RMA number` from `press Create return`; `Account` `4730 Returns`. "
        "Done when it returns “Refund booked.”.",
    ]
    assert (
        "`press Book refund` returned “Condition B allows at most {number} EUR.” (runs: 4, ended well: 4)"
        in " ".join(competence.fields.failure_modes)
    )


def test_details_of_a_person_in_a_form_are_not_shown() -> None:
    def voucher(n: int) -> Run:
        return run(
            n,
            "Send a voucher.",
            *opened("/vouchers/new", "New voucher"),
            filled(Customer_email="anna@posteo.example", Full_name="Anna Kessler", Series="goodwill"),
            *pressed("Send voucher", "/vouchers", "Vouchers", "- alert [ref=e8]: Voucher sent."),
            thread=f"case {n}",
        )

    step = learned([voucher(n) for n in range(4)]).fields.procedure.splitlines()[0]
    assert "`Series` `goodwill`" in step
    assert "anna" not in step.lower()


def browse(*calls: Script) -> list[tuple[str, dict[str, object]]]:
    return [(call.name, call.arguments) for call in run(0, "Please do it.", *calls).steps]


def test_a_look_tells_what_an_element_is_before_the_agent_does() -> None:
    shown = ['- link "80310" [ref=e20] [cursor=pointer]:', '- button "Delete order 80310 of a@b.example" [ref=e31]']
    calls = [*opened("/orders", "Orders", *shown), *pressed("x", "/orders", "Orders", ref="e31")]
    assert browse(*calls)[-1][0] == "press Delete order of"
    assert browse(*opened("/orders", "Orders", *shown), tool("click", "", element="order 80310", target="e20")) == [
        ("GET kontor.internal/orders", {})
    ]


def test_searching_leads_to_a_page_and_a_form_may_be_sent_by_enter() -> None:
    typed = "### Ran Playwright code\n```js\nawait page.locator('input').fill('x');\n```\n### Page\n- Page URL: "
    search = tool(
        "type", f"{typed}{SHOP}/orders?q=anna", element="Search orders", target="#q", text="anna", submit=True
    )
    assert browse(search) == [("GET kontor.internal/orders", {"url": {"q": "anna"}})]
    note = tool("type", f"{typed}{SHOP}/orders", element="Note field", target="#n", text="late", submit=True)
    assert browse(note) == [("press Note", {"Note": "late"})]


def test_passwords_and_buttons_that_only_lead_on_are_left_out() -> None:
    sign_in = [*opened("/login", "Login"), filled(User="clerk", Password="hidden"), *pressed("Sign in", "/", "Kontor")]
    assert [name for name, _ in browse(*sign_in)] == ["GET kontor.internal/login", "GET kontor.internal"]
    save = [*opened("/me", "Me"), filled(Password="hidden", Language="de"), *pressed("Save", "/me", "Me")]
    assert browse(*save)[-1] == ("press Save", {"Language": "de"})


def test_an_older_version_shows_the_page_in_each_answer_and_numbers_elements_anew() -> None:
    page = (
        "### Page state\n- Page URL: {url}\n- Page Title: New voucher - Kontor\n- Page Snapshot:\n```yaml\n"
        '- textbox "Customer email" [ref=e11]\n- button "{button}" [ref=e21]\n{more}```\n'
    )
    first = page.format(url=f"{SHOP}/vouchers/new", button="Send voucher", more="")
    then = page.format(url=f"{SHOP}/vouchers", button="New voucher", more="- alert [ref=e8]: Sent.\n")
    email = {"name": "Customer email", "type": "textbox", "ref": "e11", "value": "a@b.example"}
    calls = browse(
        tool("navigate", first, url=f"{SHOP}/vouchers/new"),
        tool("fill_form", "", fields=[email]),
        tool("click", then, element="the button", ref="e21"),
    )
    assert calls[-1] == ("press Send voucher", {"Customer email": "a@b.example"})


def test_chrome_devtools_is_read_as_well() -> None:
    form = '## Latest page snapshot\nuid=1_0 RootWebArea "New voucher" url="http://kontor.internal/vouchers/new"\n'
    form += '  uid=1_16 textbox "Customer email"\n  uid=1_20 textbox "Amount"\n  uid=1_23 button "Send voucher"\n'
    refused = form.replace("1_", "3_") + '  uid=3_14 alert\n    uid=3_15 "Amount must be a whole number."\n'
    pages = "## Pages\n1: New voucher - Kontor (http://kontor.internal/vouchers/new) [selected]"
    at = "mcp__chrome-devtools__"
    steps = run(
        0,
        "Send a voucher of 25 euros.",
        (f"{at}navigate_page", {"pageId": 1, "type": "url", "url": f"{SHOP}/vouchers/new"}, pages),
        (f"{at}take_snapshot", {"pageId": 1}, form),
        (f"{at}fill_form", {"pageId": 1, "elements": [{"uid": "1_16", "value": "a@b.example"}]}, "Successfully filled"),
        (f"{at}fill", {"pageId": 1, "uid": "1_20", "value": "25.00"}, "Successfully filled out the element"),
        (f"{at}click", {"pageId": 1, "uid": "1_23"}, "Successfully clicked on the element"),
        (f"{at}take_snapshot", {"pageId": 1}, refused),
        (f"{at}fill", {"pageId": 1, "uid": "3_20", "value": "2500"}, "Successfully filled out the element"),
        (f"{at}click", {"pageId": 1, "uid": "3_23"}, "Successfully clicked on the element"),
    ).steps
    assert [call.name for call in steps] == ["GET kontor.internal/vouchers/new", *["press Send voucher"] * 2]
    assert steps[1].failed
    assert steps[1].parsed_result == "Amount must be a whole number."
    assert steps[2].arguments == {"Customer email": "a@b.example", "Amount": "2500"}


def test_the_button_that_is_about_to_be_pressed_is_what_is_checked() -> None:
    """By the run so far: what a target is, and what was filled in. Typing alone is no more than a look."""
    at = "mcp__playwright__browser_"
    shown = look("/vouchers/new", "New voucher", '- button "Send voucher" [ref=e21]')
    answers = [opened("/vouchers/new", "New voucher")[0], shown]
    messages: list[dict[str, object]] = [{"role": "user", "content": "Send a voucher."}]
    for n, (name, arguments, printed) in enumerate(step for step in answers if not isinstance(step, str)):
        function = {"name": name, "arguments": json.dumps(arguments)}
        messages.append({"role": "assistant", "tool_calls": [{"id": f"c{n}", "function": function}]})
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": printed})

    def asked(tool_name: str, **arguments: object) -> str:
        call = check({"messages": messages, "about_to": {"tool": f"{at}{tool_name}", "arguments": arguments}}).call
        assert call
        return call.name

    assert asked("click", element="the button", target="e21") == "press Send voucher"
    assert not RULES.is_effect(asked("type", element="Amount field", target="e11", text="20"))


@pytest.mark.parametrize(
    ("button", "told"),
    [("press Save address", "save the address"), ("press Put on hold", "put on hold")],
)
def test_a_button_is_told_by_its_own_words(button: str, told: str) -> None:
    assert phrase(button) == told


def test_the_tools_of_another_browser_are_read_by_their_names() -> None:
    click: Script = ("browser_click", {"selector": "#save"}, "ok")
    assert browse(("browser_navigate", {"url": SHOP}, "Page loaded"), click) == [
        ("browser_navigate", {"url": SHOP}),
        ("browser_click", {"selector": "#save"}),
    ]
