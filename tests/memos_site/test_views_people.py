"""The pages of people: invited by a link, limited, deactivated; and the one that each has of themselves."""

import re
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from memories import accounts
from memories.accounts import Access
from memories.models import AuditEntry, Memory, Preferences
from memories.people import trust_of
from memories.values.choices import Sensitivity
from memories.values.exceptions import Conflict
from memos_site.web.profile import browser
from tests.make import ANNA, AT, make_agent, make_memory, make_person, make_skill
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
FORM: dict[str, Any] = {"name": "carl", "group": "viewer", "clearance": "3", "scopes": "project:a, project:b"}
GOOD = "correct horse battery"


@pytest.fixture
def administrator() -> Client:
    return signed_in("ada", group="administrator")


def link_in(page: Any) -> str:
    [link] = re.findall(r'id="link">http://testserver(/people/join/[^<]+)</pre>', page.content.decode())
    return str(link)


def choose(link: str, password: str = GOOD) -> tuple[Client, Any]:
    client = Client()
    form = client.get(link, follow=True)
    path = form.redirect_chain[-1][0] if form.redirect_chain else link
    return client, client.post(path, {"new_password1": password, "new_password2": password})


def test_a_person_is_invited_chooses_a_password_by_the_link_and_is_signed_in(administrator: Client) -> None:
    issued = administrator.post("/people/", FORM)
    assert "no-store" in issued["Cache-Control"]
    link = link_in(issued)
    client, answer = choose(link)
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert client.get("/memories/").status_code == 200
    trust = trust_of(User.objects.get(username="carl"))
    assert trust.max_sensitivity == Sensitivity.HIGH
    assert sorted(trust.scopes or ()) == ["project:a", "project:b"]
    assert trust.permissions == {"read"}
    assert "no longer works" in Client().get(link, follow=True).content.decode()
    assert link not in administrator.get("/people/").content.decode()


def test_each_change_of_a_person_is_audited_and_shown_to_reviewers_only(administrator: Client) -> None:
    administrator.post("/people/", FORM)
    person = User.objects.get(username="carl")
    page = f"/people/{person.pk}/"
    administrator.post(page, {"decision": "give", "group": "reviewer", "clearance": "2", "scopes": ""})
    administrator.post(page, {"decision": "stop"})
    administrator.post(page, {"decision": "start"})
    choose(link_in(administrator.post(page, {"decision": "reset"})))
    rows = AuditEntry.objects.filter(subject_kind="person").order_by("id")
    assert [(row.actor, row.action, row.label) for row in rows] == [
        ("ada", "create", "carl"),
        ("ada", "revise", "carl"),
        ("ada", "revoke", "carl"),
        ("ada", "restore", "carl"),
        ("ada", "reset", "carl"),
        ("carl", "password", "carl"),
    ]
    viewer, reviewer = trust_of(make_person("vera", group="viewer")), trust_of(make_person("rita"))
    assert not AuditEntry.objects.visible_to(viewer).exists()
    assert AuditEntry.objects.visible_to(reviewer).count() == 6


def test_a_reset_ends_the_former_password_and_every_session(administrator: Client) -> None:
    person, client = make_person("carl"), Client()
    assert client.login(username="carl", password="secret", request=client.get("/login/").wsgi_request)
    administrator.post(f"/people/{person.pk}/", {"decision": "reset"})
    assert client.get("/memories/").status_code == 302
    assert not User.objects.get(pk=person.pk).check_password("secret")


def test_the_last_administrator_is_neither_stopped_nor_made_less(administrator: Client) -> None:
    ada = User.objects.get(username="ada")
    for form in ({"decision": "stop"}, {"decision": "give", "group": "viewer", "clearance": "2"}):
        page = administrator.post(f"/people/{ada.pk}/", form, follow=True).content.decode()
        assert "at least one administrator must remain" in page
    assert administrator.get("/people/").status_code == 200
    make_person("bea", group="administrator")
    administrator.post(f"/people/{ada.pk}/", {"decision": "stop"})
    assert not User.objects.get(pk=ada.pk).is_active
    with pytest.raises(Conflict):
        accounts.set_active(User.objects.get(username="bea"), False, by=ANNA, at=AT)


def test_a_limited_person_sees_and_teaches_in_these_scopes_only() -> None:
    person = accounts.invite("carl", Access("reviewer", scopes=["project:a"]), by=ANNA, at=AT)
    for scope in ("", "project:a", "project:b"):
        make_memory(f"known in {scope or 'all'}", scope=scope)
    client = Client()
    client.force_login(person)
    page = client.get("/memories/").content.decode()
    assert [scope for scope in ("all", "project:a", "project:b") if f"known in {scope}" in page] == ["all", "project:a"]
    client.post("/memories/teach/", {"content": "Never send proposals on Fridays", "scope": ""})
    assert list(Memory.objects.filter(origin="taught").values_list("scope", flat=True)) == ["project:a"]
    assert client.post("/memories/teach/", {"content": "Zebras run", "scope": "project:b"}).status_code == 403


def test_a_limited_person_is_refused_a_decision_about_what_is_shared() -> None:
    person = accounts.invite("carl", Access("reviewer", scopes=["project:a"]), by=ANNA, at=AT)
    skill, client = make_skill(), Client()
    client.force_login(person)
    for path, body in (
        (f"/skills/{skill.pk}/rename/", {"name": "fly"}),
        (f"/skills/{skill.pk}/edit/", {"description": "Flies", "do": "propose"}),
        (f"/skills/{skill.pk}/1/restore/", {}),
        (
            "/skills/upload/",
            {
                "scope": "project:b",
                "files": SimpleUploadedFile("SKILL.md", b"---\nname: fly\ndescription: Flies\n---\n"),
            },
        ),
    ):
        answer = client.post(path, body)
        assert (answer.status_code, "text/html" in answer["Content-Type"]) == (403, True), path
    assert skill.versions.count() == 1


