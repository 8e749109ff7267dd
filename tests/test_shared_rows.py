"""Tests of a file begin with the same rows, whatever another one did with them."""

import pytest

from memories.models import Memory
from tests.make import make_memory
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
CONTENT = "Acme pays on net-30 terms"
written: list[str] = []


@shared_rows
def memory() -> Memory:
    written.append(CONTENT)
    return make_memory(CONTENT)


@pytest.mark.parametrize("change", ["Acme pays late", "Acme pays twice"])
def test_each_finds_them_as_they_were_written_once(memory: Memory, change: str) -> None:
    assert (memory.content, Memory.objects.get().content, len(written)) == (CONTENT, CONTENT, 1)
    memory.content = change
    memory.save()


def test_one_that_does_not_ask_finds_none() -> None:
    assert not Memory.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_one_that_commits_writes_them_for_itself(memory: Memory) -> None:
    assert Memory.objects.get() == memory
