"""The page of a refusal says what was refused and why, not what it supposes."""

import pytest

from memories.models import PersonLimits
from tests.make import ANNA, AT, make_memory
from tests.pages import HTMX, signed_in

pytestmark = pytest.mark.django_db


def test_who_may_not_decide_reads_which_permission_that_needs_and_who_gives_it() -> None:
    memory, viewer = make_memory(), signed_in("vera", group="viewer")
    for path, reason in (
        (f"/memories/{memory.pk}/decide/", "Deciding needs the permission review."),
        ("/memories/teach/", "Teaching needs the permission review."),
        (f"/memories/{memory.pk}/forget/", "Forgetting needs the permission review."),
        ("/outcomes/judge/", "Judging how runs ended needs the permission review."),
        (f"/subjects/{memory.pk}/merge/", "Merging spellings needs the permission review in every scope."),
    ):
        answer = viewer.post(path, {"decision": "promote"})
        page = answer.content.decode()
        assert answer.status_code == 403
        assert reason in page and f"{reason}." not in page, path
        assert "an administrator can add you to their group" in page
        assert "You are signed in as vera" in page


def test_a_reviewer_whom_the_admin_refuses_is_not_told_that_she_may_not_decide() -> None:
    answer = signed_in("anna").get("/admin/", follow=True)
    page = answer.content.decode()
    assert answer.status_code == 403
    assert "The admin is for administrators only." in page
    assert "reviewers" not in page.casefold() and "permission" not in page


def test_the_form_of_an_edit_that_somebody_overtook_says_who() -> None:
    client = signed_in()
    memory = make_memory()
    memory.promote(by=ANNA, at=AT)
    told = client.get(f"/memories/{memory.pk}/edit/", headers=HTMX)
    assert told.status_code == 409
    assert "anna promoted this" in told.content.decode()
    assert "it is confirmed now" in told.content.decode()
    assert client.get(f"/memories/{memory.pk}/edit/").status_code == 404


def test_a_reviewer_of_some_scopes_reads_why_what_all_share_is_not_hers_to_decide() -> None:
    client, memory = signed_in(), make_memory("Acme pays on net-30 terms")
    PersonLimits.objects.create(user_id=int(client.session["_auth_user_id"]), scopes=["project:a"])
    alone = client.post(f"/memories/{memory.pk}/decide/", {"decision": "promote"})
    among = client.post("/bulk/", {"decision": "promote", "chosen": str(memory.pk)}, follow=True)
    for page in (alone.content.decode(), among.content.decode()):
        assert "every scope sees this memory, but your access is limited" in page.replace("Every", "every")
        assert "token" not in page.partition('<main id="main">')[2].replace("csrfmiddlewaretoken", "")
    taught = client.post("/memories/teach/", {"content": "Acme is in Rome", "scope": "project:b"})
    assert "The scope project:b is not among yours." in taught.content.decode()


def test_what_took_the_key_of_a_dismissed_memory_is_named_to_who_restores_it() -> None:
    client, memory = signed_in(), make_memory("Acme pays on net-30 terms", key="terms")
    memory.dismiss(by=ANNA, why="wrong", at=AT)
    make_memory("Acme pays on net-90 terms", key="terms")
    page = client.post(f"/memories/{memory.pk}/decide/", {"decision": "restore"}, follow=True).content.decode()
    assert "meanwhile: “Acme pays on net-90 terms”" in page


@pytest.mark.parametrize("decision", ["demote applied", "promote candidate"])
@pytest.mark.parametrize("path", ["/memories/{}/decide/", "/bulk/"])
def test_a_verb_with_a_status_that_it_does_not_lead_to_is_refused_and_is_no_fault(path: str, decision: str) -> None:
    memory = make_memory(status="candidate" if "promote" in decision else "confirmed")
    form = {"decision": decision, "chosen": str(memory.pk)}
    assert signed_in().post(path.format(memory.pk), form).status_code == 400
