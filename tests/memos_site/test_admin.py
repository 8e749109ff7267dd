"""The admin: everything is there for whoever may see it, nothing for others, and only verbs change what has verbs."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.db.models import ForeignKey, Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from consolidation.models import Pattern, Run, Sighting
from memories.choices import Sensitivity, Status
from memories.models import Agent, AuditEntry, Episode, Event, Evidence, Memory, Performance, Proposal, Relation
from skills.models import Skill, SkillVersion
from tests.make import ANNA, AT, make_agent, make_memory, make_person, make_run, make_skill, user

pytestmark = pytest.mark.django_db
WORD = "zanzibar"
WITH_VERBS = (
    AuditEntry, Episode, Event, Evidence, Memory, Pattern, Performance, Proposal, Relation, Run, Sighting, Skill,
    SkillVersion,
)  # fmt: skip
FOR_ADMINISTRATORS = {"user", "group", "schedule", "success", "failure", "ormq", "idempotencykey"}


def staff(*, name: str = "olga", holding: str = "") -> Client:
    """Staff of clearance medium who may see and change every model, but reads only with `use_read`."""
    person = make_person(name, group="reviewer")
    person.is_staff = True
    person.save()
    models = Permission.objects.exclude(codename__startswith="see_").exclude(codename__startswith="use_")
    person.user_permissions.set(models.filter(codename__startswith=holding))
    return entering(person)


def entering(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def administrator() -> Client:
    return entering(make_person("root", group="administrator"))


def page(model: type[Model], name: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{name}", args=args)


def models() -> list[type[Model]]:
    return list(admin.site._registry)


def make_secrets(word: str, sensitivity: int) -> None:
    """One row of everything that carries trust, each saying `word`; rows of low sensitivity link to them."""
    facts: dict[str, Any] = {"sensitivity": sensitivity, "scope": word}
    memory = make_memory(f"{word} content", key=word, tags=[word], payload={"said": word}, **facts)
    memory.promote(by=ANNA, at=AT, why=word)
    run = make_run(messages=[user(word)], title=word, scope=word, sensitivity=Sensitivity(sensitivity).label)
    skill = make_skill(f"{word}-skill", content=f"{word} skill", **facts)
    shared = {"scope": "", "sensitivity": Sensitivity.LOW}
    low = make_memory("Acme pays late", **shared)
    for about in (memory, low):
        Evidence.objects.create(memory=about, occasion=str(uuid4()), episode_id=run.pk, kind="supports", at=AT)
    Relation.objects.create(source=low, predicate="supports", target=memory)
    Relation.objects.create(source=memory, predicate=word, target=low)
    for own in (facts, shared):
        said = word if own is facts else "late"
        Proposal.objects.create(
            kind="revision", memory=memory, why=said, fingerprint=uuid4().bytes, made_by="P01", opened_at=AT, **own
        )
        pattern = Pattern.objects.create(
            kind="exact", signature=said, signature_sha256=uuid4().bytes, first_seen_at=AT, last_seen_at=AT,
            memory=memory if own is shared else None, **own,
        )  # fmt: skip
        Sighting.objects.create(pattern=pattern, episode_id=run.pk, outcome="success", at=AT)
        Run.objects.create(kind="consolidate", trigger="page", error=said, **own)
    Performance.objects.create(memory=skill.memory)


@pytest.fixture
def secrets() -> None:
    make_secrets(WORD, Sensitivity.HIGH)


def addresses(model: type[Model]) -> Iterator[str]:
    """Every page of a model: its lists, and each of its rows."""
    lists = page(model, "changelist")
    field = model._meta.get_fields()[-1].name
    yield from (f"{lists}{query}" for query in ("", f"?q={WORD}", "?_popup=1&_to_field=id", "?o=1.2", "?_facets=True"))
    yield from (f"{lists}?{name}={WORD}" for name in ("scope__icontains", "content__contains", f"{field}__icontains"))
    for pk in model._default_manager.values_list("pk", flat=True):
        yield from (page(model, name, quote(str(pk))) for name in ("change", "history", "delete"))
        yield f"{lists}?q={pk}"


def autocompletes() -> Iterator[str]:
    for model in models():
        for field in model._meta.get_fields():
            if isinstance(field, ForeignKey):
                of = f"app_label={model._meta.app_label}&model_name={model._meta.model_name}&field_name={field.name}"
                yield f"/admin/autocomplete/?term={WORD}&{of}"


def shown(client: Client, url: str) -> str:
    """The answer's text, without what the person asked for."""
    text = client.get(url, follow=True).content.decode()
    return text.replace(f'value="{WORD}"', "").replace(f"={WORD}", "").replace(f"%3D{WORD}", "")


