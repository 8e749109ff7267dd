"""What was counted by all tools of a run is carried over to effects: nothing falls, nothing dismissed comes back."""

import hashlib
from collections.abc import Sequence
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps

from consolidation.models import Pattern, Sighting, case_of
from consolidation.pipelines import pattern_identity
from memories import lifecycle
from memories.models import Episode, Memory, Proposal
from memories.values.choices import Status
from memories.values.field_types import competence_key
from memories.values.trust import SYSTEM, everything
from memos_site import review
from skills.models import Skill, SkillVersion
from tests.consolidation.experience import AGENT, NOON, consolidated, run
from tests.make import ANNA

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(hours=3)
FORMER = import_module("consolidation.migrations.0038_former_patterns_and_plans")


def counted_as_before(*ways: Sequence[str], times: int = 3) -> list[Memory]:
    """Exact patterns with their skills, and general ones beside them, as they were counted before effects were."""
    for n, tools in enumerate(ways):
        for minute in range(times):
            run(list(tools), minutes=10 * n + minute)
    with pytest.MonkeyPatch.context() as then:
        then.setattr(pattern_identity, "effects", lambda run, _rules: frozenset(run.tools))
        consolidated()
    for pattern in Pattern.objects.all():
        changed = "+".join(tool for tool in pattern.signature.split("+") if not tool.startswith(("get_", "search_")))
        Pattern.objects.filter(pk=pattern.pk).update(kind="exact", effects=[])
        if changed:
            sha = hashlib.sha256(changed.encode()).digest()
            general, _ = Pattern.objects.get_or_create(
                kind="general",
                scope=pattern.scope,
                sensitivity=pattern.sensitivity,
                signature_sha256=sha,
                defaults={"signature": changed, "first_seen_at": NOON, "last_seen_at": NOON, "due": False},
            )
            for seen in pattern.sightings.all():
                Sighting.objects.create(
                    pattern=general, episode_id=seen.episode_id, case=seen.case, outcome=seen.outcome, at=seen.at
                )
    return [pattern_of(tools) for tools in ways]


def pattern_of(tools: Sequence[str]) -> Memory:
    memory = Pattern.objects.get(kind="exact", signature="+".join(sorted(tools))).memory
    assert memory is not None
    return memory


def upgraded() -> None:
    FORMER.mark_patterns(apps, None)
    consolidated(at=LATER)


def test_waiting_skills_of_the_same_effects_become_one_with_all_counts() -> None:
    first, second = counted_as_before(["get_order", "refund"], ["search_orders", "refund"])
    upgraded()
    pattern = Pattern.objects.get()
    assert (pattern.kind, pattern.signature, pattern.effects) == ("effects", "refund", ["refund"])
    assert (pattern.successes, pattern.cases) == (6, 6)
    live = Memory.objects.get(type="competence", status=Status.CANDIDATE)
    assert live.performance.successes == live.evidence.count() == 6
    assert live.payload["skill_name"] in ("skill:get_order+refund", "skill:refund+search_orders")
    other = second if live == first else first
    other.refresh_from_db()
    assert other.status == Status.SUPERSEDED
    assert not SkillVersion.objects.filter(skill=other.pk, status="proposed").exists()


def test_a_published_skill_keeps_its_name_and_bytes_and_goes_on() -> None:
    first, second = counted_as_before(["get_order", "refund"], ["search_orders", "refund"])
    review.decide(AGENT, first.pk, "promote", at=NOON)
    before = Skill.objects.get(pk=first.pk)
    package = before.published.package if before.published else ""
    upgraded()
    after = Skill.objects.get(pk=first.pk)
    assert Pattern.objects.get().memory_id == first.pk
    assert (after.name, after.published and after.published.package) == (before.name, package)
    second.refresh_from_db()
    assert second.status == Status.SUPERSEDED


def test_of_several_published_ones_each_stays_and_a_person_is_asked() -> None:
    both = counted_as_before(["get_order", "refund"], ["search_orders", "refund"])
    for memory in both:
        review.decide(AGENT, memory.pk, "promote", at=NOON)
    upgraded()
    assert Skill.objects.downloadable().count() == 2
    proposal = Proposal.objects.get(kind="merge")
    assert {proposal.memory_id, *proposal.others} == {memory.pk for memory in both}
    assert {tuple(memory.payload["effects"]) for memory in Memory.objects.filter(type="competence")} == {("refund",)}


def test_what_was_dismissed_does_not_come_back_under_a_shorter_name() -> None:
    (memory,) = counted_as_before(["get_order", "refund"])
    memory.dismiss(by=SYSTEM, why="noise", at=NOON)
    for minute in range(3):
        run(["search_orders", "refund"], minutes=100 + minute)
    upgraded()
    assert Memory.objects.get(type="competence").status == Status.DISMISSED


def test_what_was_forgotten_does_not_come_back_under_a_shorter_name() -> None:
    (memory,) = counted_as_before(["get_order", "refund"])
    lifecycle.forget(memory, trust=everything(ANNA), at=NOON)
    for minute in range(3):
        run(["search_orders", "refund"], minutes=100 + minute)
    upgraded()
    assert not Memory.objects.filter(type="competence").exists()
    assert competence_key("skill:get_order+refund") in Pattern.objects.get().former


def test_a_live_skill_goes_on_beside_a_dismissed_one() -> None:
    gone, stays = counted_as_before(["get_order", "refund"], ["search_orders", "refund"])
    gone.dismiss(by=SYSTEM, why="noise", at=NOON)
    upgraded()
    assert Pattern.objects.get().memory_id == stays.pk
    gone.refresh_from_db()
    assert gone.status == Status.DISMISSED


def test_look_ups_become_the_skill_without_an_effect() -> None:
    counted_as_before(["get_order"], ["get_user", "transfer_to_human"])
    upgraded()
    assert Pattern.objects.get().signature == "no_action"


def test_it_needs_no_episode_and_changes_nothing_the_second_time() -> None:
    counted_as_before(["get_order", "refund"], ["search_orders", "refund"])
    digested = list(Episode.objects.order_by("pk").values_list("digested_at", flat=True))
    upgraded()
    assert list(Episode.objects.order_by("pk").values_list("digested_at", flat=True)) == digested
    before = [list(table.objects.order_by("pk").values()) for table in (Memory, Pattern, Sighting, SkillVersion)]
    FORMER.mark_patterns(apps, None)
    consolidated(at=LATER + timedelta(hours=1))
    assert [list(t.objects.order_by("pk").values()) for t in (Memory, Pattern, Sighting, SkillVersion)] == before


def test_a_case_is_the_thread_or_the_episode_itself() -> None:
    one, other = (run(["refund"], thread_id=thread) for thread in ("task-1", None))
    assert case_of("task-1", one.pk) == case_of("task-1", other.pk) != case_of(None, other.pk)


def test_what_was_counted_by_how_files_were_written_becomes_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for minute in range(6):
        run(["edit", *["write"] * (minute % 2), "make_client"], minutes=minute)
    with monkeypatch.context() as then:
        then.setattr(pattern_identity, "effects", lambda run, _rules: frozenset(run.tools))
        consolidated()
    assert Pattern.objects.count() == 2
    consolidated(at=LATER)
    assert Pattern.objects.values_list("signature", "successes").get() == ("edit+make_client", 6)
    assert Memory.objects.filter(type="competence", status=Status.CANDIDATE).count() == 1
