"""What is past its TTL is gone for who decides too, though no job has removed it yet."""

from datetime import timedelta

import pytest
from django.utils import timezone

from memories.models import Memory, Tombstone
from tests.make import caller, make_memory

pytestmark = pytest.mark.django_db
VERBS: dict[str, dict[str, str]] = {
    "promote": {"to": "applied"},
    "demote": {"to": "candidate"},
    "dismiss": {"reason": "wrong"},
}
VERBS |= {"snooze": {"until": "2100-01-01T00:00:00Z"}, "restore": {}, "pin": {}}


@pytest.mark.parametrize("verb", VERBS)
def test_nothing_is_decided_about_what_has_expired(verb: str) -> None:
    memory = make_memory(status="confirmed", expires_at=timezone.now() - timedelta(seconds=1))
    judge = caller(permissions=["read", "review"])
    assert judge.post(f"/api/v1/memories/{memory.pk}/{verb}", VERBS[verb], format="json").status_code == 404
    assert judge.patch(f"/api/v1/memories/{memory.pk}", {"tags": ["a"]}, format="json").status_code == 404
    assert (Memory.objects.get().version, Tombstone.objects.count()) == (1, 0)
