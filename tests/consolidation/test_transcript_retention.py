"""Runs that ended long ago lose their transcripts once all was learned from them; that keeps its grounds."""

from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from consolidation import retention, schedules, tasks
from consolidation.extraction import queue
from consolidation.models import Pattern, PendingProfile, Run, RunProfile, Sighting
from consolidation.pipelines import recorded, sightings
from memories import leases
from memories.intake import evidence
from memories.intake.evidence import Witness
from memories.models import AuditEntry, Episode, Event, Evidence, Memory, Passage
from memories.transfer.exporting import lines
from memories.values.choices import DeletionPolicy, Hold, Outcome, OutcomeSource
from memories.values.trust import everything
from tests.make import AT, caller, make_memory, make_run
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
LATER = AT + timedelta(days=91)
SCOPE = "project:shop"


@pytest.fixture(autouse=True)
def ninety_days(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.TRANSCRIPT_RETENTION_DAYS = 90
    monkeypatch.setattr(retention, "RUNS_OF_PATTERN", 1)
    monkeypatch.setattr(retention, "RUNS_OF_SCOPE", 1)


def make_learned(*, closed_at: Any = AT, **facts: Any) -> Memory:
    """A run of which everything was learned."""
    memory = make_run(**{"outcome": "success", "scope": SCOPE} | facts)
    Episode.objects.filter(pk=memory.pk).update(digested_at=AT, verdict_at=AT, verdict="low", closed_at=closed_at)
    return memory


@pytest.fixture
def old() -> Memory:
    """A run of AT, and a later one: the latest of a scope stays."""
    make_learned(closed_at=AT + timedelta(days=1))
    return make_learned()


def remove() -> dict[str, int]:
    return dict(retention.remove(at=LATER))


def pattern_of(*memories: Memory, **facts: Any) -> Pattern:
    seen = {"scope": SCOPE, "sensitivity": 1, "signature": "x", "signature_sha256": uuid4().bytes}
    pattern = Pattern.objects.create(**seen, first_seen_at=AT, last_seen_at=AT, **facts)
    for n, memory in enumerate(memories):
        at = AT + timedelta(minutes=n)
        Sighting.objects.create(pattern=pattern, episode_id=memory.pk, case=memory.pk, outcome="success", at=at)
    return pattern


def test_what_was_said_goes_and_what_was_learned_stays_with_its_grounds(old: Memory) -> None:
    events, claim = old.episode.event_count, make_memory()
    evidence.count(claim, [Witness(old.pk, Outcome.SUCCESS, AT, "as I said")], at=AT)
    Evidence.objects.update(event=Event.objects.filter(episode=old.pk).first())
    assert remove() == {"transcripts": 1, "events": events}
    assert not Event.objects.filter(episode=old.pk).exists()
    assert not Passage.objects.filter(memory=old.pk).exists()
    row = Evidence.objects.get()
    assert (row.snapshot, row.outcome, row.episode_id, row.event_id) == ("as I said", "success", old.pk, None)
    left = Episode.objects.get(pk=old.pk)
    assert (left.transcript_removed_at, left.outcome, left.verdict, left.event_count) == (
        *(LATER, "success", "low"),
        events,
    )
    assert remove() == {}


def test_a_batch_leaves_one_audit_entry(old: Memory) -> None:
    removed = remove()
    entry = AuditEntry.objects.get(action="remove transcripts")
    assert (entry.scope, entry.label, entry.after["events"]) == (SCOPE, f"1 runs of {SCOPE}", removed["events"])


def test_pages_and_api_say_since_when_it_is_gone_and_no_search_finds_it(old: Memory) -> None:
    said = Event.objects.filter(episode=old.pk).exclude(text="").first()
    assert said is not None
    make_learned_again = {"query": said.text, "unit": "passage"}
    remove()
    agent = caller()
    told = agent.get(f"/api/v1/memories/{old.pk}").json()
    assert told["payload"]["transcript_removed_at"].startswith(f"{LATER:%Y-%m-%d}")
    assert agent.get(f"/api/v1/episodes/{old.pk}/events").json()["results"] == []
    found = agent.post("/api/v1/search", make_learned_again, format="json").json()["results"]
    assert str(old.pk) not in {one["memory"]["id"] for one in found}
    page = signed_in().get(f"/episodes/{old.pk}/").content.decode()
    assert 'id="transcript-removed"' in page
    [line] = [one for one in lines(everything(), at=LATER) if str(old.pk) in one]
    assert '"transcript_removed_at"' in line


@pytest.mark.parametrize(
    "facts",
    [
        {"memory": {"pinned": True}},
        {"memory": {"hold": Hold.FLOOR}},
        {"memory": {"deletion_policy": DeletionPolicy.MANUAL_ONLY}},
        {"episode": {"outcome_source": OutcomeSource.PERSON}},
        {"episode": {"digested_at": None}},
        {"episode": {"verdict_at": None}},
        {"episode": {"closed_at": LATER - timedelta(days=90)}},
        {"episode": {"closed_at": None}},
    ],
)
def test_what_a_person_marked_or_a_pipeline_has_not_read_stays(old: Memory, facts: dict[str, Any]) -> None:
    Memory.objects.filter(pk=old.pk).update(**facts.get("memory", {"updated_at": AT}))
    Episode.objects.filter(pk=old.pk).update(**facts.get("episode", {"title": "x"}))
    assert remove() == {}


def test_what_waits_in_a_queue_stays_until_it_was_read(old: Memory) -> None:
    PendingProfile.objects.put([old.episode])
    assert remove() == {}
    PendingProfile.objects.all().delete()
    run = Run.objects.create(kind=queue.KIND, episode_id=old.pk, subject=old.pk, trigger=Run.Trigger.PAGE)
    assert remove() == {}
    Run.objects.filter(pk=run.pk).update(status=Run.Status.SUCCEEDED, finished_at=AT)
    Event.objects.filter(episode=old.pk).update(context={"company": "Acme"})
    assert remove() == {}
    Event.objects.filter(episode=old.pk).update(ruled_at=AT)
    assert remove()["transcripts"] == 1


def test_the_latest_runs_of_a_skill_stay_and_all_while_it_is_to_be_written(old: Memory) -> None:
    later = make_learned(closed_at=AT + timedelta(hours=1))
    pattern = pattern_of(old, later, due=True)
    assert remove() == {}
    Pattern.objects.filter(pk=pattern.pk).update(due=False)
    assert remove()["transcripts"] == 1
    assert Episode.objects.get(pk=later.pk).transcript_removed_at is None


def test_of_runs_without_an_outcome_none_is_compared_and_none_stays() -> None:
    make_learned(outcome=None)
    assert remove()["transcripts"] == 1


def test_a_later_outcome_moves_the_counts_and_is_learned_from_no_further(old: Memory) -> None:
    pattern_of(old, due=False, successes=1, cases=1)
    make_learned(closed_at=AT + timedelta(hours=1))
    Sighting.objects.update(at=AT - timedelta(days=1))
    pattern = Pattern.objects.get()
    Sighting.objects.create(pattern=pattern, episode_id=uuid4(), case=uuid4(), outcome="success", at=AT)
    assert remove()["transcripts"] == 2
    Episode.objects.filter(pk=old.pk).update(outcome="failure", digested_at=None)
    sightings.digest(SCOPE, at=LATER)
    pattern.refresh_from_db()
    assert (pattern.successes, pattern.failures, Pattern.objects.count()) == (0, 1, 1)
    assert recorded.runs([old.pk]) == []


def test_a_run_that_was_never_counted_is_not_counted_without_its_transcript(old: Memory) -> None:
    remove()
    Episode.objects.filter(pk=old.pk).update(digested_at=None)
    sightings.digest(SCOPE, at=LATER)
    assert not Pattern.objects.exists()
    assert not PendingProfile.objects.exists()
    assert not RunProfile.objects.exists()


def test_a_job_that_is_stopped_goes_on_and_two_do_not_meet(monkeypatch: pytest.MonkeyPatch, old: Memory) -> None:
    make_learned()
    monkeypatch.setattr(retention, "AT_ONCE", 1)
    assert retention.remove(at=LATER, until=0.0) == {}
    with leases.hold(retention.LEASE, wait=True):
        assert remove() == {}
    assert retention.due(at=LATER)["transcripts"] == 2
    assert remove()["transcripts"] == 2
    assert AuditEntry.objects.filter(action="remove transcripts").count() == 2


def test_by_default_nothing_is_removed_and_the_command_tells_what_would_go(old: Memory, settings: Any) -> None:
    settings.TRANSCRIPT_RETENTION_DAYS = 0
    assert remove() == {}
    told = StringIO()
    call_command("remove_transcripts", "--dry-run", "--days", "30", stdout=told)
    assert told.getvalue().startswith(f"1 transcripts with {old.episode.event_count} events would go, about ")
    with pytest.raises(CommandError, match="TRANSCRIPT_RETENTION_DAYS"):
        call_command("remove_transcripts")
    settings.TRANSCRIPT_RETENTION_DAYS = 30
    with pytest.raises(CommandError, match="--days goes with --dry-run"):
        call_command("remove_transcripts", "--days", "90")
    for days in ("-1", "999999999999"):
        with pytest.raises(CommandError, match="at least 1, at most"):
            call_command("remove_transcripts", "--dry-run", "--days", days)
    assert not Episode.objects.exclude(transcript_removed_at=None).exists()


def test_the_schedule_does_it_every_day(old: Memory) -> None:
    assert schedules.JOBS["consolidation.tasks.remove_transcripts"].minutes == 1440
    assert timezone.now() - timedelta(days=90) > AT
    assert tasks.remove_transcripts().startswith("1 transcripts removed")
