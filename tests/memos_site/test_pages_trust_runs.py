"""Pages of runs to judge and of what arrives from an agent tell nothing of what their reader may not see."""

import re
from uuid import uuid4

import pytest
from django.test import Client

from memories.models import Episode
from memories.people import trust_of
from memories.values.choices import Sensitivity
from tests.make import bearing, make_agent, make_person
from tests.memos_site.test_pages_trust import Scene, read, same, scene

pytestmark = pytest.mark.django_db
__all__ = ["scene"]


def test_a_reviewer_judges_the_runs_that_may_be_seen_and_no_others(scene: Scene) -> None:
    person = make_person("reviewer")
    client, trust = Client(), trust_of(person)
    client.force_login(person)
    hidden = scene.hidden(trust)
    words = {secret.word for secret in scene.secrets if secret.is_seen_by(trust)}
    for query in ("", "?more=1", f"?more=1&without={uuid4()}"):
        _, shown = read(client, f"/outcomes/{query}")
        assert not [one for one in hidden if one.word in shown or str(one.episode) in shown], (query, trust)
        if query:
            assert words <= set(re.findall(r"secret\d", shown)), trust
    Episode.objects.update(outcome=None)
    said = [f"{id}:failure" for id in (*(one.episode for one in scene.secrets), uuid4())]
    told = client.post("/outcomes/judge/", {"said": said}, headers={"Accept": "application/json"}).json()
    assert set(told["batches"]) == {str(one.episode) for one in scene.secrets if one not in hidden}
    assert len(set(told["refused"].values())) == 1
    assert not Episode.objects.filter(pk__in=[one.episode for one in hidden]).exclude(outcome=None).exists()


def test_what_arrives_from_an_agent_is_shown_to_who_may_see_it() -> None:
    person = make_person("reviewer")
    client = Client()
    client.force_login(person)
    agent, token = make_agent(clearance=Sensitivity.LOW)
    for word, sensitivity in (("open_tool", "low"), ("hidden_tool", "hyper")):
        call = {"source": "ci", "thread_id": word, "tool_name": word, "sensitivity": sensitivity}
        assert bearing(token).post("/api/v1/tool-outputs", call, format="json").status_code == 201
    _, shown = read(client, f"/agents/{agent.pk}/arrivals/")
    assert ("open_tool" in shown, "hidden_tool" in shown) == (True, False)
    above, _ = make_agent("above", clearance=Sensitivity.HYPER)
    found, absent = (read(client, f"/agents/{id}/arrivals/") for id in (above.pk, uuid4()))
    assert found[0] == absent[0] == 404
    assert same(found[1]) == same(absent[1])
