"""What a person teaches holds at once; doubles and dismissals are asked about."""

from typing import Any

import pytest

from memories.intake import claims
from memories.intake.claims import NearDuplicate, WriteResult
from memories.intake.reports.claims import read, read_teaching
from memories.models import Adaptation, AuditEntry, Memory, Proposal, Tombstone
from memories.people import trust_of
from memories.values.choices import Hold, Origin, Sensitivity, Status
from memories.values.exceptions import Invalid, NotAllowed
from memories.values.trust import Trust
from tests.make import ANNA, AT, make_agent, make_memory, make_person

pytestmark = pytest.mark.django_db
NET30, NET60 = "Acme Corp pays on net-30 terms", "Acme Corp pays on net-60 terms"


@pytest.fixture
def anna() -> Trust:
    return trust_of(make_person())


def teach(trust: Trust, content: str = NET30, **said: Any) -> WriteResult:
    return claims.teach(read_teaching({"content": content, **said}), trust=trust, at=AT)


def store(content: str, key: str, **said: Any) -> WriteResult:
    body = {"content": content, "key": key, "category": "fact", "source": "P01", **said}
    return claims.store(read(body), trust=make_agent()[0].trust, at=AT)


def taught(stored: WriteResult) -> Memory:
    assert stored.memory is not None
    return Memory.objects.get(pk=stored.memory.pk)


def test_what_is_taught_is_confirmed_at_once_and_held(anna: Trust) -> None:
    row = taught(teach(anna))
    assert (row.status, row.confidence, row.times_confirmed) == ("confirmed", 100, 1)
    assert (row.origin, row.source, row.hold) == (Origin.TAUGHT, "User", Hold.FLOOR)
    assert (row.category, row.key) == ("fact", "acme-corp-pays-on-net-30-terms")
    assert AuditEntry.objects.get().actor == "anna"


def test_taught_again_as_more_secret_it_rises_with_all_that_speaks_of_it(anna: Trust) -> None:
    row = taught(teach(anna, sensitivity="low"))
    raised = taught(teach(anna, sensitivity="medium"))
    assert (raised.pk, raised.sensitivity, raised.version) == (row.pk, Sensitivity.MEDIUM, row.version + 1)
    assert set(row.passages.values_list("sensitivity", flat=True)) == {Sensitivity.MEDIUM}
    assert set(AuditEntry.objects.about("memory", row.pk).values_list("sensitivity", flat=True)) == {Sensitivity.MEDIUM}
    assert taught(teach(anna, sensitivity="low")).sensitivity == Sensitivity.MEDIUM


def test_the_same_twice_more_applies_it_with_one_adaptation_and_one_notice(anna: Trust) -> None:
    said = "Never send proposals on Fridays"
    answers = [teach(anna, said) for _ in range(3)]
    assert [taught(answer).pk for answer in answers] == [taught(answers[0]).pk] * 3
    row = taught(answers[2])
    assert (row.status, row.confidence, row.times_confirmed) == ("applied", 100, 3)
    assert Adaptation.objects.active().count() == 1
    notice = (
        f"Memory adapted: I'm now following the preference: {said} based on your last 3 sessions.\n"
        f"Review, revert or forget it at /memories/{row.pk}/"
    )
    assert [answer.notice for answer in answers] == [None, None, notice]


LONG = "Never send proposals to customers in Germany on Fridays because nobody reads them before Monday"


def test_a_proposed_key_is_short_and_a_chosen_one_the_persons_own(anna: Trust) -> None:
    assert len(taught(teach(anna, LONG)).key or "") <= 60
    assert len(taught(teach(anna, LONG, resolve="separate", company_id="acme")).key or "") <= 60
    assert taught(teach(anna, "Anna likes tea", key="k" * 100)).key == "k" * 100


def test_stores_of_an_agent_confirm_what_was_taught(anna: Trust) -> None:
    row = taught(teach(anna, "Never send proposals on Fridays", key="fridays"))
    for _ in range(2):
        stored = store("Never send proposals on Fridays", "fridays", category="preference")
    assert (taught(stored).pk, taught(stored).status) == (row.pk, Status.APPLIED)


