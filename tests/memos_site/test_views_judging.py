"""The page of runs to judge: what is wrong with one judgement keeps no other from being stored and told."""

import pytest

from memories.models import Episode
from tests.make import answer, call, make_run, user
from tests.pages import signed_in

pytestmark = pytest.mark.django_db


def test_a_judgement_about_no_run_is_named_and_the_others_are_stored() -> None:
    runs = [make_run(outcome=None).pk for _ in range(2)]
    said = [f"{runs[0]}:success", "x:success", f"{runs[1]}:failure"]
    told = signed_in().post("/outcomes/judge/", {"said": said}, headers={"Accept": "application/json"}).json()
    assert (set(told["batches"]), set(told["refused"])) == ({str(pk) for pk in runs}, {"x"})
    assert set(Episode.objects.values_list("outcome", flat=True)) == {"failure", "success"}


def test_what_a_call_was_given_is_shown_as_data_not_as_python_and_a_cut_is_told() -> None:
    booking = call("book_flight", insured=True, flights=[{"number": "HAT7"}], note="x" * 200)
    make_run(outcome=None, messages=[user("Book it"), booking, answer({"error": "no seat"})])
    page = signed_in().get("/outcomes/").content.decode()
    assert f"note={'x' * 60}…, flights=[{{&quot;number&quot;: &quot;HAT7&quot;}}], insured=true" in page
