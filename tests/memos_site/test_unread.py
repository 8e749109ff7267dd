"""How many decisions began to wait since a person looked, as a number that says nothing of them."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.http import urlencode

from memories.models import Proposal
from memories.values.choices import Sensitivity
from memories.values.trust import SYSTEM
from skills.models import SkillVersion
from tests.make import make_memory, make_skill, make_version
from tests.pages import signed_in

pytestmark = pytest.mark.django_db


def test_what_began_to_wait_since_is_counted_and_not_told() -> None:
    anna, now = signed_in(), timezone.now()
    before, hour = now - timedelta(days=2), {"since": (now - timedelta(hours=1)).isoformat()}
    make_memory("Tea was here before", created_at=before)
    skill = make_skill(created_at=before)
    SkillVersion.objects.update(created_at=before)
    assert anna.get(f"/unread/?{urlencode(hour)}").json()["n"] == 0
    make_memory("Acme pays on net-30 terms", created_at=now)
    make_memory("a secret", sensitivity=Sensitivity.HIGH, created_at=now)
    make_version(skill, description="Otherwise", at=now)
    change = {"verb": "demote", "version": 1}
    Proposal.objects.propose(Proposal.Kind.FAILING, skill.memory, change, by=SYSTEM, why="", at=now, sensitivity=1)
    answer = anna.get(f"/unread/?{urlencode(hour)}")
    assert (answer.json()["n"], answer.json()["text"]) == (3, "3 new decisions wait for you.")
    assert "Acme" not in answer.content.decode()


def test_without_a_time_or_with_none_that_can_be_read_nothing_is_new() -> None:
    make_memory("Tea")
    anna = signed_in()
    assert [anna.get(f"/unread/{query}").json()["n"] for query in ("", "?since=", "?since=yesterday")] == [0, 0, 0]
