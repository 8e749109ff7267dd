"""What the tests of pages share: a browser's session, and memories with runs that speak for them."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import Permission
from django.test import Client

from memories.intake import evidence
from memories.intake.evidence import Witness
from memories.models import Memory
from memories.values.choices import Outcome
from skills.models import Skill
from tests.make import AT, answer, call, make_person, make_run, make_skill, user

HTMX = {"HX-Request": "true"}


def signed_in(name: str = "anna", *, group: str = "reviewer", permissions: Sequence[str] = ()) -> Client:
    client, person = Client(), make_person(name, group=group)
    person.user_permissions.add(*Permission.objects.filter(codename__in=permissions))
    client.force_login(person)
    return client


def support(memory: Memory, *, successes: int = 2, failures: int = 1) -> list[Memory]:
    """Runs that speak for and against a memory; the failed ones hold a call that went wrong."""
    outcomes = [Outcome.SUCCESS] * successes + [Outcome.FAILURE] * failures
    runs = [make_run(outcome=outcome, scope=memory.scope, messages=_said(outcome)) for outcome in outcomes]
    seen = [Witness(run.pk, outcome, AT, run.content) for run, outcome in zip(runs, outcomes, strict=True)]
    evidence.count(memory, seen, at=AT, founding=True)
    return runs


def candidate(name: str = "book-flight", **facts: Any) -> Skill:
    """A proposed skill with three runs behind it."""
    skill = make_skill(name, published=False, **facts)
    support(skill.memory)
    return skill


def _said(outcome: Outcome) -> list[dict[str, object]]:
    result = "Error: no such flight" if outcome == Outcome.FAILURE else {"booked": True}
    return [user("Book me a flight to Rome"), call("book_flight", to="Rome"), answer(result)]
