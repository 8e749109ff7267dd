"""Which corrections of a coding agent are recognised as rules of a project, and which words are about a task."""

import pytest

from consolidation.learning.statements.explicit_statements import explicit_statements


@pytest.mark.parametrize(
    "message",
    [
        "You always have to run make client after you change a serializer.",
        "You have to restart the worker after every config change.",
        "you need to run make client every time you change a serializer",
        "In this repo we use pnpm, not npm.",
        "We only use named exports in this codebase.",
        "we use postgres instead of sqlite in tests",
        "Next time run make client before you push.",
        "In the future, put the tests next to the module",
        "every PR needs a changelog entry",
        "All commits must be signed off",
    ],
)
def test_a_rule_of_a_project_is_kept_without_always(message: str) -> None:
    assert [statement.text for statement in explicit_statements(message)] == [message]


def test_a_rule_stands_behind_what_went_wrong() -> None:
    rule = "You always have to run make client after you change a serializer."

    assert [found.text for found in explicit_statements(f"CI is red: client.ts is old. {rule}")] == [rule]


@pytest.mark.parametrize(
    "message",
    [
        "In this repo, fix the failing test",
        "in this project we need to change the header color",
        "we must add a column for each user",
        "Each file must be overwritten three times and then removed.",
        "You should see it every time!",
        "we use the gym every week",
        "Next time I'll bring the kids",
        "Next time bring your sister",
        "every test failed",
        "Do we use pnpm, not npm?",
    ],
)
def test_a_task_or_small_talk_is_no_rule_of_a_project(message: str) -> None:
    assert not explicit_statements(message)
