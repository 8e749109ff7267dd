"""Conversations come in once: an episode, its events, its audit; a repetition changes at most how it ended."""

from datetime import timedelta

import pytest

from memories.intake import episodes
from memories.intake.reports import conversation
from memories.models import AuditEntry, Episode, Event, Instruction, Memory
from memories.values.choices import ActorKind, Outcome, Permission
from memories.values.exceptions import Conflict, Invalid, NotAllowed
from memories.values.trust import Actor, Trust
from tests.make import AT, answer, call, make_run, run, user

pytestmark = pytest.mark.django_db
LATER = AT + timedelta(hours=1)
CRM = Trust(Actor(ActorKind.AGENT, "crm"), permissions=frozenset({"ingest"}))


def again(trust: Trust | None = None, **fields: object) -> episodes.Ingested:
    return episodes.conversation(conversation.parse(run(**fields)), trust=trust or CRM, at=LATER)


def audited(memory: Memory) -> list[tuple[str, str]]:
    return list(AuditEntry.objects.about("memory", memory.pk).values_list("action", "actor"))


def test_a_conversation_is_a_closed_episode_with_an_event_for_each_message_and_call() -> None:
    memory = make_run(trust=CRM, outcome="success", thread_id="t1", tags=["x"], title="A flight")
    episode = Episode.objects.get(pk=memory.pk)
    assert (memory.type, memory.status, memory.confidence, memory.salience) == ("episodic", "confirmed", 80, 1.0)
    assert (memory.source, memory.created_by, memory.half_life) == ("crm", "crm", 30 * 86_400)
    assert (episode.outcome, episode.closed_at, episode.digested_at, episode.event_count) == ("success", AT, None, 2)
    assert list(episode.events.values_list("position", "kind", "tool")) == [
        (1, "message", ""),
        (2, "tool_call", "search"),
    ]
    assert audited(memory) == [("create", "crm")]


def test_times_of_messages_are_kept_and_the_others_are_the_conversations() -> None:
    moment = AT - timedelta(days=2)
    messages = [user("a"), {**user("b"), "timestamp": (moment + timedelta(minutes=1)).isoformat()}]
    memory = make_run(messages=messages, timestamp=moment.isoformat())
    assert list(Event.objects.filter(episode=memory.pk).values_list("at", flat=True)) == [
        moment,
        moment + timedelta(minutes=1),
    ]
    ended_at = moment + timedelta(minutes=1)
    assert (memory.created_at, memory.episode.closed_at, memory.episode.last_event_at) == (ended_at,) * 3
    assert (memory.updated_at, memory.salience_at) == (AT, AT), "it fades from when it came in"


def test_a_system_message_is_stored_once_however_many_runs_begin_with_it() -> None:
    first = make_run(messages=[{"role": "system", "content": "Be kind"}, user("a")])
    make_run(messages=[{"role": "developer", "content": "Be kind"}, user("b")])
    event = Event.objects.get(episode=first.pk, position=1)
    assert Instruction.objects.count() == 1
    assert (event.text, event.words) == ("", "Be kind")


def test_the_same_id_again_stores_nothing() -> None:
    first = make_run(trust=CRM, id="r1", outcome="success")
    stored = again(id="r1", outcome="success", title="another title", timestamp="2026-01-01T00:00:00Z")
    assert (stored.memory, stored.created, stored.changed) == (first, False, False)
    assert (Memory.objects.count(), AuditEntry.objects.count()) == (1, 1)


def test_the_same_id_elsewhere_is_another_conversation() -> None:
    make_run(trust=CRM, id="r1")
    for scope, source, id in (("project:acme", "crm", "r1"), ("", "P01", "r1"), ("", "crm", "r2"), ("", "crm", None)):
        assert again(scope=scope, source=source, id=id).created
    assert again(id=None).created


def test_the_same_id_with_other_messages_is_a_conflict() -> None:
    make_run(trust=CRM, id="r1")
    with pytest.raises(Conflict, match="the id 'r1' was stored before with other messages"):
        again(id="r1", messages=[user("Something else")])


def test_another_outcome_replaces_the_first_and_the_episode_is_read_again() -> None:
    memory = make_run(trust=CRM, id="r1", outcome="success")
    Episode.objects.filter(pk=memory.pk).update(digested_at=AT, digest_attempts=3)
    stored = again(id="r1", outcome="failure")
    episode = Episode.objects.get(pk=memory.pk)
    assert stored.changed
    assert (episode.outcome, episode.outcome_at, episode.outcome_by) == ("failure", LATER, "crm")
    assert (episode.digested_at, episode.digest_attempts) == (None, 0)
    assert stored.memory is not None
    assert stored.memory.episode.outcome_at == LATER
    entry = AuditEntry.objects.get(action="outcome")
    before, after = ({"outcome": outcome, "outcome_source": "reported"} for outcome in ("success", "failure"))
    assert (entry.before, entry.after, entry.at) == (before, after, LATER)


