"""What bounds a context: its budget, the scope in which it is written down, and how long a task may be."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from memories.models import Injection
from memories.search.context.queries import company_in
from memories.search.context.rendering import quarters
from tests.make import AT
from tests.memories.contexts import ask
from tests.memories.revising import agent
from tests.memories.searched import known, talk

pytestmark = pytest.mark.django_db
LISTED = ("Acme pays its invoices in 30 days", "Acme pays its invoices in 60 days", "Acme pays its invoices in 90 days")


def test_what_is_one_of_a_list_is_no_older_state_because_the_rest_did_not_fit() -> None:
    for day, content in enumerate(LISTED):
        known(content, created_at=AT + timedelta(days=day), confidence=60 + day)
    question = "When does Acme pay its invoices?"
    assert [item.until for item in ask(question).items] == [None] * 3
    assert [item.until for item in ask(question, limit=2).items] == [None] * 2


@pytest.mark.parametrize("budget", range(20, 80))
def test_a_block_with_quotes_stays_within_the_budget(budget: int) -> None:
    known("Acme is a client", company_id="acme", source="P09")
    for minute in range(8):
        talk(f"Anna: I live in Boston {'x' * minute}", timestamp=(AT - timedelta(minutes=minute)).isoformat())
    block = ask("Where does Anna live?", company_id="acme", quotes=20, token_budget=budget).block
    assert quarters(block) <= 4 * budget


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ({"scope": "project:a"}, "project:a"),
        ({"scope": "project:b"}, "project:a"),
        ({"scope": "global"}, "project:a"),
        ({"scopes": ["project:a", "project:b"]}, "project:a"),
    ],
)
def test_a_context_is_written_down_in_no_scope_that_is_not_the_callers(asked: dict[str, Any], kept: str) -> None:
    ask("nothing", by=agent(scopes=frozenset({"project:a"})), **asked)
    assert Injection.objects.get().scope == kept


def test_the_names_in_a_long_task_are_one_parameter() -> None:
    known("Acme pays in 30 days", company_id="acme")
    sizes = []

    def measure(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        sizes.append(len(params or ()))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(measure):
        named = company_in(f"Acme {' '.join(f'w{n}' for n in range(5_000))}", trust=agent())
    assert (named, max(sizes) < 50) == (("acme",), True)


def test_what_one_speaker_says_again_is_quoted_once() -> None:
    for day, city in enumerate(("Boston", "Boston", "Denver", "Denver")):
        talk(f"Anna: I live in {city}", timestamp=(AT - timedelta(days=9 - day)).isoformat())
    first, second = ask("Where does Anna live?").quotes
    assert [(first.text, first.until), (second.text, second.until)] == [
        ("I live in Denver", None),
        ("I live in Boston", first.at),
    ]
    assert (first.at, second.at) == (AT - timedelta(days=6), AT - timedelta(days=8))
