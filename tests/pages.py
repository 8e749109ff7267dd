"""What the tests of pages share: a browser's session, and memories with runs that speak for them."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import Permission, User, update_last_login
from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils.crypto import get_random_string

from memories.intake import evidence
from memories.intake.evidence import Witness
from memories.models import Memory
from memories.values.choices import Outcome
from skills.models import Skill
from tests.make import AT, answer, call, make_person, make_run, make_skill, user

HTMX = {"HX-Request": "true"}


def signed_in(name: str = "anna", *, group: str = "reviewer", permissions: Sequence[str] = ()) -> Client:
    client, person = Client(), make_person(name, group=group)
    if permissions:
        person.user_permissions.add(*Permission.objects.filter(codename__in=permissions))
    begin_session(client, person)
    return client


def begin_session(client: Client, person: User) -> None:
    """What `force_login` leaves behind, by two statements instead of a dozen."""
    begun = {
        SESSION_KEY: str(person.pk),
        BACKEND_SESSION_KEY: "django.contrib.auth.backends.ModelBackend",
        HASH_SESSION_KEY: person.get_session_auth_hash(),
    }
    store, key = SessionStore(), get_random_string(32, VALID_KEY_CHARS)
    Session.objects.create(session_key=key, session_data=store.encode(begun), expire_date=store.get_expiry_date())
    client.cookies[settings.SESSION_COOKIE_NAME] = key
    update_last_login(type(person), person)


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