def test_staff_see_nothing_above_them_on_any_page(secrets: None) -> None:
    client = staff()
    for model in models():
        for url in addresses(model):
            assert WORD not in shown(client, url), url
    others = ["/admin/", f"/admin/search/?s={WORD}", f"/admin/search/?s={WORD}&extended=1", *autocompletes()]
    for url in others:
        assert WORD not in shown(client, url), url


def test_the_same_pages_show_it_to_whoever_may_see_it(secrets: None) -> None:
    client = administrator()
    for model in WITH_VERBS:
        assert any(WORD in shown(client, url) for url in addresses(model)), model


def test_what_may_not_be_seen_answers_as_what_does_not_exist(secrets: None) -> None:
    client, nothing = staff(), str(uuid4())
    for model in WITH_VERBS:
        rows = Memory.objects.filter(content__contains=WORD) if model is Memory else model._default_manager.all()
        above = [row for row in rows if WORD in str(vars(row)) and model is not Sighting]
        for row in above:
            for name in ("change", "history"):
                asked, unknown = (client.get(page(model, name, pk), follow=True) for pk in (row.pk, nothing))
                assert asked.redirect_chain == unknown.redirect_chain == [("/admin/", 302)], (model, name)
                said = asked.content.decode().replace(str(row.pk), nothing)
                assert "doesn’t exist" in said


def test_staff_without_a_permission_see_nothing_of_it() -> None:
    client = staff(holding="none")
    for model in models():
        assert client.get(page(model, "changelist")).status_code == 403, model
    assert "/admin/memories/" not in client.get("/admin/").content.decode()


def test_staff_who_may_not_read_see_no_rows() -> None:
    client = staff()
    User.objects.get(username="olga").groups.clear()
    assert client.get(page(Memory, "changelist")).status_code == 403


def test_what_could_give_anyone_everything_is_for_administrators() -> None:
    client = staff()
    refused = {model._meta.model_name for model in models() if client.get(page(model, "changelist")).status_code == 403}
    assert refused == FOR_ADMINISTRATORS
    root = administrator()
    assert {root.get(page(model, "changelist")).status_code for model in models()} == {200}


def test_models_with_verbs_can_only_be_read(secrets: None) -> None:
    client = administrator()
    for model in WITH_VERBS:
        row: Any = model._default_manager.first()
        assert client.get(page(model, "add")).status_code == 403
        assert client.post(page(model, "change", row.pk), {"status": "applied"}).status_code == 403
        assert client.post(page(model, "delete", row.pk), {"post": "yes"}).status_code == 403
        act = {"action": "delete_selected", "_selected_action": [str(row.pk)], "post": "yes"}
        client.post(page(model, "changelist"), act)
        assert model._default_manager.filter(pk=row.pk).exists(), model


def lists_in(client: Client, url: str) -> int:
    client.get(url)  # what is cached once for all
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(url).status_code == 200
    assert not [q for q in queries.captured_queries if "COUNT(*)" in q["sql"]], url
    return len(queries)


def test_a_list_asks_as_often_for_many_rows_as_for_one(secrets: None) -> None:
    client = administrator()
    make_agent()
    once = {model: lists_in(client, page(model, "changelist")) for model in (*WITH_VERBS, Agent)}
    for number in range(4):
        make_secrets(f"{WORD}{number}", Sensitivity.HIGH)
        make_agent()
    assert {model: lists_in(client, page(model, "changelist")) for model in once} == once


def test_strangers_and_people_who_are_not_staff_stay_outside() -> None:
    make_person()
    stranger = Client().get("/admin/memories/memory/")
    assert stranger.headers["Location"] == "/login/?next=/admin/memories/memory/"
    assert (
        Client()
        .post("/admin/login/", {"username": "anna", "password": "secret"})
        .headers["Location"]
        .startswith("/login/")
    )
    anna = entering(User.objects.get(username="anna"))
    assert anna.get("/admin/", follow=True).status_code == 403