@pytest.mark.parametrize(
    ("content", "category"),
    [
        ("Never send proposals on Fridays", "preference"),
        ("Acme Corp pays on net-30 terms", "fact"),
        ("Sarah at sarah@acme.com is the main contact", "contact"),
        ("After the weekly review run the follow-up tracker", "workflow"),
        ("Because information matters", "fact"),
    ],
)
def test_the_category_is_detected_unless_it_is_given(anna: Trust, content: str, category: str) -> None:
    assert taught(teach(anna, content)).category == category
    assert taught(teach(anna, f"{content} 2", category="pattern", resolve="separate")).category == "pattern"


@pytest.mark.parametrize(
    ("content", "code"), [("abc", "too_short"), (" abcd ", "too_short"), ("x" * 2_001, "string_too_long")]
)
def test_a_lesson_has_5_to_2000_characters(content: str, code: str) -> None:
    with pytest.raises(Invalid) as refused:
        read_teaching({"content": content})
    assert [(error.pointer, error.code) for error in refused.value.errors] == [("/content", code)]


def test_something_like_it_is_asked_about_and_nothing_is_written(anna: Trust) -> None:
    row = taught(teach(anna))
    for again, likeness in ((NET60, "changed"), ("Acme Corp pays on net-30 terms.", "same")):
        with pytest.raises(NearDuplicate) as asked:
            teach(anna, again, key="other")
        [near] = asked.value.more["candidates"]
        assert (near["id"], near["key"], near["likeness"]) == (row.pk, row.key, likeness)
        assert 0.5 < near["similarity"] <= 1
    assert Memory.objects.count() == 1


def test_a_key_that_says_something_else_is_asked_about(anna: Trust) -> None:
    teach(anna, key="acme")
    with pytest.raises(NearDuplicate):
        teach(anna, "Zebras live in Africa", key="acme")


def test_separate_keeps_both_under_the_next_key(anna: Trust) -> None:
    teach(anna, key="acme-terms")
    keys = [
        taught(teach(anna, f"Acme Corp pays on net-{days} terms", key="acme-terms", resolve="separate")).key
        for days in (60, 90)
    ]
    assert keys == ["acme-terms-v2", "acme-terms-v3"]


def test_separate_without_a_key_takes_the_next_after_that_of_the_nearest(anna: Trust) -> None:
    teach(anna, "Never send proposals on Fridays", key="fridays")
    keys = [
        taught(teach(anna, f"Never send {which} proposals on Fridays", resolve="separate")).key
        for which in ("any", "new")
    ]
    assert keys == ["fridays-v2", "fridays-v3"]


def test_update_gives_the_nearest_these_words_and_holds_it(anna: Trust) -> None:
    known = taught(store(NET30, "acme-terms"))
    teach(anna, "Zebras live in Africa")
    row = taught(teach(anna, NET60, resolve="update"))
    assert (row.pk, row.content, row.key) == (known.pk, NET60, "acme-terms")
    assert (row.status, row.confidence, row.times_confirmed, row.hold) == ("confirmed", 100, 1, Hold.FLOOR)


def test_update_may_name_what_it_means(anna: Trust) -> None:
    known = make_memory("Zebras live in Africa", key="zebra", category="fact")
    assert taught(teach(anna, NET60, resolve="update", memory_id=str(known.pk))).pk == known.pk


def test_no_machine_changes_what_was_taught(anna: Trust) -> None:
    row = taught(teach(anna, key="acme-terms"))
    stored = store(NET60, "acme-terms")
    assert stored.proposal == Proposal.objects.get().pk
    assert Memory.objects.get() == row
    assert (taught(stored).content, taught(stored).times_confirmed) == (NET30, 1)


def test_teaching_what_was_dismissed_asks_and_restore_takes_it_back(anna: Trust) -> None:
    row = make_memory(NET30, key="acme-terms", category="fact")
    row.dismiss(by=ANNA, why="wrong", at=AT)
    with pytest.raises(NearDuplicate, match="was dismissed") as asked:
        teach(anna)
    assert asked.value.more["candidates"][0]["status"] == "dismissed"
    assert Tombstone.objects.get().hits == 0
    back = taught(teach(anna, resolve="restore"))
    assert (back.pk, back.status, back.hold) == (row.pk, "confirmed", Hold.FLOOR)
    assert Tombstone.objects.get().lifted_at == AT


