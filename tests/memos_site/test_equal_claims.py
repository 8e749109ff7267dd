"""A claim under two keys is decided about once, at the API and on the pages; what suppresses says why."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from memories.models import Adaptation, Memory, Proposal, Tombstone
from memories.values.choices import Sensitivity, Status
from tests.make import answer_of, bearing, caller, make_agent, make_memory
from tests.memories.storing import NET30, NET60, store
from tests.pages import HTMX, signed_in

pytestmark = pytest.mark.django_db
PALLETS = "orders about 5 pallets a week and wants delivery before noon"
RULE = "Never send proposals on Fridays"


def rule(key: str = "fridays", category: str = "preference") -> Memory:
    memory = store(RULE, key=key, category=category).memory
    assert memory is not None
    return memory


def test_a_dismissal_names_what_it_dismissed_along_and_undoing_brings_both_back(reviewing_agent: APIClient) -> None:
    first, equal = rule(), rule("no-friday", "workflow")
    said = answer_of(reviewing_agent, f"memories/{first.pk}/dismiss", reason="wrong")
    assert (said["status"], said["equals"]) == ("dismissed", [str(equal.pk)])
    back = answer_of(reviewing_agent, f"audit/{said['batch']}/undo")
    assert set(back["undone"]) == {str(first.pk), str(equal.pk)}
    kept = answer_of(reviewing_agent, f"memories/{first.pk}/dismiss", reason="duplicate", why="of the workflow")
    assert kept["equals"] == []


def test_what_is_said_of_another_customer_is_neither_dismissed_along_nor_kept_out(reviewing_agent: APIClient) -> None:
    rows = [store(f"{name} {PALLETS}", key=f"pallets-{name}", category="fact").memory for name in ("Acme", "Globex")]
    assert rows[0] and rows[1]
    said = answer_of(reviewing_agent, f"memories/{rows[0].pk}/dismiss", reason="wrong")
    assert said["equals"] == []
    assert store(f"Initech {PALLETS}", key="pallets-initech", category="fact").memory is not None
    one, another = rule("fridays"), rule("no-friday", "workflow")
    for row, company in ((one, "Acme"), (another, "Globex")):
        Memory.objects.filter(pk=row.pk).update(company_id=company)
    assert answer_of(reviewing_agent, f"memories/{one.pk}/dismiss", reason="wrong")["equals"] == []


def test_so_does_a_dismissal_of_many(reviewing_agent: APIClient) -> None:
    first, equal = rule(), rule("no-friday", "workflow")
    said = answer_of(reviewing_agent, "memories/bulk", action="dismiss", ids=[str(first.pk)], reason="noise")
    assert (said["done"], said["equals"]) == ([str(first.pk)], [str(equal.pk)])


def test_the_page_of_a_memory_names_its_equals_and_the_answer_counts_them() -> None:
    first, equal = rule(), rule("no-friday", "workflow")
    client = signed_in()
    page = client.get(f"/memories/{first.pk}/").content.decode()
    assert "Says the same" in page
    assert f"/memories/{equal.pk}/" in page
    form = {"decision": "dismiss wrong"}
    said = client.post(f"/memories/{first.pk}/decide/", form, headers=HTMX).content.decode()
    assert "Dismissed as wrong, and 1 other that says the same" in said
    assert f'id="row-{equal.pk}"' in said  # it leaves the queue too
    assert "Says the same" not in client.get(f"/memories/{first.pk}/").content.decode()


def test_a_dismissal_says_where_else_the_same_is_known_and_offers_to_dismiss_it_there_too(
    reviewing_agent: APIClient,
) -> None:
    first, shared = rule(), store(RULE, key="shared", scope="global").memory
    other = store("On Fridays, never send proposals", key="other", scope="project:q2").memory
    assert shared and other
    client, form = signed_in(), {"decision": "dismiss wrong"}
    answer = client.post(f"/memories/{first.pk}/decide/", form, headers=HTMX).content.decode()
    assert "Dismissed as wrong; the same is known in global, project:q2" in answer
    assert f'href="/memories/{first.pk}/#also-known"' in answer
    page = client.get(f"/memories/{first.pk}/").content.decode()
    assert "The same memory exists elsewhere" in page
    answer = client.post(f"/memories/{shared.pk}/decide/", form, follow=True).content.decode()
    assert f"/memories/{shared.pk}/decide/" not in client.get(f"/memories/{first.pk}/").content.decode()
    client.post(f"/undo/{re.findall(r'/undo/([0-9a-f-]{36})/', answer)[0]}/")
    assert [Memory.objects.get(pk=pk).status for pk in (first.pk, shared.pk)] == ["dismissed", "candidate"]
    said = answer_of(reviewing_agent, f"memories/{shared.pk}/dismiss", reason="wrong")
    about = {"id": str(other.pk), "scope": "project:q2", "key": "other", "status": "candidate"}
    assert (said["equals"], said["also_known"]) == ([], [about])


def test_a_dismissal_of_many_says_how_many_of_the_same_are_known_elsewhere_and_leads_there(
    reviewing_agent: APIClient,
) -> None:
    first, second = rule(), store(NET30, key="acme").memory
    there = [store(said, key=f"k{n}", scope="project:q2").memory for n, said in enumerate((RULE, NET30))]
    assert second and there[0] and there[1]
    ids = [str(row.pk) for row in (first, second)]
    said = answer_of(reviewing_agent, "memories/bulk", action="dismiss", ids=ids, reason="noise")
    assert {known["id"] for known in said["also_known"]} == {str(row.pk) for row in there if row}
    client = signed_in()
    assert answer_of(reviewing_agent, f"audit/{said['batch']}/undo")["http"] == 200
    form = {"decision": "dismiss wrong", "chosen": [f"{pk} " for pk in ids]}
    answer = client.post("/bulk/", form, headers=HTMX).content.decode()
    assert "2 of the same are known elsewhere" in answer
    (address,) = re.findall(r'href="(/decided/[0-9a-f-]{36}/elsewhere/)"', answer)
    page = client.get(address).content.decode()
    assert [f"/memories/{row.pk}/decide/" in page for row in there if row] == [True, True]
    client.post(f"/memories/{there[0].pk}/decide/", {"decision": "dismiss wrong"})
    assert f"/memories/{there[0].pk}/decide/" not in client.get(address).content.decode()
    assert NET30 in client.get(address).content.decode()
    Memory.objects.filter(pk__in=[second.pk, there[1].pk]).update(sensitivity=Sensitivity.HYPER)
    assert NET30 not in client.get(address).content.decode()
    Memory.objects.filter(pk__in=[second.pk, there[1].pk]).update(sensitivity=Sensitivity.LOW)
    kept = answer_of(reviewing_agent, "memories/bulk", action="pin", ids=[str(there[1].pk)])
    assert kept["also_known"] == []


def test_what_resembles_a_dismissal_stands_beside_it(reviewing_agent: APIClient) -> None:
    first = store("Passwords are stored in plain text", key="old").memory
    assert first is not None
    answer_of(reviewing_agent, f"memories/{first.pk}/dismiss", reason="wrong")
    near = store("The passwords are saved as clear text", key="new").memory
    assert near is not None
    waiting = [
        item for item in reviewing_agent.get("/api/v1/inbox").json()["results"] if item["memory"]["id"] == str(near.pk)
    ]
    assert waiting[0]["resembles"]["content"] == first.content
    client = signed_in()
    for path in (f"/memories/{near.pk}/", f"/memories/{near.pk}/pane/"):
        page = client.get(path).content.decode()
        assert 'id="resembles"' in page and "<del>" in page
    Memory.objects.filter(pk=first.pk).update(sensitivity=Sensitivity.HYPER)
    Tombstone.objects.update(sensitivity=Sensitivity.HYPER)
    page = client.get(f"/memories/{near.pk}/").content.decode()
    assert "You may not see what was dismissed" in page and "<del>" not in page


def test_dismissals_that_rows_resemble_are_read_at_once_however_many_rows(reviewing_agent: APIClient) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as asked:
            answer = reviewing_agent.get("/api/v1/inbox").json()["results"]
        assert all(item["resembles"]["content"] == first.content for item in answer)
        return len(asked)

    first = make_memory("Passwords are stored in plain text")
    answer_of(reviewing_agent, f"memories/{first.pk}/dismiss", reason="wrong")
    stone = Tombstone.objects.get()
    make_memory("The passwords are saved as clear text", resembles=stone.pk)
    few = statements()
    for number in range(5):
        make_memory(f"Passwords lie in table {number} as clear text", resembles=stone.pk)
    assert statements() == few


def test_what_was_forgotten_is_not_called_dismissed(reviewing_agent: APIClient) -> None:
    about = {"source": "me", "subject": "Acme", "predicate": "pays within", "object": "30 days"}
    seen = answer_of(reviewing_agent, "observations", **about)
    person = signed_in()
    note = {"key": "fridays", "category": "fact", "content": RULE, "source": "P01"}
    stored = answer_of(reviewing_agent, "memories", **note)
    for memory_id in (seen["id"], stored["memory"]["id"]):
        person.post(f"/memories/{memory_id}/forget/", {"sure": "yes"})
    again = answer_of(reviewing_agent, "memories", **note | {"key": "another", "category": "workflow"})
    assert (again["http"], again["suppressed"], again["forgotten"]) == (200, True, True)
    assert again["notice"] == "it was forgotten before: nothing was stored"
    observed = answer_of(reviewing_agent, "observations", **about)
    assert (observed["http"], observed["suppressed"], observed["notice"]) == (202, True, again["notice"])


def test_a_rejected_revision_does_not_open_again_with_the_next_store(reviewing_agent: APIClient) -> None:
    row = store(NET30, key="acme").memory
    assert row is not None
    answer_of(reviewing_agent, f"memories/{row.pk}/promote", to="applied")
    agent = caller()
    note = {"key": "acme", "category": "fact", "content": NET60, "source": "P01"}
    first = answer_of(agent, "memories", **note)
    assert (first["http"], bool(first["proposal"])) == (202, True)
    rejected = answer_of(reviewing_agent, f"proposals/{first['proposal']}/reject")
    for content in (NET60, "Acme pays net 60 terms"):
        again = answer_of(agent, "memories", **note | {"content": content})
        assert (again["http"], again["proposal"]) == (200, None)
        assert again["notice"] == "a person has rejected this change before: nothing was changed"
    assert not Proposal.objects.open().exists()
    other = answer_of(agent, "memories", **note | {"content": "Acme pays on net-90 terms"})
    assert other["proposal"]
    answer_of(reviewing_agent, f"audit/{rejected['batch']}/undo")
    assert answer_of(agent, "memories", **note)["proposal"] == first["proposal"]


def test_a_change_that_an_agent_asks_for_after_its_rejection_is_a_conflict(reviewing_agent: APIClient) -> None:
    row = store(NET30, key="acme", trust=make_agent("one")[0].trust).memory
    assert row is not None
    other = bearing(make_agent("two")[1])
    for path, body in (("retract", {"rationale": "it is over"}), ("contest", {"rationale": "not so", "ref": "a mail"})):
        asked = answer_of(other, f"memories/{row.pk}/{path}", **body)
        answer_of(reviewing_agent, f"proposals/{asked['proposal']}/reject")
        again = answer_of(other, f"memories/{row.pk}/{path}", **body)
        assert (again["http"], again["code"]) == (409, "rejected")
    changed = other.patch(f"/api/v1/memories/{row.pk}", {"content": NET60}, format="json").json()
    answer_of(reviewing_agent, f"proposals/{changed['proposal']}/reject")
    patched = other.patch(f"/api/v1/memories/{row.pk}", {"content": NET60}, format="json")
    assert (patched.status_code, patched.json()["code"]) == (409, "rejected")


def test_reverting_on_the_page_reverts_what_says_the_same() -> None:
    for key in ("one", "two"):
        for _ in range(5):
            store(RULE, key=key, category="preference")
    assert Adaptation.objects.active().count() == 2
    first = Adaptation.objects.active().order_by("pk").first()
    assert first is not None
    signed_in().post(f"/adaptations/{first.pk}/revert/", {"decision": "keep"})
    assert set(Memory.objects.values_list("status", flat=True)) == {Status.CONFIRMED}