def test_only_the_admin_has_its_own_policy() -> None:
    client = administrator()
    policy = client.get("/admin/").headers["Content-Security-Policy"]
    assert "script-src 'self' 'unsafe-eval';" in policy
    assert "unsafe" not in client.get("/").headers["Content-Security-Policy"]


def decide(client: Client, verb: str, memory: Memory, reason: str = "") -> str:
    act = {"action": verb, "_selected_action": [str(memory.pk)], "reason": reason}
    return client.post(page(Memory, "changelist"), act, follow=True).content.decode()


def test_decisions_are_the_desks_with_their_reason_and_their_conflicts() -> None:
    client, memory = staff(), make_memory()
    assert "say why" in decide(client, "dismiss", memory)
    assert "dismiss: 1" in decide(client, "dismiss", memory, "stale")
    assert "cannot promote a memory that is dismissed" in decide(client, "promote", memory)
    assert "restore: 1" in decide(client, "restore", memory)
    assert "promote: 1" in decide(client, "promote", memory)
    memory.refresh_from_db()
    assert memory.status == Status.CONFIRMED
    trail = AuditEntry.objects.about("memory", memory.pk)
    assert [(entry.action, entry.actor, entry.rationale) for entry in trail] == [
        ("dismiss", "olga", "stale"), ("restore", "olga", ""), ("promote", "olga", ""),
    ]  # fmt: skip


def test_a_promoted_skill_is_published_as_from_the_inbox() -> None:
    skill = make_skill(published=False)
    decide(staff(), "promote", skill.memory)
    assert skill.versions.get().status == SkillVersion.Status.PUBLISHED


def test_nobody_decides_what_is_above_them_or_without_review() -> None:
    above, low = make_memory(sensitivity=Sensitivity.HIGH), make_memory()
    client = staff()
    decide(client, "promote", above)
    User.objects.get(username="olga").groups.clear()
    User.objects.get(username="olga").user_permissions.add(Permission.objects.get(codename="use_read"))
    decide(client, "promote", low)
    assert not Memory.objects.exclude(status=Status.CANDIDATE).exists()


def issue(client: Client, **facts: Any) -> str:
    body = {"name": "ci", "owner": "", "clearance": "2", "permissions": ["read"], "scopes": "", "sources": ""}
    return client.post(page(Agent, "add"), {**body, "expires_at_0": "", "expires_at_1": "", **facts}).content.decode()


def test_a_token_is_shown_once_when_it_is_issued() -> None:
    client = staff()
    answer = issue(client, scopes="project:acme,project:beta")
    token = answer.split('id="token">')[1].split("</pre>")[0]
    agent = Agent.objects.with_token(token, at=AT)
    assert agent is not None
    assert (agent.name, agent.scopes, agent.permissions) == ("ci", ["project:acme", "project:beta"], ["read"])
    assert "already exists" in issue(client)
    for url in (page(Agent, "changelist"), page(Agent, "change", agent.pk), page(Agent, "history", agent.pk)):
        later = shown(client, url)
        assert token not in later
        assert bytes(agent.token_sha256).hex() not in later


@pytest.mark.parametrize("more", [{"clearance": "3"}, {"permissions": ["read", "nonsense"]}, {"scopes": "no scope"}])
def test_a_token_gives_no_more_than_the_person_has_who_issues_it(more: dict[str, Any]) -> None:
    issue(staff(), **more)
    assert not Agent.objects.exists()


def test_an_agent_is_revoked_once_and_not_changed() -> None:
    client, (agent, token) = staff(), make_agent("ci")
    act = {"action": "revoke", "_selected_action": [str(agent.pk)]}
    assert "ci: revoked" in client.post(page(Agent, "changelist"), act, follow=True).content.decode()
    assert "has been revoked before" in client.post(page(Agent, "changelist"), act, follow=True).content.decode()
    assert Agent.objects.with_token(token, at=AT) is None
    assert AuditEntry.objects.about("agent", agent.pk).get().actor == "olga"
    assert client.post(page(Agent, "change", agent.pk), {"clearance": "4"}).status_code == 403


def test_nobody_revokes_without_the_permission() -> None:
    agent, _token = make_agent("ci")
    staff(holding="view").post(page(Agent, "changelist"), {"action": "revoke", "_selected_action": [str(agent.pk)]})
    agent.refresh_from_db()
    assert agent.revoked_at is None
