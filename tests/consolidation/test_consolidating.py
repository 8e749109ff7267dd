"""Episodes become competences: by threshold, counted once, whatever happens in between."""

from collections import Counter
from datetime import timedelta
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from consolidation import set_aside
from consolidation.consolidation_run import KIND, consolidate
from consolidation.models import Pattern, Run, Sighting
from consolidation.pipelines import sightings
from memories.models import AuditEntry, Episode, Evidence, Memory, Performance
from memories.values.choices import Status
from memories.values.trust import SYSTEM, everything
from memos_site import review
from skills.models import Skill, SkillVersion
from tests.consolidation.experience import AGENT, NOON, competence, consolidated, run, totals
from tests.make import make_memory

pytestmark = pytest.mark.django_db
BUILD = ["go_test", "go_build", "lint"]
SIGNATURE = "go_build+go_test+lint"
TABLES = (Memory, Evidence, Performance, Pattern, Sighting, Skill, SkillVersion, AuditEntry)


def everything_stored() -> list[object]:
    return [list(table.objects.order_by("pk").values()) for table in TABLES]


def test_two_successes_with_the_same_tools_in_any_order_are_one_skill() -> None:
    run(BUILD)
    run(["lint", "go_test", "go_build"], minutes=1)
    done = consolidated()
    memory = competence(SIGNATURE)
    assert (memory.status, memory.confidence, memory.performance.successes) == (Status.CANDIDATE, 80, 2)
    assert memory.payload["skill_name"] == f"skill:{SIGNATURE}"
    assert done.counters["competences_created"] == 1
    assert memory.skill.versions.get().status == SkillVersion.Status.PROPOSED


def test_a_competence_that_an_agent_stored_gets_the_skill_of_its_runs() -> None:
    payload = {"kind": "competence", "skill_name": f"skill:{SIGNATURE}"}
    stored = make_memory("Build and test", scope="project:acme", type="competence", payload=payload)
    run(BUILD)
    run(BUILD, minutes=1)
    done = consolidated()
    assert competence(SIGNATURE) == stored and "competences_created" not in done.counters
    assert (stored.performance.successes, stored.skill.versions.get().number) == (2, 1)
    assert Memory.objects.get(pk=stored.pk).payload["recipe"][0]["tool"] == BUILD[0]


def test_one_success_is_nothing_yet() -> None:
    run(BUILD)
    consolidated()
    assert not Memory.objects.filter(type="competence").exists()


def test_failures_alone_teach_no_skill() -> None:
    for minute in range(5):
        run(BUILD, "failure", minutes=minute)
    consolidated()
    assert not Memory.objects.filter(type="competence").exists()


def test_failures_and_partial_outcomes_count_beside_successes() -> None:
    for minute, outcome in enumerate(["success", "failure", "partial", "success", "failure"]):
        run(BUILD, outcome, minutes=minute)
    consolidated()
    record = competence(SIGNATURE).performance
    assert (record.successes, record.failures, record.partials, record.success_rate) == (2, 2, 1, 0.5)


def test_runs_without_an_outcome_or_without_a_tool_are_read_and_teach_nothing() -> None:
    for minute in range(3):
        run(BUILD, None, minutes=minute)
        run([], "success", minutes=minute)
    assert consolidated().counters["episodes_read"] == 6
    assert not Pattern.objects.exists()


def test_a_second_run_changes_nothing_anywhere() -> None:
    run(BUILD)
    run(BUILD, minutes=1)
    consolidated()
    before = everything_stored()
    assert consolidated(at=NOON + timedelta(days=1)).counters["episodes_read"] == 0
    assert everything_stored() == before


def test_a_third_success_reinforces_once() -> None:
    run(BUILD)
    run(BUILD, minutes=1)
    consolidated()
    Memory.objects.filter(type="competence").update(salience=0.5, salience_at=NOON + timedelta(hours=2))
    run(BUILD, minutes=2)
    done = consolidated(at=NOON + timedelta(hours=2))
    consolidated(at=NOON + timedelta(hours=3))
    memory = competence(SIGNATURE)
    assert memory.salience == pytest.approx(0.6)
    assert memory.evidence.count() == memory.performance.successes == 3
    assert done.counters["competences_reinforced"] == 1


