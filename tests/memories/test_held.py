"""Decisions about many rows: what is looked for once for all of them is what each alone would have met.

Words nominate the memories that a claim is compared with: by what is indexed, and no text is read twice.
"""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories import claims
from memories.intake.claims import equals_elsewhere
from memories.models import AuditEntry, Memory, Tombstone
from memories.models.nominating import nominated
from memories.values.choices import Status, Type
from memories.values.trust import everything
from memos_site import review
from tests.make import AT, make_memory
from tests.memories.searched import indexed

pytestmark = pytest.mark.django_db
TRUST, LATER = everything(), AT + timedelta(hours=1)
STANDS = {"demote": "confirmed", "restore": "dismissed"}


def dismissed(*memories: Memory) -> Any:
    return review.by_ids(TRUST, [memory.pk for memory in memories], "dismiss", at=LATER, why="wrong")


@pytest.mark.parametrize(
    ("content", "again"),
    [
        ("Acme pays its invoices within 30 days", "Acme pays invoices within thirty days"),
        ("Acme pays its invoices within 30 days", "acme PAYS its invoices within 30 days!"),
        ("The office dog is called Rex and sleeps at noon", "At noon the office dog sleeps and is called Rex"),
        ("发票在三十天内支付给供应商", "发票在三十天内支付给供应商。"),
    ],
)
def test_equals_under_other_keys_go_along_in_other_words_too(content: str, again: str) -> None:
    chosen, equal = indexed(content, key="one", scope="a"), indexed(again, key="other", scope="a")
    other, elsewhere = indexed("Globex sends pallets on Mondays", scope="a"), indexed(again, key="more", scope="b")
    result = dismissed(chosen, other)
    assert (sorted(result.done), result.equals) == (sorted([chosen.pk, other.pk]), [equal.pk])
    elsewhere.refresh_from_db()
    assert elsewhere.status == Status.CANDIDATE


def test_one_that_was_dismissed_as_the_equal_of_another_is_not_dismissed_twice() -> None:
    chosen = [indexed("Acme pays within 30 days", key=f"key-{n}", scope="a") for n in range(3)]
    result = dismissed(*chosen)
    assert (sorted(result.done), result.failed) == (sorted(one.pk for one in chosen), [])
    assert AuditEntry.objects.filter(action="dismiss").count() == 3
    assert Tombstone.objects.standing().count() == 3
    undone = review.undo(TRUST, result.batch, at=LATER)
    assert (len(undone.undone), Tombstone.objects.standing().count()) == (3, 0)


def test_what_is_shared_and_what_a_working_state_says_is_withheld_until_the_undo() -> None:
    said = "Acme pays its invoices within 30 days"
    chosen, other = indexed(said, scope="a", category="fact"), indexed("Globex sends pallets on Mondays", scope="a")
    shared = indexed(said, scope="")
    state = indexed(
        f"Answering mails. {said}. Then lunch.", scope="a", type=Type.WORKING, thread_id="t", status="confirmed"
    )
    result = dismissed(chosen, other)
    withheld = Memory.objects.filter(withheld_from=["a"])
    assert set(withheld.values_list("pk", flat=True)) == {shared.pk, state.pk}
    again = review.undo(TRUST, result.batch, at=LATER).batch
    assert not withheld.exists()
    review.undo(TRUST, again, at=LATER)
    assert withheld.count() == 2


def test_of_many_that_come_back_only_the_one_whose_key_was_taken_meanwhile_is_refused() -> None:
    chosen = [indexed(f"{name} pays in {name}", key=name, scope="a") for name in ("lyon", "porto", "graz")]
    result = dismissed(*chosen)
    make_memory("Porto is by the sea", key="porto", scope="a")
    undone = review.undo(TRUST, result.batch, at=LATER)
    assert (sorted(undone.undone), len(undone.refused)) == (sorted([chosen[0].pk, chosen[2].pk]), 1)
    assert "another live memory holds the key 'porto'" in undone.refused[0]["why"]
    assert [Memory.objects.get(pk=one.pk).status for one in chosen] == ["candidate", "dismissed", "candidate"]
    assert AuditEntry.objects.filter(action="undo").count() == 2
    assert [stone.key for stone in Tombstone.objects.standing()] == ["porto"]
    assert review.by_ids(TRUST, [one.pk for one in chosen], "restore", at=LATER).failed[0]["code"] == "conflict"


