"""The page of a refusal says what was refused and why, not what it supposes."""

import pytest

from tests.make import ANNA, AT, make_memory
from tests.pages import HTMX, signed_in

pytestmark = pytest.mark.django_db


def test_who_may_not_decide_reads_which_permission_that_needs_and_who_gives_it() -> None:
    memory, viewer = make_memory(), signed_in("vera", group="viewer")
    for path, reason in (
        (f"/memories/{memory.pk}/decide/", "Deciding needs the permission review."),
        ("/memories/teach/", "Teaching needs the permission review."),
        (f"/memories/{memory.pk}/forget/", "Forgetting needs the permission review."),
    ):
        answer = viewer.post(path, {"decision": "promote"})
        page = answer.content.decode()
        assert answer.status_code == 403
        assert reason in page, path
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
