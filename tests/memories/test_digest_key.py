"""Dismissals do not hang on SECRET_KEY: those that are made now by nothing, those of before as far as it can be."""

import logging
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.core.checks import Tags, run_checks

from memories import claims
from memories.claims import claim_of, compare, sealed
from memories.models import DigestKey, Memory, Tombstone
from memories.models.digest_key import UNKNOWN, mark
from tests.make import ANNA, AT
from tests.memories.storing import DAY, NET30, NET60, store

pytestmark = pytest.mark.django_db
OLD, NEW = "the key of then", "the key of now"
RULE = "Never send proposals on Fridays"
# what the release before the database had a key sealed under OLD
RELEASED: dict[str, tuple[list[str], list[str]]] = {
    NET30: (
        [
            "761e75dd8024bb0b391d71594f771b43",
            "7bde1c196f37e75b0e83b133d2cd1da3",
            "e210762e3d355220c8630746d8fbae39",
            "e35588decb3b100dfaae23fbc5c8cd99",
            "ea39acaccf1d8f850bf228e62ac6c820",
        ],
        [
            "name:e210762e3d355220c8630746d8fbae39",
            "number:ea39acaccf1d8f850bf228e62ac6c820",
            "subject:e210762e3d355220c8630746d8fbae39",
        ],
    ),
    RULE: (
        [
            "80a03d5c673a15138a32f86a224dfa7f",
            "8d5ea2a5fe24442944171b73a12441e2",
            "c0c514f0bcf4669ad46925a8a52d3e55",
        ],
        ["date:8d5ea2a5fe24442944171b73a12441e2", "negation:de186edda9de11ff436c2fbbe51e85bd"],
    ),
    "客户喜欢喝茶": (
        [
            "088936edf8159a6d0fb8cdf8ab93580e",
            "0d1696dcf1c799f31a57612d566afa6a",
            "23da8d041320fc4272d6271b6f1c5e94",
            "83170bd310c0c95f0b861b593fd41b80",
            "cf0e21fa25a2e44d8a021e798acbe5bc",
        ],
        [],
    ),
}


def released(text: str, memory: Memory | None = None, **facts: Any) -> Tombstone:
    """A tombstone as the release before has left it; of a forgotten memory unless one is given."""
    tokens, hard = RELEASED[text]
    plain = {"category": "fact", "sensitivity": 1, "by": "anna", "at": AT, "normalisation": 1, "sealed_with": mark(b"")}
    row = Tombstone(claim_tokens=tokens, claim_hard=hard, memory_id=memory.pk if memory else None, **plain | facts)
    row.save()
    return row


def upgraded() -> None:
    """What the migration does to the rows."""
    DigestKey.current()
    migration: Any = import_module("memories.migrations.0014_digest_key")
    migration.seal_again(apps, None)
    migration.read_again(apps, None)


def warnings() -> dict[str | None, str]:
    return {one.id: one.msg for one in run_checks(tags=[Tags.database], databases=["default"])}


@pytest.mark.parametrize("text", RELEASED)
def test_the_first_normalisation_reads_as_the_release_before_did(text: str) -> None:
    tokens, hard = RELEASED[text]
    assert sealed(claim_of(text, 1), OLD.encode()) == claims.Claim(frozenset(tokens), frozenset(hard))


def test_a_dismissal_of_today_holds_whatever_becomes_of_the_secret_key(settings: Any) -> None:
    memory = store(RULE, key="fridays").memory
    assert memory is not None
    memory.dismiss(by=ANNA, why="wrong", at=AT)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, []
    assert store(RULE, key="another", category="workflow").suppressed
    assert not warnings()


def test_the_database_keeps_its_key_and_not_the_secret_one(settings: Any) -> None:
    first = DigestKey.current()
    settings.SECRET_KEY = NEW
    assert DigestKey.current() == first
    assert len(first) == 32
    assert DigestKey.objects.count() == 1


