"""Skills for agents: published versions only, and their packages; reviewers and people see every status."""

import hashlib
from typing import Any

import pytest
from rest_framework.test import APIClient

from memories.intake import evidence
from memories.intake.evidence import Witness
from memories.models import Memory
from memories.values.choices import Outcome, Status
from skills.models import Skill, SkillVersion
from tests.make import AT, bytes_of, make_agent, make_run, make_skill, make_version

pytestmark = pytest.mark.django_db
PATH = "/api/v1/skills"


def names(client: APIClient, query: str = "") -> list[str]:
    return [row["name"] for row in client.get(f"{PATH}?{query}").json()["results"]]


def content(client: APIClient, url: str) -> bytes:
    answer: Any = client.get(url)
    assert answer.status_code == 200
    return bytes_of(answer)


def test_an_agent_sees_what_is_published_and_a_reviewer_everything(agent: APIClient, judge: APIClient) -> None:
    make_skill("published")
    make_skill("candidate", published=False)
    for status in (Status.APPLIED, Status.DISMISSED, Status.RETRACTED, Status.CONTESTED):
        make_skill(str(status.value), status=status)
    assert names(agent) == ["applied", "published"]
    assert names(agent, "status=candidate,dismissed") == []
    assert names(judge) == ["applied", "candidate", "contested", "dismissed", "published", "retracted"]
    assert names(judge, "status=candidate") == ["candidate"]


def test_for_an_agent_no_version_is_loaded_but_the_published_one() -> None:
    skill = make_skill()
    for _ in range(3):
        make_version(skill, description="Books a flight or two")
    [row] = Skill.objects.shown_to(make_agent()[0].trust)
    assert [version.number for version in row.versions.all()] == [1]


def test_a_list_is_narrowed_to_skills_that_say_each_word(agent: APIClient, judge: APIClient) -> None:
    make_skill("book-hotel")
    make_version(make_skill("plan-trip"), description="Rents a car")
    make_skill("cancel", published=False, content="Gives a seat back")
    assert names(agent, "q=books+FLIGHT") == ["book-hotel", "plan-trip"]
    assert names(agent, "q=flight+trip") == ["plan-trip"]
    assert names(agent, "q=seat") == names(agent, "q=rents") == names(agent, "q=hotel+trip") == []
    assert names(judge, "q=seat") == ["cancel"]


def test_a_person_sees_every_status(admin_client: APIClient) -> None:
    make_skill(published=False)
    assert names(admin_client, "status=candidate") == ["book-flight"]


def test_what_is_not_published_does_not_exist_for_an_agent(agent: APIClient, judge: APIClient) -> None:
    make_skill("candidate", published=False)
    make_skill("dismissed", status=Status.DISMISSED)
    for name in ("candidate", "dismissed"):
        for path in ("", "/versions", "/versions/1", "/versions/latest", "/versions/1/content"):
            assert agent.get(f"{PATH}/{name}{path}").status_code == 404
            found = judge.get(f"{PATH}/{name}{path}")
            assert bytes_of(found) and found.status_code == 200


def make_skill_with_three_versions() -> Skill:
    """1 retired, 2 published, 3 proposed."""
    skill = make_skill()
    second = make_version(skill, description="In two steps")
    SkillVersion.objects.filter(number=1).update(status=SkillVersion.Status.RETIRED)
    SkillVersion.objects.filter(pk=second.pk).update(status=SkillVersion.Status.PUBLISHED)
    make_version(skill, description="In three steps")
    return skill


def test_an_agent_sees_the_published_version_only(agent: APIClient) -> None:
    make_skill_with_three_versions()
    shown = agent.get(f"{PATH}/book-flight").json()
    assert (shown["published_version"], shown["latest_version"], shown["proposed_version"]) == (2, 2, None)
    assert shown["description"] == "In two steps"
    assert [row["number"] for row in agent.get(f"{PATH}/book-flight/versions").json()["results"]] == [2]
    found = {n: agent.get(f"{PATH}/book-flight/versions/{n}").status_code for n in ("1", "2", "3", "4", "latest", "x")}
    assert found == {"1": 404, "2": 200, "3": 404, "4": 404, "latest": 200, "x": 404}
    assert "three steps" not in str(agent.get(PATH).json())


