"""GET insights: the counts of each day, within the caller's trust."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from consolidation.api.insights import InsightsView
from consolidation.schedules import JOBS
from memories.values.choices import Permission, Sensitivity
from tests.consolidation.test_insights_page import put
from tests.make import caller

pytestmark = pytest.mark.django_db


def insights(query: str = "", **agent: Any) -> Any:
    return caller(**agent).get(f"/api/v1/insights{query}").json()


def test_each_day_has_a_number_under_its_name_and_label() -> None:
    put("status", "applied", 5)
    put("status", "applied", 4, days_ago=1)
    put("decided", "taken", 2)
    answer = insights()
    assert (len(answer["days"]), answer["days"] == sorted(answer["days"])) == (30, True)
    assert answer["counts"]["status"]["applied"][-3:] == [0, 4, 5]
    assert answer["counts"]["decided"] == {"taken": [0] * 29 + [2]}
    assert len(insights("?days=90")["counts"]["status"]["applied"]) == 90


def test_what_is_counted_of_now_alone_is_no_series_of_days() -> None:
    put("confidence", "7", 5, days_ago=1)  # before the first count of today
    put("fades", "0", 3)
    put("arrived", "", 2)
    answer = insights()
    assert answer["latest"] == {"confidence": {"7": 5}, "fades": {"0": 3}}
    assert list(answer["counts"]) == ["arrived"]


def test_runs_with_memory_stand_beside_those_without_and_beside_the_window_before() -> None:
    put("with_well", "agent", 31)
    put("with_ill", "agent", 9)
    put("withheld_ill", "agent", 8)
    put("without_well", "agent", 3)
    put("with_well", "agent", 7, days_ago=40)
    answer = insights()
    assert answer["runs"] == {
        "with_memory": {"well": 31, "ill": 9},
        "without_memory": {"well": 3, "ill": 8},
        "withheld": {"well": 0, "ill": 8},
    }
    assert answer["runs_before"]["with_memory"] == {"well": 7, "ill": 0}
    assert "with_well" not in answer["counts"]


def test_a_caller_sees_counts_of_its_scopes_and_levels_alone() -> None:
    put("arrived", "", 1, scope="project:a")
    put("arrived", "", 10, scope="project:b")
    put("arrived", "", 100, scope="project:a", sensitivity=Sensitivity.HYPER)
    answer = insights(scopes=["project:a"])
    assert (answer["counts"]["arrived"][""][-1], answer["scopes"]) == (1, ["project:a"])
    assert insights("?scope=project:b", scopes=["project:a"])["counts"] == {}
    assert insights("?scope=project:b")["counts"]["arrived"][""][-1] == 10


@pytest.mark.parametrize("days", ["7", "x", "-30", "30.0", ""])
def test_another_window_is_refused_by_its_name(days: str) -> None:
    answer = caller().get(f"/api/v1/insights?days={days}")
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/days")


def test_it_needs_the_permission_to_read() -> None:
    assert caller(permissions=[Permission.INGEST]).get("/api/v1/insights").status_code == 403


def test_it_asks_no_more_questions_when_there_is_more() -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as asked:
            client.get("/api/v1/insights")
        return len(asked)

    client = caller()
    put("status", "applied", 5)
    client.get("/api/v1/insights")
    few = statements()
    for days_ago in range(20):
        put("decided", "taken", 1, days_ago=days_ago, scope=f"project:{days_ago}")
    assert statements() == few


def test_the_document_says_how_often_is_counted() -> None:
    assert f"Counted every {JOBS['consolidation.tasks.insights'].minutes} minutes" in str(InsightsView.get.__doc__)
