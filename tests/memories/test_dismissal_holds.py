"""A dismissed sentence does not come back: under another category or key, in other letters, or by its equal."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps

from memories import lifecycle
from memories.claims import NORMALISATION, claim_of, sealed
from memories.intake.claims import Occasion, Statement, climbing, remember
from memories.models import Adaptation, DigestKey, Memory, Tombstone
from memories.people import trust_of
from memories.values.choices import Category, Hold, Origin, Sensitivity, Status
from memories.values.trust import SYSTEM, Trust
from memos_site import review
from tests.disguises import ANY_LANGUAGE, CHINESE, ENGLISH
from tests.make import ANNA, AT, make_memory, make_person
from tests.memories.storing import NET30, NET60, numbers, store

pytestmark = pytest.mark.django_db
RULE = "Never send proposals on Fridays"


@pytest.fixture
def person() -> Trust:
    return trust_of(make_person())


def stored(content: str = RULE, key: str = "fridays", category: str = "preference") -> Memory:
    memory = store(content, key=key, category=category).memory
    assert memory is not None
    return memory


def dismissed(content: str = RULE, key: str = "fridays", category: str = "preference") -> Memory:
    memory = stored(content, key, category)
    memory.dismiss(by=ANNA, why="wrong", at=AT)
    return memory


@pytest.mark.parametrize("category", Category.values)
def test_it_is_suppressed_under_another_key_whatever_its_category(category: str) -> None:
    dismissed()
    for n in range(5):
        assert store(RULE, key=f"another-{n}", category=category).suppressed
    assert Tombstone.objects.get().hits == 5
    assert not Memory.objects.live().exists()


LOOKALIKES = [
    "Never_send_proposals_on_Fridays",
    "__Never__send__proposals__on__Fridays__",
    "Never&nbsp;send&#32;proposals on Fridays",
    "Never send pr&#111;p&amp;#111;sals on Fridays",
    "Nеvеr sеnd рrороsаls оn Fridауs",  # Cyrillic
    "Νever send ρrορosals οn Fridays",  # Greek
    "Neᴠer send proposals on Fridays".replace("ᴠ", "ѵ"),
    "Nevег sеnd ргoроsаls оn Fridауs".replace("г", "r"),
    "Ｎｅｖｅｒ ｓｅｎｄ ｐｒｏｐｏｓａｌｓ ｏｎ Ｆｒｉｄａｙｓ",
    "𝐍𝐞𝐯𝐞𝐫 send proposals on Fridays",
    "Ne\u200bver se\u00adnd pro\u3164posals on Fri\u2060days",
]


@pytest.mark.parametrize("said", LOOKALIKES)
def test_it_is_suppressed_when_it_only_looks_alike(said: str) -> None:
    dismissed()
    assert store(said, key="another", category="workflow").suppressed


@pytest.mark.parametrize("said", ["Acme_pays_on_net-30_terms", "acme__pays on net-30_terms", "_Acme_ pays_on net-30"])
def test_underscores_are_spaces(said: str) -> None:
    dismissed(NET30, "acme", "fact")
    assert store(said, key="another", category="workflow").suppressed


@pytest.mark.parametrize("disguise", [*ENGLISH, *ANY_LANGUAGE])
def test_it_is_suppressed_in_other_clothes_also_when_it_is_forgotten(disguise: str, person: Trust) -> None:
    memory, worn = dismissed(), (ENGLISH | ANY_LANGUAGE)[disguise](RULE)
    assert store(worn, key="another", category="workflow").suppressed
    lifecycle.forget(memory, trust=person, at=AT)
    assert store(worn, key="one more", category="fact").suppressed


@pytest.mark.parametrize("disguise", [*CHINESE, *ANY_LANGUAGE])
def test_so_is_chinese(disguise: str) -> None:
    dismissed("不要在周五发送提案")
    assert store((CHINESE | ANY_LANGUAGE)[disguise]("不要在周五发送提案"), key="another").suppressed


def test_the_upgrade_seals_again_what_is_dismissed_and_whose_text_is_kept() -> None:
    kept, forgotten = dismissed(), dismissed(NET30, "acme", "fact")
    for stone in Tombstone.objects.all():
        text = RULE if stone.memory_id == kept.pk else NET30
        claim = sealed(claim_of(text, 4), DigestKey.current())
        stone.claim_tokens, stone.claim_hard, stone.normalisation = sorted(claim.tokens), sorted(claim.hard), 4
        stone.save()
    Tombstone.objects.filter(memory_id=forgotten.pk).update(memory_id=None)
    former: Any = import_module("memories.migrations.0049_claims_in_other_letters")
    former.seal_again(apps, None)
    former.read_again(apps, None)
    for name in ("0054_order_of_words", "0063_negations_of_further_languages"):
        import_module(f"memories.migrations.{name}").seal_again(apps, None)
    assert dict(Tombstone.objects.values_list("memory_id", "normalisation")) == {kept.pk: NORMALISATION, None: 4}
    assert store("N e v e r s e n d p r o p o s a l s o n F r i d a y s", key="another").suppressed
    assert store("Acme pays on ｎｅｔ-30 terms", key="one more").suppressed


@pytest.mark.parametrize("said", LOOKALIKES)
def test_what_was_dismissed_in_disguise_is_suppressed_when_said_plainly(said: str) -> None:
    dismissed(said)
    assert store(RULE, key="another", category="workflow").suppressed


def test_numbers_in_other_digits_are_the_same_numbers() -> None:
    dismissed(NET30, "acme", "fact")
    assert store("Acme pays on net-٣٠ terms", key="another").suppressed
    assert store("Acme pays on net-٦٠ terms", key="another").created


def test_the_newest_that_it_resembles_is_named() -> None:
    dismissed("Acme pays on net-45 terms", "old", "fact")
    newer = dismissed(NET60, "new", "fact")
    Tombstone.objects.exclude(memory_id=newer.pk).update(at=AT.replace(year=2025))
    memory = stored(NET30, "acme", "fact")
    assert memory.resembles == Tombstone.objects.get(memory_id=newer.pk).pk
    Tombstone.objects.filter(memory_id=newer.pk).update(at=AT.replace(year=2024))
    again = stored("Acme pays on net-90 terms", "acme-too", "fact")
    assert again.resembles == Tombstone.objects.exclude(memory_id=newer.pk).get().pk


def test_the_same_claim_is_suppressed_though_a_newer_dismissal_resembles_it() -> None:
    older, newer = dismissed(NET30, "old", "fact"), dismissed(NET60, "new", "fact")
    Tombstone.objects.filter(memory_id=older.pk).update(at=AT.replace(year=2025))
    assert store(NET30, key="another").suppressed
    assert dict(Tombstone.objects.values_list("memory_id", "hits")) == {older.pk: 1, newer.pk: 0}


def test_a_rewording_like_a_dismissal_is_marked_and_climbs_no_further() -> None:
    dismissed("Anna drinks coffee in the morning", "morning")
    row = stored("Green tea is what she likes", "drink")
    assert row.resembles is None
    said = store("Anna drinks coffee in the late evening", key="drink", category="preference", confidence=100)
    assert (said.reinforced, said.notice) == (True, "resembles one you dismissed")
    row.refresh_from_db()
    assert row.resembles == Tombstone.objects.get().pk
    for _ in range(6):
        store("Anna drinks coffee in the late evening", key="drink", category="preference")
    row.refresh_from_db()
    assert row.status == Status.CANDIDATE


def test_its_equals_are_dismissed_in_the_same_batch_and_come_back_with_it(person: Trust) -> None:
    first, equal = stored(), stored("Do not send proposals on a Friday", "no-friday", "workflow")
    other, elsewhere = stored("Always send proposals on Mondays", "mondays"), stored(RULE, "there")
    Memory.objects.filter(pk=elsewhere.pk).update(scope="project:b")
    decision = review.decide(person, first.pk, "dismiss", at=AT, why="wrong")
    assert decision.equals == [equal.pk]
    live = set(Memory.objects.live().values_list("pk", flat=True))
    assert live == {other.pk, elsewhere.pk}
    assert Tombstone.objects.standing().count() == 2
    undone = review.undo(person, decision.batch, at=AT)
    assert set(undone.undone) == {first.pk, equal.pk}
    assert not Tombstone.objects.standing().exists()
    review.undo(person, undone.batch, at=AT)
    assert Memory.objects.live().count() == 2


def test_an_applied_equal_loses_its_adaptation(person: Trust) -> None:
    first, equal = stored(), stored(RULE, "equal", "workflow")
    equal.promote(by=ANNA, at=AT, to=Status.APPLIED)
    assert Adaptation.objects.active().count() == 1
    review.decide(person, first.pk, "dismiss", at=AT, why="wrong")
    assert not Adaptation.objects.active().exists()


def test_dismissing_many_with_their_equals_among_them_fails_for_none(person: Trust) -> None:
    rows = [stored(RULE, f"fridays-{n}") for n in range(3)]
    many = review.by_ids(person, [row.pk for row in rows[:2]], "dismiss", at=AT, why="wrong")
    assert (set(many.done), many.failed, many.equals) == ({rows[0].pk, rows[1].pk}, [], [rows[2].pk])
    assert len(review.undo(person, many.batch, at=AT).undone) == 3


def test_the_other_one_of_a_duplicate_stays_and_is_confirmed(person: Trust) -> None:
    first, kept = stored(), stored(RULE, "kept")
    decision = review.decide(person, first.pk, "dismiss", at=AT, why="duplicate: of the other one")
    assert decision.equals == []
    said = [numbers(store(RULE, key="kept", category="preference")) for _ in range(4)]
    assert said[-1][0] == Status.APPLIED
    assert store(RULE, key="fridays").suppressed
    assert Memory.objects.live().get() == kept


def test_an_equal_that_the_person_may_not_see_stays_and_climbs_no_further(person: Trust) -> None:
    first, hidden = stored(), stored(RULE, "hidden", "workflow")
    Memory.objects.filter(pk=hidden.pk).update(sensitivity=Sensitivity.HYPER)
    assert review.decide(person, first.pk, "dismiss", at=AT, why="wrong").equals == []
    hidden.refresh_from_db()
    assert hidden.status == Status.CANDIDATE
    for _ in range(6):
        remember(statement(RULE, "hidden"), occasions=[Occasion.request(at=AT)], by=SYSTEM, at=AT)
    hidden.refresh_from_db()
    assert (hidden.status, hidden.confidence) == (Status.CANDIDATE, 20)


def test_numbers_carry_no_equal_of_a_dismissal_any_further() -> None:
    first, equal = stored(), stored(RULE, "equal")
    first.dismiss(by=ANNA, why="wrong", at=AT)
    Memory.objects.filter(pk=equal.pk).update(confidence=95, times_confirmed=9)
    equal.refresh_from_db()
    assert not climbing.climb(equal, at=AT)
    Tombstone.objects.get().lift(by=ANNA, at=AT)
    assert climbing.climb(equal, at=AT)
    assert equal.status == Status.APPLIED


def statement(content: str, key: str) -> Statement:
    return Statement(content, key=key, scope="", source="P01", confidence=20, origin=Origin.EXTRACTED)


def test_what_a_person_taught_beside_a_dismissal_is_confirmed() -> None:
    dismissed()
    make_memory(RULE, key="taught", category="preference", status="confirmed", confidence=100, hold=Hold.FLOOR)
    assert store(RULE, key="taught", category="preference").reinforced


def applied(key: str = "fridays") -> Memory:
    for _ in range(5):
        memory = store(RULE, key=key, category="preference").memory
    assert memory is not None
    assert memory.status == Status.APPLIED
    return memory


def test_a_reverted_adaptation_does_not_come_back_under_another_key(person: Trust) -> None:
    memory = applied()
    review.revert(person, Adaptation.objects.active().get().pk, at=AT)
    for _ in range(8):
        again = store(RULE, key="another", category="workflow")
    assert numbers(again)[0] == Status.CONFIRMED
    assert not Adaptation.objects.active().exists()
    memory.refresh_from_db()
    assert (memory.status, memory.hold) == (Status.CONFIRMED, Hold.FIXED)


def test_the_equal_of_a_reverted_adaptation_is_reverted_with_it_and_comes_back_with_it(person: Trust) -> None:
    applied("one")
    applied("two")
    batch = review.revert(person, Adaptation.objects.active().get(memory__key="one").pk, at=AT)
    assert not Adaptation.objects.active().exists()
    assert set(Memory.objects.values_list("status", "hold")) == {("confirmed", "fixed")}
    review.undo(person, batch, at=AT)
    assert Adaptation.objects.active().count() == 2


def test_what_a_person_demoted_does_not_climb_past_it_under_another_key() -> None:
    stored().promote(by=ANNA, at=AT)
    Memory.objects.get().demote(by=ANNA, at=AT)
    for _ in range(6):
        again = store(RULE, key="another", category="workflow")
    assert numbers(again)[0] == Status.CANDIDATE


def test_what_suppresses_after_a_forget_says_so(person: Trust) -> None:
    lifecycle.forget(stored(), trust=person, at=AT)
    again = store(RULE, key="another", category="fact")
    assert (again.suppressed, again.forgotten) == (True, True)
    assert again.notice == "it was forgotten before: nothing was stored"
    dismissed(NET30, "acme")
    said = store(NET30, key="acme")
    assert (said.forgotten, said.notice) == (False, "it was dismissed before: nothing was stored")
