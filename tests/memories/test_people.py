"""People: what their groups let them do and see, the commands that create people and agents, the first start."""

import json
from io import StringIO
from typing import Any
from unittest.mock import Mock

import pytest
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser, Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.core.management import CommandError, call_command
from pytest_django import DjangoAssertNumQueries

from memories.accounts import first_start
from memories.models import Agent, AuditEntry, Memory
from memories.people import trust_of
from memories.values.choices import Permission as May
from memories.values.choices import Sensitivity
from memos_site.management.commands.serve import lines_to_show
from memos_site.web import words
from tests.make import AT, make_agent, make_person

pytestmark = pytest.mark.django_db


ALL = {"read", "ingest", "report", "skills", "review"}


def said(command: str, *args: str, **options: Any) -> str:
    out = StringIO()
    call_command(command, *args, stdout=out, **options)
    return out.getvalue()


@pytest.mark.parametrize(
    ("group", "clearance", "permissions"),
    [
        ("viewer", Sensitivity.MEDIUM, {"read"}),
        ("reviewer", Sensitivity.MEDIUM, ALL),
        ("administrator", Sensitivity.HYPER, ALL),
    ],
)
def test_a_group_says_what_a_person_may_do_and_see(group: str, clearance: Sensitivity, permissions: set[str]) -> None:
    trust = trust_of(make_person(group=group))
    assert (trust.max_sensitivity, trust.scopes) == (clearance, None)
    assert trust.permissions == permissions
    assert (trust.actor.kind, trust.actor.name) == ("person", "anna")


def test_each_permission_of_a_token_can_be_given_to_a_person_and_has_a_word() -> None:
    held = {name for name, _ in Memory._meta.permissions if name.startswith("use_")}
    assert held == {f"use_{permission}" for permission in May.values}
    assert sorted(words.PERMISSIONS) == sorted(May.values)


def test_a_group_made_before_migrate_has_made_the_permissions_has_them_all() -> None:
    Group.objects.filter(name="reviewer").delete()
    Permission.objects.filter(content_type__app_label="memories").delete()
    ContentType.objects.filter(app_label="memories").delete()
    ContentType.objects.clear_cache()
    assert trust_of(make_person(group="reviewer")).permissions == {"read", "ingest", "report", "skills", "review"}


def test_who_is_not_signed_in_or_no_longer_active_may_do_nothing() -> None:
    person = make_person(group="administrator")
    person.is_active = False
    for user in (AnonymousUser(), person):
        assert (trust_of(user).permissions, trust_of(user).max_sensitivity) == (frozenset(), Sensitivity.MEDIUM)


def test_create_reviewer_shows_a_password_that_works() -> None:
    password = said("create_reviewer", "anna").split()[-1]
    person = User.objects.get(username="anna")
    assert person.check_password(password)
    assert (person.is_superuser, [group.name for group in person.groups.all()]) == (False, ["reviewer"])


def test_a_password_is_made_anew_for_each() -> None:
    assert said("create_reviewer", "anna").split()[-1] != said("create_reviewer", "ben").split()[-1]


def test_who_is_made_at_a_shell_stands_in_the_trail_as_who_is_invited() -> None:
    said("create_reviewer", "anna", group="administrator")
    entry = AuditEntry.objects.get()
    assert (entry.subject_kind, entry.label, entry.action, entry.actor) == (
        "person",
        "anna",
        "create",
        "create_reviewer",
    )
    assert entry.after == {"group": "administrator", "clearance": Sensitivity.HYPER, "scopes": []}


@pytest.mark.parametrize("name", ["", " ", "n" * 151])
def test_create_reviewer_names_a_name_that_cannot_be(name: str) -> None:
    with pytest.raises(CommandError, match="the name must have 1 to 150 characters"):
        call_command("create_reviewer", name)


def test_create_reviewer_says_that_a_name_is_taken() -> None:
    make_person("anna")
    with pytest.raises(CommandError, match="a person named 'anna' exists already"):
        call_command("create_reviewer", "anna")


def test_create_agent_shows_a_token_that_works() -> None:
    token = said("create_agent", "crm").splitlines()[1].split()[1]
    agent = Agent.with_token(token, at=AT)
    assert agent is not None
    assert (agent.name, agent.clearance, agent.scopes, agent.sources) == ("crm", Sensitivity.MEDIUM, [], [])
    assert agent.permissions == ["read", "ingest", "report", "skills"]


