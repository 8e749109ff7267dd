"""Runs to judge over the API: the queue, a person's word, its undo, and who may not."""

from uuid import uuid4

import pytest
from django.db import connection

from memories.intake.episodes import agreement
from memories.models import Episode
from memories.models.episode import TO_JUDGE
from tests.consolidation.experience import consolidated
from tests.consolidation.test_guidance import learn
from tests.make import caller, make_memory, make_run, user
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
QUEUE = "/api/v1/outcomes/queue"


def test_runs_of_which_nothing_is_known_wait_until_a_person_has_judged_them() -> None:
    client = caller(permissions=["read", "review"], scopes=["project:a"])
    known = make_run(title="known", outcome="success", scope="project:a")
    waits, other = (make_run(title=name, scope="project:a") for name in ("waits", "other"))
    elsewhere = make_run(title="elsewhere", scope="project:b")
    one_event = make_run(title="one", scope="project:a", messages=[{"role": "user", "content": "hello"}])

    def waiting() -> list[str]:
        answer = client.get(QUEUE)
        assert answer.status_code == 200
        assert answer.json()["waiting"] == len(answer.json()["results"])
        return [row["id"] for row in answer.json()["results"]]

    def judged(memory_id: object, outcome: str) -> tuple[int, dict[str, object]]:
        answer = client.post(f"/api/v1/episodes/{memory_id}/outcome", {"outcome": outcome}, format="json")
        return answer.status_code, answer.json()

    assert waiting() == [str(other.pk), str(waits.pk)]
    assert str(one_event.pk) not in waiting()
    status, answer = judged(waits.pk, "failure")
    payload = answer["payload"]
    assert isinstance(payload, dict)
    assert (status, payload["outcome"], payload["outcome_source"]) == (200, "failure", "person")
    assert judged(other.pk, "unknown")[1]["batch"]
    assert judged(other.pk, "unknown")[1]["batch"] is None
    assert waiting() == []
    assert client.post(f"/api/v1/audit/{answer['batch']}/undo").status_code == 200
    assert waiting() == [str(waits.pk)]
    assert Episode.objects.get(pk=waits.pk).outcome_source == "none"
    assert judged(known.pk, "success")[1]["batch"]
    claim = make_memory("a claim", scope="project:a")
    assert [judged(one, "success")[0] for one in (uuid4(), elsewhere.pk, claim.pk)] == [404, 404, 404]
    assert judged(waits.pk, "banana")[0] == 400
    client = caller(permissions=["read", "ingest", "report"])
    assert (judged(waits.pk, "success")[0], client.get(QUEUE).status_code) == (403, 403)


def test_what_runs_like_it_contradict_is_asked_about_and_the_most_uncertain_come_first() -> None:
    client = caller(permissions=["read", "review"])
    sure, open_ = make_run(title="sure"), make_run(title="open")
    doubted, believed, judged = (make_run(title=name, outcome="success") for name in ("doubted", "believed", "judged"))
    for memory, verdict, risk in (
        (sure, "low", 0.05),
        (open_, "medium", 0.5),
        (doubted, "high", 0.8),
        (believed, "low", 0.1),
        (judged, "high", 0.9),
        (make_run(title="failed", outcome="failure"), "high", 0.9),
        (defended := make_run(title="defended", outcome="failure"), "low", 0.05),
    ):
        Episode.objects.filter(pk=memory.pk).update(verdict=verdict, risk=risk)
    Episode.objects.filter(pk=judged.pk).update(outcome_source="person")
    assert [row["id"] for row in client.get(QUEUE).json()["results"]] == [
        str(one.pk) for one in (open_, defended, doubted, sure)
    ]
    page = signed_in(permissions=["see_medium"]).get("/outcomes/").content.decode()
    assert page.count("about 80 % failed") == page.count("only about 5 % failed") == 1
    client.post(f"/api/v1/episodes/{doubted.pk}/outcome", {"outcome": "failure"}, format="json")
    assert Episode.objects.get(pk=doubted.pk).outcome_details == {agreement.DOUBTED: True}
    client.post(f"/api/v1/episodes/{defended.pk}/outcome", {"outcome": "failure"}, format="json")
    assert Episode.objects.get(pk=defended.pk).outcome_details == {agreement.DOUBTED: True}
    assert client.get(QUEUE).json()["waiting"] == 2


def test_long_last_words_are_cut_between_words() -> None:
    make_run(messages=[user("Refund it."), {"role": "assistant", "content": "It was paid back. " + "word " * 200}])
    page = signed_in(permissions=["see_medium"]).get("/outcomes/").content.decode()
    assert "<blockquote>… word word" in page


def test_the_queue_is_read_from_its_index() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        newest = Episode.objects.filter(TO_JUDGE).order_by("-pk").values("pk")[:10]
    assert "episode_to_judge" in newest.explain()


def test_the_page_shows_a_run_beside_the_nearest_that_ended_well() -> None:
    learn(1, "cancel_ticket")
    waits = learn(2, "cancel_ticket", outcome="")
    consolidated()
    page = signed_in(permissions=["see_medium"]).get("/outcomes/").content.decode()
    assert str(waits.pk) in page
    assert f"/episodes/{Episode.objects.get(outcome='success').pk}/" in page