def test_the_trail_and_the_row_of_each_of_many_are_those_of_a_single_decision() -> None:
    def told(memory: Memory) -> Any:
        memory.refresh_from_db()
        columns = ("status", "confidence", "hold", "version", "updated_at", "snoozed_until", "decay_steps")
        trail = AuditEntry.objects.filter(subject_id=memory.pk).order_by("id")
        facts = ("action", "actor", "at", "rationale", "before", "after", "subject_version", "scope", "sensitivity")
        stones = Tombstone.objects.filter(memory_id=memory.pk).values("lifted_at", "reason", "blocks", "duplicate")
        return [getattr(memory, name) for name in columns], list(trail.values(*facts)), list(stones)

    for number, verb in enumerate(("promote", "demote", "snooze", "dismiss", "restore", "pin")):
        words = [f"Claim {number} about {name}" for name in ("lyon", "porto", "graz")]
        alone, *many = (indexed(said, scope="a", status=STANDS.get(verb, "candidate")) for said in words)
        options: dict[str, Any] = {"until": LATER + timedelta(days=1)} if verb == "snooze" else {}
        single = review.decide(TRUST, alone.pk, verb, at=LATER, why="noise", **options)
        done = review.by_ids(TRUST, [one.pk for one in many], verb, at=LATER, why="noise", **options)
        assert not done.failed
        for batch in (single.batch, done.batch):
            review.undo(TRUST, batch, at=LATER)
        assert [told(one) for one in many] == [told(alone)] * 2, verb


def test_rows_are_ranked_by_their_stored_words_and_found_through_the_index_of_their_scope() -> None:
    chosen = indexed("Acme pays its invoices within 30 days", key="one", scope="a")
    indexed("Acme pays its invoices within 30 days", key="two", scope="b")
    with CaptureQueriesContext(connection) as queries:
        rows = list(nominated("Acme pays invoices in thirty days", Memory.objects.live(), scopes=["a"]))
    assert rows == [chosen]
    [ranking] = [query["sql"] for query in queries if "ts_rank" in query["sql"]]
    assert "to_tsvector" not in ranking
    assert '(ARRAY["memories_passage"."scope"]) &&' in ranking


def test_a_text_is_read_once_however_many_are_compared_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = indexed("Acme pays its invoices within 30 days", scope="a")
    others = [indexed(f"Acme pays its invoices within {days} days", scope="b") for days in (30, 45, 60)]
    texts_read: list[str] = []
    read = claims.claim_of

    def claim_of(content: str) -> claims.Claim:
        texts_read.append(content)
        return read(content)

    monkeypatch.setattr(claims, "claim_of", claim_of)
    assert equals_elsewhere([memory], Memory.objects.live()) == {memory.pk: others[:1]}
    assert sorted(texts_read) == sorted({memory.content, *(other.content for other in others)})


def test_where_else_many_claims_are_known_is_asked_in_as_few_statements_as_of_one() -> None:
    here = [indexed(f"Acme pays its invoices within {days} days", scope="a") for days in (30, 45, 60)]
    there = [indexed(row.content, scope=scope) for row in here for scope in ("b", "c")]
    numbers: list[int] = []
    for asked in (here[:1], here):
        with CaptureQueriesContext(connection) as queries:
            known = equals_elsewhere(asked, Memory.objects.live())
        numbers.append(len(queries))
    assert known == {row.pk: there[2 * n : 2 * n + 2] for n, row in enumerate(here)}
    assert numbers == [4, 4]
