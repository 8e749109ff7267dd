"""Passwords that a browser fills into forms are removed before anything is stored; what only speaks of one stays."""

from typing import Any

import pytest

from memories.scanning.secret_removal import at_intake

PASSWORD = "Zq7vTr0ub4dor"


@pytest.mark.parametrize(
    "recorded",
    [
        {"element": "Password field", "target": "e3", "text": PASSWORD},
        {"element": "Confirm password", "ref": "e3", "text": PASSWORD, "submit": True},
        {"fields": [{"name": "Password", "type": "textbox", "target": "e2", "value": PASSWORD}]},
        {"value": PASSWORD, "name": "API key"},
        f"```js\nawait page.getByRole('textbox', {{ name: 'Password' }}).fill('{PASSWORD}');\n```",
        {"content": [{"type": "text", "text": f"await page.getByLabel('Password').fill('{PASSWORD}');"}]},
        f'- generic [ref=e10]:\n  - textbox "Password" [active] [ref=e12]: {PASSWORD}\n',
        f'uid=1_2 textbox "Password" focusable focused value="{PASSWORD}"',
        f"""page.fill('input[type="password"]', '{PASSWORD}')""",
        f"driver.find_element(By.ID, 'password').send_keys('{PASSWORD}')",
        f"cy.get('#password').type('{PASSWORD}')",
        {"command": f'agent-browser find label "Password" fill {PASSWORD}'},
    ],
)
def test_a_password_that_is_filled_in_is_removed(recorded: Any) -> None:
    kept = str(at_intake(recorded))
    assert PASSWORD not in kept
    assert "[password removed]" in kept
    assert "assword" in kept or "API key" in kept  # the words that name it stay


@pytest.mark.parametrize(
    "recorded",
    [
        {"name": "Password policy", "value": "minimum"},
        {"name": "password_hashing", "value": "bcrypt"},
        {"name": "Secret Garden", "value": "novel"},
        {"element": "Forgot password? link", "target": "e3"},
        '- textbox "Password" [ref=e12]\n- button "Sign in" [ref=e13]',
        "await page.getByRole('button', { name: 'Password reset' }).click();",
        "type('password reset', 'email')",
        "validate_password('x', 'lenient')",
    ],
)
def test_what_only_speaks_of_a_password_stays(recorded: Any) -> None:
    assert at_intake(recorded) == recorded
