"""What plugins do again and again becomes a candidate, once and in the words of the rule."""

from datetime import timedelta

import pytest

from consolidation.patterns.rules import MAX_NEW
from memories.models import Evidence
from memories.values.choices import Category, Origin, Status
from tests.consolidation.plugins import (
    ACME,
    EMAIL,
    LATER,
    MORNING,
    days,
    follow,
    found,
    keys,
    live,
    ran,
    ran_all,
    reported,
    ruled,
    seen_thrice,
    stands,
)
from tests.make import ANNA

pytestmark = pytest.mark.django_db


def test_the_third_matching_run_is_a_candidate_and_unrelated_runs_do_not_reinforce_it() -> None:
    episodes = [ran(at=MORNING + days(n), **EMAIL).pk for n in range(2)]
    ruled()
    assert keys("p01") == set()
    episodes.append(ran(at=MORNING + days(2), **EMAIL).pk)
    done = ruled()
    memory = found(ACME)
    assert (memory.confidence, memory.times_confirmed, memory.status) == (20, 0, Status.CANDIDATE)
    assert (memory.category, memory.origin, memory.company_id) == (Category.PATTERN, Origin.DETECTED, "Acme Corp")
    assert memory.content == "P01 usually marks what comes from Acme Corp as action-required"
    assert set(memory.evidence.values_list("episode", flat=True)) == set(episodes)
    assert done.counters["patterns_created"] == 1
    for n, other in enumerate(("Globex", "Initech", "Umbrella", "Hooli"), start=3):
        ran(at=MORNING + days(n), company=other, category="newsletter")
    ruled()
    assert stands(ACME) == (20, 0)


def test_a_live_pattern_is_confirmed_once_by_each_further_session() -> None:
    seen_thrice()
    ran(at=MORNING + days(3), **EMAIL)
    ran(at=MORNING + days(3) + timedelta(minutes=90), **EMAIL)
    done = ruled()
    assert stands(ACME) == (35, 1)
    assert done.counters["facts_reinforced"] == 1
    ran(at=MORNING + days(4), thread="t1", **EMAIL)
    ran(at=MORNING + days(4) + timedelta(hours=5), thread="t1", **EMAIL)
    ruled()
    assert stands(ACME) == (50, 2)


def test_read_again_nothing_counts_twice() -> None:
    for n in range(4):
        ran(at=MORNING + days(n), **EMAIL)
    ruled()
    assert ruled().counters == {"events_read": 0}
    assert stands(ACME) == (35, 1)
    assert Evidence.objects.filter(memory=found(ACME)).count() == 4


def test_below_sixty_percent_of_its_company_a_category_is_no_pattern() -> None:
    sorts = ("newsletter", "invoice", "action-required", "action-required", "newsletter", "action-required")
    for n, sort in enumerate(sorts):
        ran(at=MORNING + days(n), company="Acme Corp", category=sort)
    ruled()
    assert keys("p01") == set()  # three of six
    ran(at=MORNING + days(6), **EMAIL)
    ruled()
    assert keys("p01") == set()  # four of seven
    ran(at=MORNING + days(7), **EMAIL)
    ruled()
    assert keys("p01") == {ACME}  # five of eight


def test_runs_without_a_category_count_among_those_of_their_company() -> None:
    for n in range(3):
        ran(at=MORNING + days(n), company="Acme Corp")
        ran(at=MORNING + days(n), **EMAIL)
    ruled()
    assert keys("p01") == set()


def test_the_same_company_written_otherwise_is_the_same() -> None:
    for n, name in enumerate(("Acme Corp", "ACME CORP", " acme  corp ")):
        ran(at=MORNING + days(n), company=name, category="Action required")
    ruled()
    assert keys("p01") == {ACME}


def test_two_edits_of_one_kind_are_a_preference() -> None:
    ran("P02", MORNING, user_edited=True, edit_description="Shortened the greeting!")
    ran("P02", MORNING + days(1), user_edited=False, edit_description="shortened the greeting")
    ruled()
    assert keys("pref") == set()
    ran("P02", MORNING + days(2), user_edited=True, edit_description="shortened the  greeting")
    ruled()
    memory = found("pref-p02-shortened-the-greeting")
    assert (memory.confidence, memory.category) == (35, Category.PREFERENCE)
    assert memory.content == "People correct what P02 writes: shortened the greeting"


def test_an_entity_that_was_never_seen_is_a_candidate_at_once() -> None:
    ran("P21", MORNING, entity_type="contact", entity_value="Sarah@newclient.com")
    ran("P21", MORNING, entity_type="company", entity_value="Globex")
    ran("P03", MORNING + days(1), entity_type="company", entity_value="GLOBEX")
    ruled()
    assert keys("entity") == {"entity-sarah-newclient-com", "entity-globex"}
    sarah, globex = live("entity-sarah-newclient-com"), live("entity-globex")
    assert sarah is not None and globex is not None
    assert (sarah.category, sarah.confidence) == (Category.CONTACT, 30)
    assert (globex.category, globex.confidence, globex.times_confirmed) == (Category.FACT, 45, 1)


def test_a_run_writes_at_most_twenty_new_entities_and_the_rest_wait() -> None:
    for n in range(MAX_NEW + 5):
        ran("P21", MORNING + timedelta(minutes=n), entity_value=f"client {chr(97 + n) * 3}")
    first = ruled()
    assert (len(keys("entity")), first.counters["waiting"]) == (MAX_NEW, 5)
    ruled()
    assert len(keys("entity")) == MAX_NEW + 5


