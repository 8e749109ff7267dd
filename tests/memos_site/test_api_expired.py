"""What is past its TTL is gone for who decides too, though no job has removed it yet."""

from datetime import timedelta

import pytest
from django.utils import timezone

from memories.models import Memory, Tombstone
from memos_site.review.verbs import OF_MANY, Verb
from tests.make import caller, make_memory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("verb", OF_MANY, ids=lambda verb: verb.name)
def test_nothing_is_decided_about_what_has_expired(verb: Verb) -> None:
    memory = make_memory(status="confirmed", expires_at=timezone.now() - timedelta(seconds=1))
    judge = caller(permissions=["read", "review"])
    assert judge.post(f"/api/v1/memories/{memory.pk}/{verb.name}", verb.example, format="json").status_code == 404
    assert judge.patch(f"/api/v1/memories/{memory.pk}", {"tags": ["a"]}, format="json").status_code == 404
    assert (Memory.objects.get().version, Tombstone.objects.count()) == (1, 0)
