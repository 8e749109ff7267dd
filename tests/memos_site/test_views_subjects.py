"""The pages of subjects: list, one subject, the merge of spellings by people, and who may not."""

from typing import Any

import pytest
from django.test import Client

from memories.models import PersonLimits, Subject
from memories.models.subject import subject_id
from memories.values.trust import everything
from tests.make import ANNA, make_person
from tests.memories.storing import store
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
CORP, ACME, NOBODY = map(subject_id, ("acme corp", "acme", "nobody"))


@pytest.fixture(autouse=True)
def _two_spellings() -> None:
    everyone = everything(ANNA)
    store("Acme pays on net-30 terms", trust=everyone, scope="project:shop")
    store("Acme Corp is in Berlin", key="berlin", trust=everyone, scope="project:bank")


def text(client: Client, path: str) -> str:
    response = client.get(path, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def merge(client: Client, **given: Any) -> Any:
    return client.post(f"/subjects/{ACME}/merge/", {"next": f"/subjects/{ACME}/", **given}, follow=True)


def test_the_list_and_search_and_a_memory_lead_to_a_subject_that_tells_who_said_what() -> None:
    client = signed_in()
    for path in ("/subjects/", "/subjects/?q=acm&kind=other", "/search/?q=acme", "/memories/?q=Acme+pays"):
        text(client, path)
    assert f"/subjects/{ACME}/" in text(client, "/subjects/?q=acm&kind=other")
    assert f"/subjects/{CORP}/" not in text(client, "/subjects/?q=acm&kind=other")
    assert f"/subjects/{CORP}/" in text(client, "/search/?q=acme+co")
    page = text(client, f"/subjects/{CORP}/")
    assert "Acme Corp is in Berlin" in page
    assert "net-30" not in page
    memory = page.split("/memories/")[2].split("/")[0]
    assert f"/subjects/{CORP}/" in text(client, f"/memories/{memory}/")


def test_a_merge_by_name_or_by_its_button_is_one_page_until_it_is_separated() -> None:
    client = signed_in()
    said = merge(client, name=" acme  CORP ").content.decode()
    assert "“Acme Corp” is now another spelling of “Acme”." in said
    both = text(client, f"/subjects/{CORP}/")
    assert "net-30" in both
    assert "Berlin" in both
    batch = both.split('action="/undo/')[1].split("/")[0]
    undone = client.post(f"/undo/{batch}/", {"next": f"/subjects/{ACME}/"}, follow=True).content.decode()
    assert "Undone: “Acme Corp”" in undone
    assert "Berlin" not in text(client, f"/subjects/{ACME}/")
    assert client.get("/decided/").status_code == 200
    assert Subject.objects.get(pk=CORP).version == 3
    assert merge(client, id=str(CORP), version="1").status_code == 200
    assert Subject.objects.get(pk=CORP).same_as is None
    merge(client, id=str(CORP), version="3")
    assert Subject.objects.get(pk=CORP).same_as_id == ACME


@pytest.mark.parametrize("given", [{"name": "acme"}, {"id": str(ACME)}])
def test_a_subject_itself_is_refused_in_words_that_say_so(given: dict[str, str]) -> None:
    assert "A subject cannot be merged with itself" in merge(signed_in(), **given).content.decode()


@pytest.mark.parametrize("given", [{"name": "nobody"}, {"name": ""}, {"id": "x"}, {"id": str(NOBODY)}])
def test_what_is_no_other_subject_is_not_merged(given: dict[str, str]) -> None:
    client = signed_in()
    assert merge(client, **given).status_code == 200
    assert not Subject.objects.exclude(same_as=None).exists()


def test_a_viewer_reads_without_controls_and_may_not_merge() -> None:
    client = signed_in("vera", group="viewer")
    assert "/merge/" not in text(client, f"/subjects/{ACME}/")
    assert merge(client, id=str(CORP), version="1").status_code == 403


def test_who_reads_in_one_scope_knows_only_its_subjects_and_may_not_merge() -> None:
    person = make_person()
    client = Client()
    client.force_login(person)
    PersonLimits.objects.create(user=person, scopes=["project:shop"])
    page = text(client, "/subjects/")
    assert f"/subjects/{ACME}/" in page
    assert "Acme Corp" not in page
    assert "Acme Corp" not in text(client, "/search/?q=acme")
    assert client.get(f"/subjects/{CORP}/").status_code == 404
    assert merge(client, id=str(CORP), version="1").status_code == 403


@pytest.mark.parametrize("path", ["subjects/?cursor=x", f"subjects/{NOBODY}/", "subjects/x/"])
def test_what_is_not_there_is_404(path: str) -> None:
    client = signed_in()
    assert client.get(f"/{path}").status_code == 404


def test_the_pages_ask_a_bounded_number_of_questions(django_assert_max_num_queries: Any) -> None:
    client = signed_in()
    for number in range(12):
        store(f"Acme{number} Corp pays on net-30 terms", key=f"k{number}", company_id="Acme", trust=everything(ANNA))
    for path in ("/subjects/", f"/subjects/{ACME}/"):
        with django_assert_max_num_queries(14):
            text(client, path)