def test_a_replaced_outcome_moves_every_count_by_the_difference() -> None:
    run(BUILD, id="a")
    run(BUILD, id="b", minutes=1)
    run(BUILD, id="c", minutes=2)
    consolidated()
    run(BUILD, "failure", id="b", minutes=5)
    consolidated(at=NOON + timedelta(hours=2))
    assert totals() == [(SIGNATURE, 2, 1, 0, 3)]
    record = competence(SIGNATURE).performance
    assert (record.successes, record.failures) == (2, 1)


def test_an_outcome_that_comes_later_is_seen() -> None:
    run(BUILD, id="a")
    run(BUILD, None, id="b", minutes=1)
    consolidated()
    run(BUILD, "success", id="b", minutes=5)
    consolidated(at=NOON + timedelta(hours=2))
    assert competence(SIGNATURE).performance.successes == 2


def test_scopes_and_sensitivities_are_never_mixed() -> None:
    run(BUILD)
    run(BUILD, scope="project:other", minutes=1)
    run(BUILD, sensitivity="high", minutes=2)
    consolidated()
    assert not Memory.objects.filter(type="competence").exists()
    run(BUILD, sensitivity="high", minutes=3)
    consolidated(at=NOON + timedelta(hours=2))
    assert Memory.objects.get(type="competence").get_sensitivity_display() == "high"


def test_a_dismissed_skill_does_not_come_back() -> None:
    run(BUILD)
    run(BUILD, minutes=1)
    consolidated()
    memory = competence(SIGNATURE)
    memory.dismiss(by=SYSTEM, why="noise", at=NOON)
    for minute in range(5, 9):
        run(BUILD, minutes=minute)
    done = consolidated(at=NOON + timedelta(hours=2))
    memory = competence(SIGNATURE)
    assert (memory.status, memory.performance.successes, memory.skill.versions.count()) == (Status.DISMISSED, 2, 1)
    assert done.counters["suppressed"] == 4
    assert memory.evidence.filter(kind="suppressed").count() == 1


def test_statistics_alone_do_not_change_a_published_skill() -> None:
    for minute in range(4):
        run(BUILD, minutes=minute)
    consolidated()
    review.decide(AGENT, competence(SIGNATURE).pk, "promote", at=NOON)
    for minute in range(5, 9):
        run(BUILD, minutes=minute)
    consolidated(at=NOON + timedelta(hours=2))
    skill = competence(SIGNATURE).skill
    assert skill.versions.get().status == SkillVersion.Status.PUBLISHED
    assert competence(SIGNATURE).performance.successes == 8


def test_another_way_of_working_is_proposed_while_agents_keep_the_published_bytes() -> None:
    for minute in range(3):
        run(BUILD, minutes=minute)
    consolidated()
    review.decide(AGENT, competence(SIGNATURE).pk, "promote", at=NOON)
    published = competence(SIGNATURE).skill.published
    for minute in range(5, 15):
        run([*BUILD, "go_test"], "success", minutes=minute, messages=failing_build())
    done = consolidated(at=NOON + timedelta(hours=2))
    skill = competence(SIGNATURE).skill
    assert done.counters["versions_proposed"] == 1
    assert skill.proposed is not None
    assert (skill.proposed.number, skill.published) == (2, published)


def failing_build() -> list[dict[str, object]]:
    """The same tools, and a new way to fail: the linter finds something, and is run again."""
    said: list[dict[str, object]] = [{"role": "user", "content": "please build it"}]
    steps = [("lint", "Error: unused variable x"), ("go_test", "ok"), ("go_build", "ok"), ("lint", "ok")]
    for n, (tool, result) in enumerate(steps):
        call = {"id": f"c{n}", "type": "function", "function": {"name": tool, "arguments": '{"path": "src"}'}}
        said.append({"role": "assistant", "content": None, "tool_calls": [call]})
        said.append({"role": "tool", "tool_call_id": f"c{n}", "content": result})
    return said


