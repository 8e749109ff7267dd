"""What rules, runs, conversations, uploads and files bring to all scopes, though one of these has dismissed it."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from rest_framework.test import APIClient

from memories.models import Memory, Tombstone
from memories.values.choices import Status
from skills.models import Skill, SkillVersion
from tests.consolidation import plugins
from tests.consolidation.experience import competence, consolidated, run
from tests.consolidation.plugins import EMAIL, MORNING, days, ran, ruled
from tests.consolidation.test_command_facts import nine_runs
from tests.consolidation.test_conversation_skills import process, script, talk
from tests.consolidation.test_guidance import ask, learn
from tests.consolidation.test_plans import digested, refund
from tests.make import ANNA, AT, caller, make_memory
from tests.memories.searched import known
from tests.model_endpoint import ModelEndpoint
from tests.skills.test_api_uploads import upload
from tests.transfer.imports import Imports, counts
from tests.transfer.sources import fact

pytestmark = pytest.mark.django_db
PLACE = "project:q1"


def only(**where: Any) -> Memory:
    return Memory.objects.get(**where)


def waits(memory: Memory) -> None:
    memory.refresh_from_db()
    assert (memory.status, memory.withheld_from) == (Status.CANDIDATE, [PLACE])


def test_a_pattern_is_known_by_its_key_in_whatever_words_and_climbs_no_more() -> None:
    for n in range(3):
        ran(at=MORNING + days(n), **EMAIL, scope=PLACE)
    ruled()
    found = only(scope=PLACE, key__startswith="p01")
    found.edit({"content": "Answer Acme within a day"}, by=ANNA, at=MORNING + days(3))
    found.dismiss(by=ANNA, why="noise", at=MORNING + days(3))
    for n in range(4, 14):
        ran(at=MORNING + days(n), **EMAIL, scope="")
    ruled()
    assert found.key is not None
    shared = plugins.live(found.key, scope="")
    assert shared is not None
    assert shared.confidence >= 60
    waits(shared)


def test_a_competence_is_known_by_its_effects_and_offered_in_no_guidance_there() -> None:
    for n in range(3):
        learn(n, "cancel_ticket", scope=PLACE)
    consolidated()
    competence("cancel_ticket").dismiss(by=ANNA, why="wrong", at=AT)
    for n in range(3, 9):
        learn(n, "cancel_ticket", scope="")
    consolidated()
    shared = only(type="competence", scope="")
    waits(shared)
    SkillVersion.objects.filter(skill=shared.pk).update(status=SkillVersion.Status.PUBLISHED, published_at=AT)
    shared.promote(by=ANNA, at=AT)
    assert shared.withheld_from == [PLACE]
    assert ask(caller(), scopes=[""])["skill"]["name"] == Skill.objects.get(pk=shared.pk).name
    for client, asked in ((caller(), {"scopes": [PLACE]}), (caller(scopes=[PLACE]), {})):
        answer = ask(client, **asked)
        assert (answer["skill"], answer["decision"]) == (None, "act")


def test_a_plan_is_known_by_its_shape() -> None:
    refund(1, scope=PLACE)
    digested()
    only(type="plan_graph").dismiss(by=ANNA, why="no", at=AT)
    refund(2, scope="", sensitivity="medium")
    digested()
    waits(only(type="plan_graph", scope=""))


def test_a_fact_about_commands_is_known_by_its_subject_and_noted_for_nobody_there() -> None:
    nine_runs(scope=PLACE)
    only(origin="consolidated", type="semantic").dismiss(by=ANNA, why="no", at=AT)
    nine_runs(scope="", sensitivity="medium")
    waits(only(origin="consolidated", type="semantic", scope=""))
    call = {"tool": "bash", "arguments": {"command": "pytest -q"}}
    noted = [len(_check(caller(scopes=[place]), call)["arguments"]) for place in ("project:q2", PLACE)]
    assert noted == [1, 0]


def _check(client: APIClient, call: dict[str, Any]) -> Any:
    body = {"task": "mend sympy", "about_to": call}
    return client.post("/api/v1/guidance", body, format="json").json()["check"]


def test_a_skill_of_a_conversation_waits_withheld(endpoint: ModelEndpoint) -> None:
    script(endpoint)
    process(talk(scope=PLACE))
    only(type="competence").dismiss(by=ANNA, why="no", at=AT)
    script(endpoint)
    process(talk(scope=""))
    waits(only(type="competence", scope=""))


def test_an_uploaded_skill_waits_withheld_also_when_a_person_has_published_it() -> None:
    upload(caller(), scope=PLACE)
    only(type="competence").dismiss(by=ANNA, why="no", at=AT)
    assert upload(caller()).status_code == 201
    shared = only(type="competence", scope="")
    waits(shared)
    SkillVersion.objects.filter(skill=shared.pk).update(status=SkillVersion.Status.PUBLISHED, published_at=AT)
    shared.promote(by=ANNA, at=AT)
    given = [caller(scopes=[place]).get("/api/v1/skills").json()["results"] for place in (PLACE, "project:q2")]
    assert [len(rows) for rows in given] == [0, 1]


def exported(path: Path, *memories: Memory) -> Path:
    """A file with these memories, which are not here any more."""
    file = path / "memories.jsonl"
    call_command("export_memories", file)
    Memory.objects.filter(pk__in=[memory.pk for memory in memories]).delete()
    return file


@pytest.mark.parametrize("scope", ["", "global"])
def test_what_is_imported_for_all_waits_withheld(tmp_path: Path, scope: str) -> None:
    rows = [known(fact(n), key=f"k{n}", scope=scope, category="fact", confidence=90) for n in range(3)]
    file = exported(tmp_path, *rows)
    make_memory(fact(1), scope=PLACE, category="fact").dismiss(by=ANNA, why="no", at=AT)
    assert Imports("memos")(file, status="keep") == counts(imported=3)
    stood = dict(Memory.objects.filter(scope=scope).values_list("content", "status"))
    assert stood == {fact(0): "confirmed", fact(1): "candidate", fact(2): "confirmed"}
    waits(only(content=fact(1), scope=scope))


def test_an_imported_dismissal_withholds_what_is_shared_here(tmp_path: Path) -> None:
    row = make_memory(fact(1), scope=PLACE, key="k", category="fact")
    row.dismiss(by=ANNA, why="no", at=AT)
    file = exported(tmp_path, row)
    Tombstone.objects.all().delete()
    shared = known(fact(1), key="k", category="fact")
    Imports("memos")(file)
    assert list(Tombstone.objects.values_list("scope", flat=True)) == [PLACE]
    shared.refresh_from_db()
    assert (shared.status, shared.withheld_from) == ("confirmed", [PLACE])


def test_runs_of_another_project_are_learned_from_as_ever() -> None:
    for n in range(2):
        run(["go_build", "go_test"], scope=PLACE, minutes=n)
    consolidated()
    competence("go_build+go_test").dismiss(by=ANNA, why="no", at=AT)
    for n in range(2):
        run(["go_build", "go_test"], scope="project:q2", minutes=n + 5)
    consolidated()
    assert only(type="competence", scope="project:q2").withheld_from == []
