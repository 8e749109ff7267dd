"""Runs of agents that drive a browser by command lines, as agent-browser 0.41 and playwright-cli 0.1 print."""

import pytest

from tests.consolidation.recorded import Script
from tests.consolidation.test_learning_browser import SHOP, browse, opened


def sh(command: str, printed: str = "✓ Done") -> Script:
    return "bash", {"command": command}, printed


def test_command_lines_that_drive_a_browser_are_read_as_its_tools() -> None:
    form = '- textbox "Amount in EUR" [ref=e4]\n- checkbox "Notify customer" [checked=false, ref=e2]\n'
    form += '- button "Book refund" [ref=e3]'
    by_agent_browser = browse(
        sh(f"agent-browser open {SHOP}/orders/80310/refund", f"✓ Refund\n  {SHOP}/orders/80310/refund"),
        sh("agent-browser snapshot -i | head -40", form),
        sh("agent-browser fill @e4 20 && agent-browser check @e2"),
        sh("agent-browser click @e3 && agent-browser snapshot -i", '- heading "Order 80310" [level=1, ref=e1]'),
    )
    code = "### Ran Playwright code\n```js\nawait page.getByRole('{role}', {{ name: '{name}' }}).{done};\n```"
    by_playwright = browse(
        sh(f"npx playwright-cli open {SHOP}/orders/80310/refund", opened("/orders/80310/refund", "Refund")[0][2]),
        sh("playwright-cli fill e4 20", code.format(role="textbox", name="Amount in EUR", done="fill('20')")),
        sh("playwright-cli check e2", code.format(role="checkbox", name="Notify customer", done="setChecked(true)")),
        sh("playwright-cli click e3", code.format(role="button", name="Book refund", done="click()")),
    )
    page = ("GET kontor.internal/orders/{order}/refund", {"url": {"order": "80310"}})
    assert by_agent_browser == [page, ("press Book refund", {"Amount in EUR": "20", "Notify customer": True})]
    assert by_playwright == by_agent_browser


@pytest.mark.parametrize(
    "line",
    ["git status && agent-browser click @e3", "agent-browser click '@e3", "echo agent-browser", "agent-browser"],
)
def test_a_line_that_does_more_than_drive_a_browser_stays_a_command(line: str) -> None:
    first = sh(f"agent-browser open {SHOP}/", "✓ Kontor")
    assert browse(first, sh(line))[1:] == [("bash", {"command": line})]


def test_elements_are_found_by_words_as_well() -> None:
    lines = [
        f"agent-browser open {SHOP}/me",
        "agent-browser find label 'Language' fill de",
        'agent-browser find role button click --name "Save"',
    ]
    assert browse(*map(sh, lines))[1:] == [("press Save", {"Language": "de"})]