def test_a_flood_of_entities_in_one_scope_keeps_no_other_scope_waiting() -> None:
    flood = [chr(97 + n) + letter * 2 for n in range(MAX_NEW) for letter in "xyz"]
    ran_all([reported("P21", MORNING, scope="project:a", entity_value=f"client {name}") for name in flood])
    ran("P21", MORNING + days(1), scope="project:b", entity_value="Globex")
    ruled()
    assert live("entity-globex", "project:b") is None
    ruled()
    assert live("entity-globex", "project:b") and len(keys("entity-client")) == 2 * MAX_NEW - 1


def test_five_runs_at_eight_on_one_day_are_nothing_and_on_five_days_a_habit() -> None:
    for n in range(5):
        ran("P02", MORNING + timedelta(minutes=n), run_hour=8)
    ruled()
    assert keys("temporal") == set()
    for n in range(1, 5):
        ran("P02", MORNING + days(n), run_hour=8)
    ruled()
    memory = found("temporal-p02-8h")
    assert (memory.confidence, memory.category) == (20, Category.PATTERN)
    assert memory.expires_at == LATER + days(90)
    assert memory.ttl == days(90).total_seconds()


def test_midnight_is_an_hour_and_without_one_it_is_when_it_happened(settings) -> None:  # type: ignore[no-untyped-def]
    settings.TIME_ZONE = "Asia/Tokyo"
    for n in range(5):
        ran("P02", MORNING + days(n), run_hour=0)
        ran("P05", MORNING + days(n))  # nine in UTC
    ruled()
    assert keys("temporal") == {"temporal-p02-0h", "temporal-p05-18h"}


def test_days_are_those_of_the_workspace(settings) -> None:  # type: ignore[no-untyped-def]
    """Ten in the evening and one in the morning in UTC are one day in Tokyo."""
    settings.TIME_ZONE = "Asia/Tokyo"
    for n in range(4):
        ran("P02", MORNING + days(n) + timedelta(hours=13), run_hour=8)
    ran("P02", MORNING + days(3) + timedelta(hours=7), run_hour=8)
    ruled()
    assert keys("temporal") == set()


def test_an_hour_with_less_than_half_of_the_runs_is_no_habit() -> None:
    for n in range(5):
        ran("P02", MORNING + days(n), run_hour=8)
        ran("P02", MORNING + days(n), run_hour=10)
        ran("P02", MORNING + days(n), run_hour=12)
    ruled()
    assert keys("temporal") == set()


def test_a_sequence_in_three_sessions_is_a_workflow_and_three_times_in_one_is_nothing() -> None:
    for n in range(3):
        follow("P01", "P06", day=n // 3, thread="one")
    ruled()
    assert keys("workflow") == set()
    for n in range(1, 3):
        follow("P01", "P06", day=n, thread=f"t{n}")
    ruled()
    memory = found("workflow-seq-p01-p06")
    assert (memory.confidence, memory.category) == (20, Category.WORKFLOW)
    assert memory.content == "The usual order of work: P01 → P06"


def test_a_plugin_never_follows_itself() -> None:
    for n in range(4):
        follow("P01", "P01", "p01", day=n)
    ruled()
    assert keys("workflow") == set()


def test_what_is_more_than_two_hours_apart_is_no_sequence() -> None:
    for n in range(4):
        follow("P01", "P06", day=n, minutes=121)
        follow("P02", "P07", day=n, minutes=120, thread=f"t{n}")
    ruled()
    assert keys("workflow") == {"workflow-seq-p02-p07"}


def test_runs_of_other_threads_in_between_break_no_sequence() -> None:
    for n in range(3):
        follow("P01", "P06", day=n, thread=f"a{n}")
        follow("P09", day=n, thread=f"b{n}")
    ruled()
    assert keys("workflow") == {"workflow-seq-p01-p06"}


def test_three_in_a_row_take_the_place_of_two() -> None:
    for n in range(3):
        follow("P01", "P06", day=n)
    ruled()
    assert keys("workflow") == {"workflow-seq-p01-p06"}
    pair = live("workflow-seq-p01-p06")
    for n in range(3, 6):
        follow("P01", "P06", "P10", day=n)
    ruled()
    assert keys("workflow") == {"workflow-seq-p01-p06-p10"}
    assert pair is not None
    pair.refresh_from_db()
    triple = found("workflow-seq-p01-p06-p10")
    assert (pair.status, pair.payload["revision"]["superseded_by"]) == (Status.SUPERSEDED, str(triple.pk))
    follow("P01", "P06", "P10", day=6)
    ruled()
    assert keys("workflow") == {"workflow-seq-p01-p06-p10"}
    assert stands("workflow-seq-p01-p06-p10") == (35, 1)


def test_a_pair_that_a_person_holds_stays_beside_the_longer_one() -> None:
    for n in range(3):
        follow("P01", "P06", day=n)
    ruled()
    pair = found("workflow-seq-p01-p06")
    pair.promote(by=ANNA, at=LATER)
    for n in range(3, 6):
        follow("P01", "P06", "P10", day=n)
    ruled()
    assert keys("workflow") == {"workflow-seq-p01-p06", "workflow-seq-p01-p06-p10"}
