"""Pages by key: every row once however deep one reads, while others come and change; only our own cursors are taken."""

from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest
from django.core.signing import Signer

from memories.models import Memory
from memories.values.exceptions import Invalid
from memories.values.keyset import Cursor, Order, Page, page
from tests.make import AT, make_memory

pytestmark = pytest.mark.django_db
NEWEST: Order = ("-created_at", "-id")


def rows_of(order: Order, *, limit: int = 3, between: Callable[[], object] = lambda: None) -> list[Memory]:
    """All rows, page by page, with `between` called after each; every cursor goes through its text."""
    found: list[Memory] = []
    at: Cursor | None = None
    while len(found) < 100:
        read = page(Memory.objects.with_salience(AT).with_key(), order, limit=limit, at=AT, cursor=at)
        found += read.rows
        if read.next is None:
            return found
        at = Cursor.decode(read.next.encode())
        between()
    raise AssertionError("the pages go round in circles")


def make_rows() -> list[Memory]:
    """Rows that are equal in much and differ by microseconds: where pages break most easily."""
    random = Random(7)
    return [
        make_memory(
            created_at=AT + timedelta(microseconds=random.choice([0, 1, 2, 999, 1_000, 1_001])),
            updated_at=AT + timedelta(microseconds=n // 2),
            confidence=random.choice([20, 50]),
            times_used=n % 3,
            salience=random.choice([0.1, 0.3, 1 / 3]),
            key=f"key-{n}" if n % 2 else None,
            salience_at=AT - timedelta(days=n % 4),
        )
        for n in range(20)
    ]


@pytest.mark.parametrize("limit", [1, 3, 20])
@pytest.mark.parametrize(
    "column", ["created_at", "updated_at", "confidence", "times_used", "salience_now", "key_or_blank"]
)
def test_every_row_is_read_once_and_in_order(column: str, limit: int) -> None:
    make_rows()
    for sign in ("", "-"):
        order = (f"{sign}{column}", f"{sign}id")
        whole = Memory.objects.with_salience(AT).with_key().order_by(*order)
        assert rows_of(order, limit=limit) == list(whole)


def test_columns_may_go_in_different_directions() -> None:
    make_rows()
    order = ("-confidence", "created_at", "-id")
    assert rows_of(order) == list(Memory.objects.order_by(*order))


def test_no_row_comes_twice_or_is_lost_while_others_come_go_and_change() -> None:
    there = make_rows()
    gone = there[::7]
    kept = {row.pk for row in there if row not in gone}

    def meanwhile() -> None:
        make_memory(created_at=AT + timedelta(seconds=1))
        make_memory(created_at=AT - timedelta(seconds=1))
        Memory.objects.filter(pk__in=[row.pk for row in gone]).delete()
        Memory.objects.update(confidence=99, updated_at=AT + timedelta(hours=1))

    read = [row.pk for row in rows_of(NEWEST, between=meanwhile)]
    assert len(read) == len(set(read))
    assert kept <= set(read)


def test_previous_leads_back_to_the_same_pages() -> None:
    make_rows()
    forth: list[Page[Memory]] = [page(Memory.objects.all(), NEWEST, limit=6, at=AT)]
    while place := forth[-1].next:
        forth.append(page(Memory.objects.all(), NEWEST, limit=6, at=AT, cursor=place))
    back = [forth[-1]]
    while place := back[-1].previous:
        back.append(page(Memory.objects.all(), NEWEST, limit=6, at=AT, cursor=place))
    assert [read.rows for read in reversed(back)] == [read.rows for read in forth]
    assert (forth[0].previous, forth[-1].next) == (None, None)
    assert back[1].next is not None


def test_an_empty_list_has_no_cursors() -> None:
    assert page(Memory.objects.all(), NEWEST, limit=3, at=AT) == Page([], None, None)


def test_a_cursor_carries_the_instant_of_the_first_page() -> None:
    make_rows()
    place = page(Memory.objects.all(), NEWEST, limit=3, at=AT).next
    assert place is not None
    assert Cursor.decode(place.encode()) == Cursor(
        NEWEST, [place.values[0].isoformat(), str(place.values[1])], False, AT
    )


def test_a_cursor_of_another_ordering_is_refused() -> None:
    make_rows()
    place = page(Memory.objects.all(), ("confidence", "id"), limit=3, at=AT).next
    for other in (("times_used", "id"), ("-confidence", "-id"), NEWEST):
        with pytest.raises(Invalid, match="cursor: is not a cursor of this ordering"):
            page(Memory.objects.all(), other, limit=3, at=AT, cursor=place)


@pytest.mark.parametrize("text", ["x", "x:y", "é", ":", "[]", "a" * 10_000, "\0"])
def test_what_we_did_not_give_out_is_no_cursor(text: str) -> None:
    with pytest.raises(Invalid, match="cursor: is not a cursor of this list"):
        Cursor.decode(text)


def test_a_cursor_that_was_changed_or_signed_for_something_else_is_no_cursor() -> None:
    mine = Cursor(NEWEST, [AT, "x"], False, AT).encode()
    forged = Signer(salt="something else").sign_object([NEWEST, [1, 2], False, AT.isoformat()])
    for text in (mine[1:], mine[:-1], mine.replace("W", "X"), forged):
        with pytest.raises(Invalid):
            Cursor.decode(text)


@pytest.mark.parametrize(("first", "last"), [(0x61, 0x7B), (0x4E00, 0x9FFF), (0x1F300, 0x1FAFF), (0x10000, 0x10FFFF)])
def test_a_cursor_fits_into_an_address_whatever_the_key(first: int, last: int) -> None:
    random = Random(7)
    key = "".join(chr(random.randrange(first, last)) for _ in range(250))
    memory = make_memory(key=key)
    cursor = Cursor(("key_or_blank", "id"), [key, memory.pk], False, AT)
    text = cursor.encode()
    assert len(text) < 1_500
    assert Cursor.decode(text) == Cursor(cursor.order, [key, str(memory.pk)], False, AT)