def test_a_person_without_a_group_is_limited_too() -> None:
    person = accounts.invite("carl", Access(scopes=["project:a"]), by=ANNA, at=AT)
    person.groups.clear()
    assert trust_of(User.objects.get(pk=person.pk)).scopes == frozenset({"project:a"})


@pytest.mark.parametrize("wrong", [{"name": ""}, {"group": "boss"}, {"clearance": "9"}, {"scopes": "a b!"}])
def test_what_is_wrong_in_an_invitation_is_said_and_nobody_is_made(administrator: Client, wrong: Any) -> None:
    page = administrator.post("/people/", FORM | wrong)
    assert (page.status_code, "wrong-" in page.content.decode()) == (400, True)
    assert not User.objects.filter(username="carl").exists()


def test_a_taken_name_is_said(administrator: Client) -> None:
    page = administrator.post("/people/", FORM | {"name": "ada"})
    assert (page.status_code, "a person of this name exists already" in page.content.decode()) == (409, True)


def test_only_administrators_manage_people() -> None:
    reviewer, person = signed_in(), make_person("carl")
    assert reviewer.get("/people/").status_code == 403
    assert reviewer.get(f"/people/{person.pk}/").status_code == 403
    assert reviewer.post(f"/people/{person.pk}/", {"decision": "stop"}).status_code == 403
    assert 'href="/people/"' not in reviewer.get("/").content.decode()


def test_the_list_needs_the_same_queries_however_many_people_there_are(
    administrator: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(7):
        administrator.get("/people/")
    for number in range(5):
        make_person(f"person-{number}")
    with django_assert_num_queries(7):
        administrator.get("/people/")


def test_the_profile_shows_what_one_may_do_and_ones_agents(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    client = signed_in()
    make_agent("refunds", owner=User.objects.get(username="anna"))
    with django_assert_num_queries(12):
        page = client.get("/profile/").content.decode()
    assert all(word in page for word in ("reviewer", "medium", "every scope", "refunds"))


def test_a_person_changes_name_and_password_and_stays_signed_in() -> None:
    client = signed_in()
    client.post("/profile/", {"decision": "name", "full_name": "Anna Arbor"})
    form = {"decision": "password", "old_password": "secret", "new_password1": GOOD, "new_password2": GOOD}
    assert client.post("/profile/", form | {"old_password": "guess"}).status_code == 400
    assert client.post("/profile/", form).status_code == 302
    assert "Anna Arbor" in client.get("/profile/").content.decode()
    assert User.objects.get().check_password(GOOD)


def test_a_name_in_two_parts_is_saved_as_it_was_shown() -> None:
    client = signed_in()
    User.objects.update(first_name="Anna", last_name="Arbor")
    client.post("/profile/", {"decision": "name", "full_name": "Anna Arbor"})
    assert User.objects.get().get_full_name() == "Anna Arbor"


def test_who_signs_in_by_a_link_reads_their_own_language_and_times(administrator: Client) -> None:
    link = link_in(administrator.post("/people/", FORM))
    carl = User.objects.get(username="carl")
    Preferences.objects.choose(carl, language="zh-hans")
    client = Client()
    client.cookies["time_zone"] = "Asia/Tokyo"  # of who signed in here before
    path = client.get(link, follow=True).redirect_chain[-1][0]
    client.post(path, {"new_password1": GOOD, "new_password2": GOOD})
    assert (client.cookies["django_language"].value, client.cookies["time_zone"].value) == ("zh-hans", "")


def test_signing_out_everywhere_else_keeps_this_session_and_the_password() -> None:
    client, other = signed_in(), Client()
    other.force_login(User.objects.get())
    assert client.post("/profile/", {"decision": "elsewhere", "password": "guess"}).status_code == 400
    assert other.get("/profile/").status_code == 200
    assert client.post("/profile/", {"decision": "elsewhere", "password": "secret"}).status_code == 302
    assert (client.get("/profile/").status_code, other.get("/profile/").status_code) == (200, 302)
    assert User.objects.get().check_password("secret")


@pytest.mark.parametrize(
    ("header", "shown"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML) Chrome/140.0 Safari/537.36", "Chrome · Linux"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari · iOS"),
        ("curl/8.5", "curl/8.5"),
    ],
)
def test_a_browser_is_named_by_what_people_call_it(header: str, shown: str) -> None:
    assert browser(header) == shown


def test_people_are_found_by_a_part_of_their_names() -> None:
    make_person("berta")
    User.objects.filter(username="berta").update(first_name="Roberta")
    client = signed_in("ada", group="administrator")
    assert [row.username for row, _access in client.get("/people/?q=ROBERT").context["rows"]] == ["berta"]
    assert "Nobody has this name" in client.get("/people/?q=nobody").content.decode()


def test_an_unknown_decision_is_refused_in_the_readers_language() -> None:
    client, person = signed_in("ada", group="administrator"), make_person("berta")
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "zh-hans"
    answer = client.post(f"/people/{person.pk}/", {"decision": "praise"})
    assert (answer.status_code, answer.content.decode()) == (400, "未知的决定")


def test_a_person_without_a_group_is_shown_without_one_and_given_none_by_another_field() -> None:
    admin, person = signed_in("olga", group="administrator"), User.objects.create_user("nina")
    page = admin.get(f"/people/{person.pk}/").content.decode()
    assert '<option value="" selected>none</option>' in page
    answer = admin.post(f"/people/{person.pk}/", {"decision": "give", "group": "", "clearance": "2", "scopes": "shop"})
    assert (answer.status_code, person.groups.count()) == (400, 0)