def test_an_outcome_may_come_later_and_does_not_go_away() -> None:
    make_run(trust=CRM, id="r1")
    assert again(id="r1", outcome="partial").changed
    assert not again(id="r1").changed
    assert Episode.objects.get().outcome == "partial"


def test_only_who_opened_it_or_a_reviewer_says_how_it_ended() -> None:
    memory = make_run(trust=CRM, id="r1", source="crm", outcome="success")
    other = Trust(Actor(ActorKind.AGENT, "other"), permissions=frozenset({"ingest", "report"}))
    assert not again(other, id="r1", source="crm", outcome="success").changed
    with pytest.raises(NotAllowed, match="only the agent that opened this episode"):
        again(other, id="r1", source="crm", outcome="failure")
    reviewer = Trust(Actor(ActorKind.AGENT, "other"), permissions=frozenset({Permission.REVIEW.value}))
    assert episodes.set_outcome(memory.episode, Outcome.FAILURE, trust=reviewer, source="crm", at=LATER)


def test_an_id_above_the_caller_is_neither_shown_nor_overwritten() -> None:
    make_run(trust=CRM, id="r1", sensitivity="hyper", outcome="success")
    assert again(id="r1", outcome="failure") == episodes.Ingested(None, created=False)
    assert again(id="r1", messages=[user("other")]).memory is None
    assert Episode.objects.get().outcome == "success"


@pytest.mark.parametrize(
    ("scopes", "asked", "written"),
    [
        (None, None, ""),
        (None, "user:anna", "user:anna"),
        ({"a"}, None, "a"),
        ({"a"}, "a", "a"),
        ({"a", "b"}, "b", "b"),
    ],
)
def test_a_write_goes_into_the_callers_scope(scopes: set[str] | None, asked: str | None, written: str) -> None:
    trust = Trust(CRM.actor, scopes=frozenset(scopes) if scopes else None)
    assert make_run(trust=trust, scope=asked).scope == written


@pytest.mark.parametrize(
    ("scopes", "asked"), [({"a"}, "b"), ({"a"}, ""), ({"a"}, "global"), (set(), None), (set(), "")]
)
def test_a_write_outside_the_callers_scopes_is_refused(scopes: set[str], asked: str | None) -> None:
    with pytest.raises(NotAllowed):
        make_run(trust=Trust(CRM.actor, scopes=frozenset(scopes)), scope=asked)


def test_of_several_scopes_one_must_be_named() -> None:
    with pytest.raises(Invalid, match="scope: is required, one of a, b"):
        make_run(trust=Trust(CRM.actor, scopes=frozenset({"a", "b"})))


@pytest.mark.parametrize(
    ("sources", "asked", "written"),
    [
        (set(), None, "crm"),
        (set(), "P07", "P07"),
        ({"P01"}, None, "P01"),
        ({"P01", "crm"}, None, "crm"),
        ({"P01", "P02"}, " P02 ", "P02"),
    ],
)
def test_the_source_is_the_caller_or_one_it_may_speak_for(sources: set[str], asked: str | None, written: str) -> None:
    assert make_run(trust=Trust(CRM.actor, sources=frozenset(sources)), source=asked).source == written


def test_a_source_of_others_is_refused() -> None:
    trust = Trust(CRM.actor, sources=frozenset({"P01", "P02"}))
    with pytest.raises(NotAllowed, match="may not write as the source 'crm'"):
        make_run(trust=trust, source="crm")
    with pytest.raises(Invalid, match="source: is required, one of P01, P02"):
        make_run(trust=trust)


def test_identifiers_at_their_limits_can_be_stored_and_found() -> None:
    longest = "".join(chr(0x4E00 + n * 37 % 20_000) for n in range(341))  # 1,023 bytes that do not compress
    make_run(trust=CRM, id=longest, source=longest, thread_id=longest, tags=["漢" * 256], scope="s" * 128)
    assert not again(id=longest, source=longest, thread_id=longest, scope="s" * 128).created


def test_a_run_of_five_thousand_messages_is_one_episode() -> None:
    messages = [
        message for n in range(1_250) for message in (user("next"), call("a", str(n)), answer("x", str(n)), user("ok"))
    ]
    memory = make_run(messages=messages)
    assert (memory.episode.event_count, Event.objects.filter(episode=memory.pk).count()) == (3_750, 3_750)
    assert not Event.objects.exclude(flags=[]).exists()
