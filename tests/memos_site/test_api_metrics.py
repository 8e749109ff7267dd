"""GET metrics: for who may read, and nothing in it of what the caller may not see."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from memories.values.choices import Sensitivity
from tests.make import ANNA, AT, caller, make_memory

pytestmark = pytest.mark.django_db


def shown(client: APIClient | None = None, **agent: Any) -> Any:
    answer = (client or caller(**agent)).get("/api/v1/metrics")
    assert answer.status_code == 200, answer.json()
    return {name: value for name, value in answer.json().items() if name != "collected_at"}


def test_the_figures_have_the_names_that_were_agreed() -> None:
    agreed = {"total_records", "records_by_type", "avg_salience", "avg_confidence", "salience_distribution"}
    agreed |= {"total_audit_entries"}
    agreed |= {"active_records", "pinned_records", "memory_growth_rate", "retrieval_usefulness", "revision_rate"}
    assert agreed | {"competence_success_rate", "plan_reuse_frequency"} <= set(shown())


def test_a_secret_or_foreign_memory_is_in_no_figure() -> None:
    make_memory(scope="project:alpha", pinned=True)  # so that the clock moves nothing
    low = caller(clearance=Sensitivity.LOW, scopes=["project:alpha"])
    before = shown(low)
    make_memory(scope="project:alpha", sensitivity=Sensitivity.HYPER)
    make_memory(scope="project:beta")
    assert shown(low) == before
    assert (before["total_records"], shown(clearance=Sensitivity.HYPER)["total_records"]) == (1, 3)


def test_who_may_not_read_gets_no_figures() -> None:
    assert caller(permissions=["ingest"]).get("/api/v1/metrics").status_code == 403
    assert caller().get("/api/v1/metrics?scope=x").status_code == 400


def test_all_audit_entries_are_as_many_as_the_trail_lists() -> None:
    client = caller(permissions=["read", "review"])
    make_memory().promote(by=ANNA, at=AT)
    make_memory("b", sensitivity=Sensitivity.HYPER).promote(by=ANNA, at=AT)
    listed = client.get("/api/v1/audit?limit=200").json()["results"]
    told = client.get("/api/v1/metrics").json()
    assert told["total_audit_entries"] == len(listed) > told["audit_last_30_days"]["entries"] == 0