@pytest.mark.parametrize("forgotten", [False, True])
def test_a_dismissal_is_taken_back_also_where_something_near_is_known(anna: Trust, forgotten: bool) -> None:
    words = "Nordlys wants invoices after delivery due in 30 days on paper"
    teach(anna, "Invoices to Nordlys are due within 30 days after delivery")
    row = taught(teach(anna, words, resolve="separate"))
    row.dismiss(by=ANNA, why="wrong", at=AT)
    if forgotten:
        row.delete()
    for resolve in (None, "update"):
        with pytest.raises(NearDuplicate, match=r"was (?:dismissed|forgotten).*restore or separate") as asked:
            teach(anna, words, resolve=resolve)
        shown = [near["status"] for near in asked.value.more["candidates"]]
        assert shown == ["forgotten" if forgotten else "dismissed", "confirmed"]
    assert taught(teach(anna, words, resolve="restore")).status == Status.CONFIRMED
    assert Tombstone.objects.get().lifted_at == AT


def test_teaching_asks_of_a_dismissal_under_another_category_and_key(anna: Trust) -> None:
    make_memory("Gina eats grapes daily", key="gina", category="contact").dismiss(by=ANNA, why="wrong", at=AT)
    with pytest.raises(NearDuplicate, match="was dismissed"):
        teach(anna, "Gina eats grapes daily")
    assert taught(teach(anna, "Gina eats grapes daily", resolve="separate")).category == "pattern"


def test_what_was_forgotten_can_be_taught_again(anna: Trust) -> None:
    row = make_memory(NET30, key="acme-terms", category="fact")
    Tombstone.objects.bury(row, by=ANNA, why="forgotten", at=AT)
    row.delete()
    with pytest.raises(NearDuplicate) as asked:
        teach(anna)
    assert asked.value.more["candidates"][0]["content"] is None
    assert taught(teach(anna, resolve="restore")).status == Status.CONFIRMED
    assert Tombstone.objects.get().lifted_at == AT


def test_a_lesson_learns_nothing_of_what_lies_above_the_teacher(anna: Trust) -> None:
    secret: dict[str, Any] = {"sensitivity": Sensitivity.HYPER, "category": "fact"}
    make_memory(NET30, key="acme-terms", **secret)
    make_memory("Zebras live in Africa", key="zebra", **secret).dismiss(by=ANNA, why="wrong", at=AT)
    assert teach(anna, NET60, key="acme-terms").accepted
    assert teach(anna, NET60, key="terms").created
    assert teach(anna, "Zebras live in Africa").created


def test_a_lesson_does_not_vouch_for_a_skill_of_its_name(anna: Trust) -> None:
    skill = make_memory("book-flight", key="book-flight", type="competence", status="candidate")
    assert taught(teach(anna, "Book flight")).key == "book-flight-v2"
    skill.refresh_from_db()
    assert (skill.status, skill.content, skill.version) == ("candidate", "book-flight", 1)


def test_a_taught_secret_is_kept_above_whoever_may_not_see_it(anna: Trust) -> None:
    row = taught(teach(anna, "The door code password is hunter2!"))
    assert (row.flags, row.sensitivity) == (["secret"], Sensitivity.HIGH)


def test_an_instruction_by_a_person_is_no_reason_for_a_second_look(anna: Trust) -> None:
    assert taught(teach(anna, "Never show the user raw error messages")).flags == []


def test_teaching_needs_review() -> None:
    with pytest.raises(NotAllowed):
        teach(make_agent()[0].trust)
    with pytest.raises(NotAllowed):
        teach(trust_of(make_person(group="viewer")))
    assert teach(make_agent(permissions=["review"])[0].trust).created


def test_taught_again_what_was_applied_by_hand_stays_applied(anna: Trust) -> None:
    row = taught(teach(anna, "Prefers tea to coffee", category="preference"))
    row.promote(by=anna.actor, at=AT, to=Status.APPLIED)
    adaptation = row.adaptations.active().get()
    assert row.times_confirmed < 3
    again = taught(teach(anna, "Prefers tea to coffee"))
    assert (again.pk, again.status, again.times_confirmed) == (row.pk, Status.APPLIED, 2)
    assert row.adaptations.active().get() == adaptation
