"""What becomes of another object where an observation says nothing of it: as what it stands beside was told."""

import pytest

from memories.models import Memory
from memories.values.choices import Sensitivity
from tests.make import caller
from tests.memories.test_api_reports import report

pytestmark = pytest.mark.django_db


def test_what_stood_beside_others_is_replaced_only_by_an_observation_that_says_so() -> None:
    client = caller()
    report(client, "observations", revision_policy="fork")
    report(client, "observations", object="Rust")
    assert set(Memory.objects.values_list("status", "payload__revision_policy")) == {("confirmed", "fork")}
    report(client, "observations", object="Zig", revision_policy="replace")
    assert list(Memory.objects.order_by("pk").values_list("status", flat=True)) == ["superseded"] * 2 + ["confirmed"]


def test_of_a_statement_above_the_caller_no_policy_is_followed() -> None:
    report(caller(clearance=Sensitivity.HYPER), "observations", revision_policy="fork", sensitivity="hyper")
    answered = report(caller(), "observations", object="Rust")
    assert (answered["http"], Memory.objects.count()) == (202, 1)