def test_create_agent_as_json_is_one_object() -> None:
    facts = json.loads(
        said(
            "create_agent", "crm", json=True, clearance="high", scope=["a", "b"], source=["P01"], permission=["review"]
        )
    )
    agent = Agent.with_token(facts.pop("token"), at=AT)
    assert facts == {"name": "crm", "clearance": "high", "scopes": ["a", "b"], "permissions": ["review"]}
    assert agent is not None
    assert (agent.clearance, agent.sources) == (Sensitivity.HIGH, ["P01"])


@pytest.mark.parametrize(
    ("args", "wrong"),
    [
        (["crm", "--scope", "a b"], "--scope 'a b'"),
        (["crm", "--scope", ""], "--scope ''"),
        (["crm", "--scope", "a\n"], "--scope"),
        (["crm", "--source", " "], "--source"),
        (["n" * 129], "the name"),
        ([""], "the name"),
        (["crm", "--clearance", "secret"], "invalid choice: 'secret'"),
        (["crm", "--permission", "all"], "invalid choice: 'all'"),
    ],
)
def test_create_agent_names_what_is_wrong_and_creates_nothing(args: list[str], wrong: str) -> None:
    with pytest.raises(CommandError, match=wrong):
        call_command("create_agent", *args)
    assert not Agent.objects.exists()


def test_create_agent_says_that_a_name_is_taken() -> None:
    make_agent("crm")
    with pytest.raises(CommandError, match="an agent named 'crm' exists already"):
        call_command("create_agent", "crm")


def test_create_agent_says_what_limit_no_column_holds() -> None:
    with pytest.raises(CommandError, match="--requests-per-minute must be 0"):
        call_command("create_agent", "crm", "--requests-per-minute", "3000000000")


def started() -> list[str]:
    """What a first start shows."""
    lines: list[str] = []
    first_start(lines.extend)
    return lines


def test_a_first_start_that_cannot_show_its_secrets_creates_nobody_and_the_next_one_shows_others() -> None:
    with pytest.raises(OSError, match="No space"):
        first_start(Mock(side_effect=OSError("No space left on device")))
    assert not User.objects.exists() and not Agent.objects.exists()
    assert len(started()) == 3


def test_the_first_start_creates_an_administrator_and_an_agent_and_shows_their_secrets() -> None:
    lines = started()
    secrets = dict(line.rsplit(maxsplit=1) for line in lines)
    administrator = User.objects.get(username=secrets["administrator"])
    assert administrator.check_password(secrets["password"])
    assert trust_of(administrator).max_sensitivity == Sensitivity.HYPER
    agent = Agent.with_token(secrets["agent token"], at=AT)
    assert agent is not None
    assert "review" not in agent.permissions
    assert f'Bearer {secrets["agent token"]}"' in lines_to_show(lines, "http://here")[-1]


def test_where_a_person_is_already_the_first_start_creates_nobody() -> None:
    make_person()
    assert started() == []
    assert User.objects.count() + Agent.objects.count() == 1


def test_beside_an_agent_that_was_created_before_it_the_first_start_creates_an_administrator_alone() -> None:
    make_agent("crm")
    lines = started()
    assert len(lines) == 2
    assert User.objects.get().is_superuser and Agent.objects.get().name == "crm"
    assert lines_to_show(lines, "http://here") == lines, "no call with the password in the place of a token"
    assert started() == []


def test_permissions_of_ones_own_and_of_groups_are_read_at_once_and_are_those_that_django_knows(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    one, boss, gone = make_person("anna"), make_person("ben"), make_person("cyd")
    one.user_permissions.add(Permission.objects.get(codename="see_high"))
    User.objects.filter(pk=boss.pk).update(is_superuser=True)
    User.objects.filter(pk=gone.pk).update(is_active=False)
    for person in (one, boss, gone):
        known = ModelBackend().get_all_permissions(User.objects.get(pk=person.pk))
        fresh = User.objects.get(pk=person.pk)
        with django_assert_num_queries(int(person != gone)):
            assert fresh.get_all_permissions() == known
            assert fresh.has_perm("memories.see_high") == (person != gone)
    assert "memories.use_review" in User.objects.get(pk=one.pk).get_all_permissions()
