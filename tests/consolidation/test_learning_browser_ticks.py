"""Boxes and radios of forms in a browser, and what is clicked there that is no button and yet does something."""

import pytest

from consolidation.learning.effects.effects import effects
from consolidation.learning.runs.run import Run
from tests.consolidation.recorded import RULES, Script, learned, run
from tests.consolidation.test_learning_browser import filled, look, names, opened, pressed, ran, tool

FORM = ["/orders/80410/refund", "Refund for order 80410"]
ORDER = ["/orders/80410", "Order 80410"]
LIMIT = "- alert [ref=e8]: At most 75.65 EUR."
NOTIFY, FULL, PART = "e14", "e12", "e13"


def shown(*ticked: str, more: str = "") -> list[str]:
    """The form with these boxes and radios ticked."""
    state = {ref: " [checked]" if ref in ticked else "" for ref in (NOTIFY, FULL, PART)}
    return [
        '- group "Kind" [ref=e9]:',
        f'  - radio "Full refund"{state[FULL]} [ref={FULL}]',
        f'  - radio "Part of it"{state[PART]} [ref={PART}]',
        f'- checkbox "Notify customer"{state[NOTIFY]} [ref={NOTIFY}]',
        more,
    ]


def clicked(ref: str, page: list[str] = FORM) -> Script:
    return tool("click", ran("locator('#a').click()", *page), element="it", target=ref)


def sent(*script: Script, then: list[str] | None = None) -> list[Script]:
    """The form is sent; `then`: shown again, for it was refused."""
    page = pressed("Book refund", *FORM, *then) if then else pressed("Book refund", *ORDER)
    return [*script, *page]


def fields(*script: Script) -> list[object]:
    return [call.arguments for call in run(0, "Refund it.", *script).steps if call.button]


@pytest.mark.parametrize(
    ("corrected", "ticks"),
    [
        ([filled(Amount="75.65")], {"Notify customer": True, "Full refund": True}),
        ([clicked(PART)], {"Notify customer": True, "Part of it": True}),
        ([clicked(NOTIFY)], {"Full refund": True}),
    ],
)
def test_a_form_that_is_shown_again_keeps_its_ticks_but_for_those_that_are_changed(
    corrected: list[Script], ticks: dict[str, bool]
) -> None:
    refused = sent(
        filled(Amount="89", Reason="damaged"),
        clicked(NOTIFY),
        clicked(FULL),
        then=shown(NOTIFY, FULL, more=LIMIT),
    )
    script = [*opened(*FORM, *shown()), *refused, *sent(*corrected)]
    first, last = [call for call in run(0, "Refund it.", *script).steps if call.button]
    assert first.failed and not last.failed
    assert {name: value for name, value in last.arguments.items() if isinstance(value, bool)} == ticks


def test_a_tick_that_the_page_has_lost_is_not_sent_and_the_form_was_refused_all_the_same() -> None:
    refused = sent(filled(Amount="89"), clicked(NOTIFY), then=shown(more=LIMIT))
    script = [*opened(*FORM, *shown()), *refused, *sent(filled(Amount="75.65"))]
    first, last = [call for call in run(0, "Refund it.", *script).steps if call.button]
    assert first.failed
    assert last.arguments == {"Amount": "75.65"}


def test_a_box_that_was_on_is_taken_off_by_a_click_and_so_is_one_that_a_form_is_filled_with() -> None:
    assert fields(*opened(*FORM, *shown(NOTIFY)), *sent(clicked(NOTIFY))) == [{"Notify customer": False}]
    box = {"target": NOTIFY, "name": "Notify customer", "type": "checkbox", "value": "false"}
    off = tool("fill_form", "", fields=[box])
    assert fields(*opened(*FORM, *shown(NOTIFY)), *sent(off)) == [{"Notify customer": False}]


@pytest.mark.parametrize(
    ("shown_first", "told"), [([], "`Notify customer` `true`"), ([NOTIFY], "`Notify customer` `false`")]
)
def test_a_skill_says_which_boxes_are_ticked_in_a_form(shown_first: list[str], told: str) -> None:
    def booked(n: int) -> Run:
        form = [f"/orders/{80410 + n}/refund", "Refund"]
        script = [*opened(*form, *shown(*shown_first)), clicked(NOTIFY, form), filled(Account="4730")]
        return run(n, "Refund it.", *script, *pressed("Book refund", *ORDER), thread=f"case {n}")

    assert told in learned([booked(n) for n in range(4)]).fields.procedure


THINGS = [
    "- generic [ref=e30] [cursor=pointer]: Archive order 80410",
    '- switch "Notifications" [ref=e31]',
    '- checkbox "Priority" [checked] [ref=e32]',
    '- menuitem "Duplicate" [ref=e33]',
    '- tab "History" [ref=e34]',
]
SAID = "- alert [ref=e8]: Order was changed."


@pytest.mark.parametrize(
    ("ref", "name", "arguments"),
    [
        ("e30", "press Archive order", {}),
        ("e31", "press Notifications", {"Notifications": True}),
        ("e32", "press Priority", {"Priority": False}),
    ],
)
def test_what_is_no_button_is_pressed_where_the_page_tells_of_it_then(
    ref: str, name: str, arguments: dict[str, bool]
) -> None:
    steps = run(0, "Do it.", *opened(*ORDER, *THINGS), clicked(ref, ORDER), look(*ORDER, *THINGS, SAID))
    assert effects(steps, RULES) == {name}
    act = steps.first_call(name)
    assert act and (act.arguments, act.page_message) == (arguments, "Order was changed.")
    quiet = run(0, "Do it.", *opened(*ORDER, *THINGS), clicked(ref, ORDER), look(*ORDER, *THINGS))
    before = run(0, "Do it.", *opened(*ORDER, *THINGS, SAID), clicked(ref, ORDER), look(*ORDER, *THINGS, SAID))
    assert effects(quiet, RULES) == effects(before, RULES) == frozenset()


def test_a_message_of_the_button_before_or_of_what_came_after_is_not_that_of_a_click() -> None:
    look_then = look(*ORDER, *THINGS, SAID)
    save = pressed("Save", *ORDER)[0]
    assert names(run(0, "Do it.", *opened(*ORDER, *THINGS), save, clicked("e30", ORDER), look_then))[1:] == [
        "press Save"
    ]
    noted = [clicked("e30", ORDER), filled(Note="late")]
    assert len(run(0, "Do it.", *opened(*ORDER, *THINGS), *noted, look_then).steps) == 1


def test_an_entry_of_a_menu_is_pressed_and_a_tab_only_leads_on() -> None:
    entry, tab = (run(0, "Do it.", *opened(*ORDER, *THINGS), clicked(ref, ORDER)) for ref in ("e33", "e34"))
    assert (names(entry)[1:], names(tab)[1:]) == (["press Duplicate"], [])
