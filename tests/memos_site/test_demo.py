"""The demo team: every page has something to show, nothing is loaded twice, and nothing of it stays."""

import pickle
from collections import Counter
from uuid import UUID

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.utils import timezone

from consolidation.models import AuditCursor
from memories import leases
from memories.models import Agent, DigestKey, Memory
from memos_site import demo
from memos_site.demo import loading
from memos_site.demo.claims import TEAM
from tests.make import make_memory

pytestmark = [pytest.mark.django_db(transaction=True)]
ROOMS = ("memories", "skills", "consolidation")
OF_THE_STORE = (AuditCursor, DigestKey)


def rows() -> Counter[str]:
    """Of every table of ours but the store's own marks: how far it was audited, and its key for dismissals."""
    models = [model for room in ROOMS for model in apps.get_app_config(room).get_models() if model not in OF_THE_STORE]
    return Counter({model.__name__: model._default_manager.count() for model in models})


def test_a_store_with_data_of_its_own_is_left_alone() -> None:
    own = make_memory()
    with pytest.raises(CommandError, match="holds other data"):
        call_command("demo", "load")
    call_command("demo", "remove")
    assert list(Memory.objects.all()) == [own]


@pytest.mark.parametrize("refusal", [loading.NotEmpty(), loading.Busy()])
def test_a_refusal_leaves_the_process_in_which_serve_prepares_the_store(refusal: Exception) -> None:
    assert str(pickle.loads(pickle.dumps(refusal))) == str(refusal) != ""


def test_a_team_that_is_being_loaded_is_not_removed_meanwhile() -> None:
    with leases.hold(loading.LEASE, wait=False), pytest.raises(CommandError, match="right now"):
        call_command("demo", "remove")


def test_what_was_left_by_a_process_that_was_killed_is_removed_and_loaded_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[set[UUID]] = []

    def killed() -> None:
        begun.append(set(Agent.objects.values_list("pk", flat=True)))
        make_memory("half a team", scope=TEAM)
        raise SystemExit

    monkeypatch.setattr(loading, "history", killed)
    with monkeypatch.context() as dying:
        dying.setattr(loading, "_remove", lambda: 0)
        with pytest.raises(SystemExit):
            demo.load(at=timezone.now())
    assert demo.is_loaded()
    with pytest.raises(SystemExit):
        demo.load(at=timezone.now())
    assert len(begun) == 2 and begun[0].isdisjoint(begun[1])


def test_what_fails_half_way_is_removed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("the disk is full")

    before = rows()
    monkeypatch.setattr("memos_site.demo.loading.decisions", fail)
    with pytest.raises(RuntimeError):
        demo.load(at=timezone.now())
    assert rows() - before == Counter()