def test_a_reviewer_sees_every_version_newest_first(judge: APIClient) -> None:
    make_skill_with_three_versions()
    shown = judge.get(f"{PATH}/book-flight").json()
    assert (shown["published_version"], shown["latest_version"], shown["proposed_version"]) == (2, 3, 3)
    rows = judge.get(f"{PATH}/book-flight/versions").json()["results"]
    assert [(row["number"], row["status"]) for row in rows] == [(3, "proposed"), (2, "published"), (1, "retired")]
    assert judge.get(f"{PATH}/book-flight/versions/latest").json()["number"] == 2
    first = judge.get(f"{PATH}/book-flight/versions?limit=2").json()
    assert [row["number"] for row in judge.get(first["next"]).json()["results"]] == [1]


def test_where_nothing_is_published_the_latest_is_the_newest(judge: APIClient) -> None:
    make_version(make_skill(published=False), description="Another")
    assert judge.get(f"{PATH}/book-flight/versions/latest").json()["number"] == 2


def test_the_package_behind_its_url_has_the_hash_and_size_that_are_told(agent: APIClient) -> None:
    make_skill()
    package = agent.get(f"{PATH}/book-flight").json()["package"]
    zipped = content(agent, package["url"])
    assert (hashlib.sha256(zipped).hexdigest(), len(zipped)) == (package["sha256"], package["size"])
    answer: Any = agent.get(package["url"], headers={"Accept": "application/zip"})
    assert bytes_of(answer) == zipped
    assert answer["Content-Type"] == "application/zip"
    assert answer["Content-Disposition"] == 'attachment; filename="book-flight.zip"'
    assert (answer["X-Content-SHA256"], answer["ETag"]) == (package["sha256"], f'"{package["sha256"]}"')


@pytest.mark.parametrize(("known", "status"), [('"{}"', 304), ('W/"{}", "other"', 304), ("*", 304), ('"other"', 200)])
def test_who_has_the_package_is_not_sent_it_again(agent: APIClient, known: str, status: int) -> None:
    make_skill()
    package = agent.get(f"{PATH}/book-flight").json()["package"]
    answer: Any = agent.get(package["url"], headers={"If-None-Match": known.format(package["sha256"])})
    answer.close()
    assert (answer.status_code, answer["ETag"]) == (status, f'"{package["sha256"]}"')


def test_a_missing_package_is_a_problem_whatever_is_accepted(agent: APIClient) -> None:
    answer = agent.get(f"{PATH}/none/versions/1/content", headers={"Accept": "application/zip"})
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("scope", ["", "project:a+b", "user:anna@acme.com"])
def test_every_url_leads_to_its_own_scope(agent: APIClient, scope: str) -> None:
    for other in ("project:other", scope):
        make_skill(scope=other, content=f"of {other}")
    [row] = agent.get(PATH, {"scope": scope}).json()["results"]
    assert hashlib.sha256(content(agent, row["package"]["url"])).hexdigest() == row["package"]["sha256"]
    ambiguous = agent.get(f"{PATH}/book-flight")
    assert ambiguous.status_code == 409
    assert repr(scope) in ambiguous.json()["detail"]
    assert agent.get(f"{PATH}/book-flight", {"scope": scope}).json()["scope"] == scope


def test_an_underscore_reads_as_a_hyphen(agent: APIClient) -> None:
    make_skill()
    assert agent.get(f"{PATH}/book_flight").json()["name"] == "book-flight"


def test_a_skill_shows_its_track_record(agent: APIClient) -> None:
    skill = make_skill()
    outcomes = (Outcome.SUCCESS, Outcome.SUCCESS, Outcome.FAILURE, Outcome.PARTIAL)
    witnesses = [Witness(make_run().pk, outcome, AT) for outcome in outcomes]
    evidence.count(Memory.objects.get(pk=skill.pk), witnesses, at=AT)
    record = agent.get(f"{PATH}/book-flight").json()["performance"]
    assert record == {
        "success_count": 2,
        "failure_count": 1,
        "partial_count": 1,
        "success_rate": 2 / 3,
        "avg_latency_ms": None,
        "last_used_at": "2026-03-01T12:00:00Z",
    }


def test_without_a_use_there_is_no_success_rate(agent: APIClient) -> None:
    make_skill()
    assert agent.get(f"{PATH}/book-flight").json()["performance"]["success_rate"] is None
