"""The page of runs to judge: what is wrong with one judgement keeps no other from being stored and told."""

import pytest

from memories.models import Episode
from tests.make import make_run
from tests.pages import signed_in

pytestmark = pytest.mark.django_db


def test_a_judgement_about_no_run_is_named_and_the_others_are_stored() -> None:
    runs = [make_run(outcome=None).pk for _ in range(2)]
    said = [f"{runs[0]}:success", "x:success", f"{runs[1]}:failure"]
    told = signed_in().post("/outcomes/judge/", {"said": said}, headers={"Accept": "application/json"}).json()
    assert (set(told["batches"]), set(told["refused"])) == ({str(pk) for pk in runs}, {"x"})
    assert set(Episode.objects.values_list("outcome", flat=True)) == {"failure", "success"}