def test_an_episode_that_cannot_be_read_is_set_aside_after_three_runs_and_the_rest_go_on() -> None:
    bad = run(BUILD)
    for minute in (1, 2):
        run(BUILD, minutes=minute)
    read = sightings._digest

    def poisoned(ids, count, *, at):  # type: ignore[no-untyped-def]
        if bad.pk in ids:
            raise ValueError("an event makes no sense")
        return read(ids, count, at=at)

    with patch.object(sightings, "_digest", poisoned):
        for hour in range(1, 5):
            consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=NOON + timedelta(hours=hour))
    episode = Episode.objects.get(pk=bad.pk)
    assert (episode.digest_attempts, episode.digested_at) == (3, None)
    assert episode.digest_error == "ValueError: an event makes no sense"
    assert list(Episode.objects.set_aside()) == [episode]
    assert competence(SIGNATURE).performance.successes == 2


def test_a_storage_that_fails_keeps_the_pattern_for_the_next_run() -> None:
    run(BUILD)
    run(BUILD, minutes=1)
    with patch("skills.publishing.store", side_effect=OSError("No space left on device")):
        failed = consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=NOON)
    assert failed is not None
    assert failed.status == Run.Status.FAILED
    assert not SkillVersion.objects.exists()
    assert "No space left" in Pattern.objects.get().error
    consolidated()
    assert competence(SIGNATURE).skill.versions.count() == 1


OUTCOMES = st.sampled_from(["success", "failure", "partial"])
TOOLS = st.lists(st.sampled_from(["get_a", "get_b", "set_c", "set_d"]), min_size=1, max_size=3, unique=True)


@examples(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(TOOLS, OUTCOMES, st.booleans()), min_size=1, max_size=12))
def test_counts_are_exact_however_the_episodes_are_spread_over_runs(db, story) -> None:  # type: ignore[no-untyped-def]
    Memory.objects.all().delete()
    Pattern.objects.all().delete()
    expected: Counter[tuple[str, str]] = Counter()
    wider: Counter[str] = Counter()
    for minute, (tools, outcome, pause) in enumerate(story):
        run(tools, outcome, minutes=minute)
        changed = "+".join(sorted(tool for tool in tools if tool.startswith("set")))
        expected[changed or "no_action", outcome] += 1
        wider.update(part for part in ("set_c", "set_d") if outcome == "success" and part in changed != part)
        if pause:
            consolidated(at=NOON + timedelta(hours=1, minutes=minute))
    consolidated(at=NOON + timedelta(hours=2))
    for pattern in Pattern.objects.select_related("memory__performance"):
        counted = [expected[pattern.signature, outcome] for outcome in ("success", "failure", "partial")]
        assert [pattern.successes, pattern.failures, pattern.partials] == counted
        assert pattern.cases == counted[0]
        part = counted[0] >= 1 and counted[0] + wider[pattern.signature] >= 2
        assert (pattern.memory is not None) == (counted[0] >= 2 or part) or "+" in pattern.signature
        if pattern.memory:
            record = pattern.memory.performance
            assert [record.successes, record.failures, record.partials] == counted
            assert pattern.memory.evidence.count() == sum(counted)


def test_an_episode_that_was_attempted_is_tried_alone_also_behind_fresh_ones() -> None:
    fresh = [run(BUILD, minutes=minute) for minute in range(3)]
    attempted = run(BUILD, minutes=5)
    behind = run(BUILD, minutes=6)
    Episode.objects.attempted([attempted.pk])
    batches: list[set[object]] = []
    read = sightings._digest

    def noted(ids, count, *, at):  # type: ignore[no-untyped-def]
        batches.append(set(ids))
        return read(ids, count, at=at)

    with patch.object(sightings, "_digest", noted):
        consolidated()
    assert batches == [{memory.pk for memory in fresh}, {attempted.pk}, {behind.pk}]


def test_of_a_worker_that_dies_again_and_again_only_what_it_had_in_hand_is_set_aside() -> None:
    runs = [run(BUILD, minutes=minute) for minute in range(5)]
    for hour in range(1, 4):
        with patch.object(sightings, "_digest", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
            consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=NOON + timedelta(hours=hour))
    done = consolidated(at=NOON + timedelta(hours=5))
    assert (done.counters["episodes_read"], done.counters["set_aside"]) == (4, 1)
    assert [episode.pk for episode in Episode.objects.set_aside()] == [runs[0].pk]
    assert set_aside.retry(KIND, everything()) == 1
    assert consolidated(at=NOON + timedelta(hours=6)).counters["episodes_read"] == 1
    assert competence(SIGNATURE).performance.successes == 5