@pytest.mark.parametrize("text", RELEASED)
def test_what_was_forgotten_before_the_upgrade_needs_its_secret_key(
    text: str, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.SECRET_KEY = OLD
    stone = released(text)
    upgraded()
    stone.refresh_from_db()
    assert (stone.normalisation, stone.sealed_with) == (1, mark(OLD.encode()))
    assert store(text, key="one", category="pattern").suppressed
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, ["one more", OLD]
    assert store(text, key="two", category="pattern").suppressed
    assert not warnings()
    settings.SECRET_KEY_FALLBACKS = []
    with caplog.at_level(logging.WARNING):
        assert store(text, key="three", category="pattern").created
    assert "memories.W001" in warnings()
    stone.refresh_from_db()
    assert (stone.hits, stone.lifted_at) == (2, None)


def test_the_log_says_once_that_a_secret_key_is_missing(
    settings: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.models.digest_key._reported_marks", set())
    settings.SECRET_KEY = OLD
    released(NET30)
    upgraded()
    settings.SECRET_KEY = NEW
    for n in range(3):
        store(NET60, key=f"key-{n}")
    said = [record.getMessage() for record in caplog.records if "after the present one" in record.getMessage()]
    assert len(said) == 1
    assert OLD not in said[0]


def test_what_looks_like_a_forgotten_sentence_of_before_is_suppressed_too(settings: Any) -> None:
    settings.SECRET_KEY = OLD
    released(NET30)
    upgraded()
    assert store("Асmе_рауѕ_оn_nеt-30_tеrmѕ", key="another").suppressed
    assert store("Acme&nbsp;pays on net-30 terms", key="another").suppressed


def buried(text: str, key: str) -> tuple[Memory, Tombstone]:
    memory = store(text, key=key).memory
    assert memory is not None
    Memory.objects.filter(pk=memory.pk).update(status="dismissed")
    return memory, released(text, memory, key=key)


def test_what_is_dismissed_and_still_there_is_sealed_anew_and_needs_no_secret_key(settings: Any) -> None:
    settings.SECRET_KEY = OLD
    _, stone = buried(RULE, "fridays")
    upgraded()
    settings.SECRET_KEY = NEW
    stone.refresh_from_db()
    assert (stone.normalisation, stone.sealed_with) == (2, "")  # that of the upgrade; later ones compare by it
    assert store("Never_send_proposals_on_Fridays", key="another").suppressed
    assert not warnings()


def test_a_secret_key_that_was_lost_before_the_upgrade_is_told_by_what_is_still_there(
    settings: Any,
) -> None:
    settings.SECRET_KEY = NEW
    older, younger = released(NET30, at=AT - DAY), released(NET30, at=AT + DAY)
    buried(RULE, "fridays")
    upgraded()
    assert store(RULE, key="another").suppressed
    for stone in (older, younger):
        stone.refresh_from_db()
        assert stone.sealed_with == UNKNOWN
    assert warnings()["memories.W001"].startswith("2 dismissals")
    settings.SECRET_KEY_FALLBACKS = [OLD]
    assert store(NET30, key="another").suppressed


def test_of_two_keys_each_is_named_by_what_was_dismissed_then(settings: Any) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [OLD]
    forgotten_first = released(NET30, at=AT - DAY)
    buried(RULE, "fridays")
    tokens = sealed(claim_of("Tea is served at four", 1), NEW.encode())
    memory = store("Tea is served at four", key="tea").memory
    assert memory is not None
    Memory.objects.filter(pk=memory.pk).update(status="dismissed")
    last = released(NET30, at=AT + 2 * DAY)
    row = released(RULE, memory, at=AT + DAY, key="tea")
    Tombstone.objects.filter(pk=row.pk).update(claim_tokens=sorted(tokens.tokens), claim_hard=sorted(tokens.hard))
    upgraded()
    marks = dict(Tombstone.objects.values_list("pk", "sealed_with"))
    assert marks[forgotten_first.pk] == mark(OLD.encode())
    assert marks[last.pk] == mark(NEW.encode())


def test_words_that_were_changed_after_a_restore_do_not_become_what_was_dismissed(settings: Any) -> None:
    settings.SECRET_KEY = OLD
    memory, stone = buried(RULE, "fridays")
    Tombstone.objects.filter(pk=stone.pk).update(lifted_at=AT, lifted_by="anna")
    Memory.objects.filter(pk=memory.pk).update(status="candidate", content=NET60)
    upgraded()
    stone.refresh_from_db()
    assert sorted(stone.claim_tokens) == sorted(RELEASED[RULE][0])
    assert (stone.normalisation, stone.sealed_with) == (1, mark(OLD.encode()))


def test_fingerprints_of_texts_that_are_read_otherwise_now_are_made_anew() -> None:
    plain, disguised = store(RULE, key="one").memory, store("Never_send_proposals_on_Fridays", key="two").memory
    assert plain is not None
    assert disguised is not None
    before = claims.fingerprint(claim_of(disguised.content, 1), "")
    Memory.objects.filter(pk=disguised.pk).update(fingerprint=before)
    upgraded()
    disguised.refresh_from_db()
    assert bytes(disguised.fingerprint or b"") == claims.fingerprint(claim_of(RULE), "")


def test_no_word_can_be_read_from_a_tombstone_by_the_secret_key(settings: Any) -> None:
    memory = store(RULE, key="fridays").memory
    assert memory is not None
    memory.dismiss(by=ANNA, why="wrong", at=AT)
    stone = Tombstone.objects.get()
    guessed = sealed(claim_of(RULE), settings.SECRET_KEY.encode())
    assert not set(stone.claim_tokens) & guessed.tokens
    assert compare(stone.claim, sealed(claim_of(RULE), DigestKey.current())) == claims.Likeness.SAME
