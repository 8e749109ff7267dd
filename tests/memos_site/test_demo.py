"""The demo team: every page has something to show, nothing is loaded twice, and nothing of it stays."""

import pickle
from collections import Counter
from uuid import UUID

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.utils import timezone

from consolidation.guidance.offer_benefit import Arm, worth
from consolidation.models import AuditCursor, LLMCall, Run, SkillOffer
from memories import leases
from memories.models import Adaptation, Agent, AuditEntry, DigestKey, Episode, Injection, Memory, Tombstone
from memories.values.choices import Status
from memos_site import demo, review
from memos_site.demo import loading
from memos_site.demo.agent_steps import ANNA
from memos_site.demo.claims import AGENTS, TEAM
from skills.models import SkillUse, SkillVersion
from tests.make import make_memory
from tests.pages import signed_in

pytestmark = [pytest.mark.django_db(transaction=True)]
PAGES = (
    "/",
    "/memories/",
    "/episodes/",
    "/skills/",
    "/adaptations/",
    "/runs/",
    "/insights/",
    "/dismissed/",
    "/agents/",
)
ROOMS = ("memories", "skills", "consolidation")
OF_THE_STORE = (AuditCursor, DigestKey)


def rows() -> Counter[str]:
    """Of every table of ours but the store's own marks: how far it was audited, and its key for dismissals."""
    models = [model for room in ROOMS for model in apps.get_app_config(room).get_models() if model not in OF_THE_STORE]
    return Counter({model.__name__: model._default_manager.count() for model in models})


@pytest.mark.slow
def test_every_page_has_something_to_show_and_nothing_of_it_stays() -> None:
    before = rows()
    now = timezone.now()
    assert demo.load(at=now)
    waiting = set(review.kinds(ANNA, at=now))
    assert waiting == {"semantic", "competence", "version", "revision", "merge", "conflict", "failing"}
    assert {status for status, _name in Status.choices} - {"superseded"} <= set(
        Memory.objects.values_list("status", flat=True)
    )
    for model, least in ((SkillUse, 20), (Injection, 30), (Adaptation, 3), (Tombstone, 4), (LLMCall, 4), (Agent, 4)):
        assert model._default_manager.count() >= least, model
    offer = SkillOffer.objects.filter(withheld=True)[0]
    compared = worth(offer.memory_id, offer.version)
    assert (compared.offered, compared.withheld) == (Arm(9, 8), Arm(3, 2))
    assert SkillVersion.objects.filter(status="published").count() == 2
    assert set(Run.objects.values_list("status", flat=True)) == {"succeeded", "failed"}
    ids = {one.name: one.trust.actor.identity for one in Agent.objects.filter(name__in=AGENTS)}
    assert all(Episode.objects.filter(memory__created_by_id=id).exists() for id in ids.values()), "each has its runs"
    assert AuditEntry.objects.filter(action="decay").exists(), "what nobody used has faded"
    assert not Memory.objects.filter(created_at__gt=now).exists()
    person = signed_in("root", group="administrator")
    for page in PAGES:
        assert 'class="empty' not in person.get(page).content.decode(), page
    loaded = rows()
    assert not demo.load(at=now), "it is there already"
    assert rows() == loaded
    demo.remove()
    assert rows() - before == Counter()


def test_a_store_with_data_of_its_own_is_left_alone() -> None:
    own = make_memory()
    with pytest.raises(CommandError, match="data of its own"):
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
