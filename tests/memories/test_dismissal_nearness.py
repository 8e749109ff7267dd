"""What is near a dismissed claim waits for a person: of the same account, misspelled, reworded, or wrapped in words."""

import pytest

from memories import lifecycle
from memories.intake.claims import Occasion, Statement, remember
from memories.models import Memory, Tombstone
from memories.models.near_dismissals import differ_in_one, is_near, weighed
from memories.people import trust_of
from memories.values.choices import Category, Origin, Sensitivity, Status
from memories.values.trust import SYSTEM, Trust
from tests.make import ANNA, AT, make_person
from tests.memories.storing import agent, store

pytestmark = pytest.mark.django_db
ACCOUNT = "The bank account of Acme is DE89370400440532013000"
CLEAR_TEXT = ("Passwords are stored in plain text", "The passwords are saved as clear text")
NEAR = [
    ("Never send proposals on Fridays", "Fridays are off limits for sending out proposals"),
    ("Never send proposals on Fridays", "Never send propsals on Fridays"),
    ("Tarnhelm orders mixed pallets", "Tarnhellm orders mixed pallets"),
    ("Sarah prefers short replies", "Sarrah prefers short replies"),
    ("Refunds above 500 dollars need a manager", "A manager must approve refunds of more than $500"),
    CLEAR_TEXT,
    ("Deploy only after two reviewers approved", "A rollout needs approval by two reviewers"),
    (
        "Acme pays on net-30 terms",
        "As we heard in the long meeting with the whole team last week, Acme pays on net-30 terms, and the new portal "
        "that everybody asked for opens in spring with a faster search.",
    ),
    ("退款超过五百元需要经理审批", "五百元以上的退款须经理批准"),
    ("密码以明文保存", "我们用明文存储密码"),
]
OTHER = [
    ("Never send proposals on Fridays", "The office closes at noon on Fridays"),
    ("Acme pays on net-30 terms", "Acme has its seat in Berlin"),
    ("Sarah manages the warehouse in Rome", "Maria designs the posters for Milan"),
    ("Thanks Joanna, take care!", "Thanks John, that was great!"),
    ("密码以明文保存", "日志只保存七天"),
]


@pytest.fixture
def person() -> Trust:
    return trust_of(make_person())


def dismissed(content: str, key: str = "old") -> Memory:
    memory = store(content, key=key).memory
    assert memory is not None
    memory.dismiss(by=ANNA, why="wrong", at=AT)
    return memory


def resembles(content: str, key: str = "new") -> bool:
    """Whether what is stored waits, as it is like a dismissed claim; however often it is said."""
    for _ in range(6):
        stored = store(content, key=key)
    assert stored.memory is not None and not stored.suppressed
    row = Memory.objects.get(pk=stored.memory.pk)
    assert (row.status == Status.CANDIDATE) == (row.resembles is not None)
    return row.resembles is not None


@pytest.mark.parametrize(("old", "new"), NEAR)
def test_what_is_near_in_meaning_waits_and_is_not_blocked(old: str, new: str) -> None:
    dismissed(old)
    assert resembles(new)


@pytest.mark.parametrize(("old", "new"), OTHER)
def test_another_claim_about_the_same_does_not(old: str, new: str) -> None:
    dismissed(old)
    assert not resembles(new)
    assert not is_near(weighed(new), weighed(old))


@pytest.mark.parametrize(
    "new",
    [
        "The IBAN of Acme is DE89 3704 0044 0532 0130 00",
        "Acme wants its money at DE89370400440532013000",
        "Transfer what is due to DE89-3704-0044-0532-0130-00",
        "Acme 的 IBAN 是 DE89370400440532013000",
    ],
)
def test_another_statement_of_the_same_account_waits_also_when_the_first_is_forgotten(new: str, person: Trust) -> None:
    memory = dismissed(ACCOUNT)
    assert resembles(new)
    lifecycle.forget(memory, trust=person, at=AT)
    assert resembles(new, key="again")


def test_an_order_is_near_where_what_it_is_of_is_the_same() -> None:
    dismissed("Order 4512 of Globex goes to Rome")
    assert resembles("For Globex: order 4512 has Milan as destination", key="globex")
    assert not resembles("Umbrella sent us a complaint, see ticket 4512", key="umbrella")


def test_another_account_of_the_same_company_is_no_nearer_than_its_words() -> None:
    dismissed("Acme wants its money at DE89370400440532013000")
    assert not resembles("Invoices of Globex: FR7630006000011234567890189")


def test_the_double_of_a_memory_that_stays_is_near_nothing() -> None:
    memory = store(CLEAR_TEXT[0], key="old").memory
    assert memory is not None
    memory.dismiss(by=ANNA, why="duplicate", at=AT, duplicate=True)
    assert not resembles(CLEAR_TEXT[1])


def test_what_was_lifted_is_near_nothing() -> None:
    dismissed(CLEAR_TEXT[0])
    Tombstone.objects.get().lift(by=ANNA, at=AT)
    assert not resembles(CLEAR_TEXT[1])


def test_sentences_of_rules_are_near_nothing_for_they_differ_in_a_word() -> None:
    dismissed(CLEAR_TEXT[0])
    statement = Statement(CLEAR_TEXT[1], "rule", "", "P01", 20, Category.PATTERN, origin=Origin.DETECTED)
    stored = remember(statement, occasions=[Occasion.request(at=AT)], by=SYSTEM, at=AT)
    assert stored.memory is not None
    assert stored.memory.resembles is None


def test_a_long_text_is_compared_sentence_by_sentence() -> None:
    dismissed("Acme pays on net-30 terms")
    rest = "The weather was fine, and the garden of the office is full of flowers. " * 12
    assert resembles(f"{rest}It is true that Acme pays on net-30 terms. {rest}")


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("maria", "mario", True),
        ("proposal", "propsal", True),
        ("proposal", "porposal", True),
        ("proposal", "proposals", True),
        ("proposal", "propsla", False),
        ("import", "export", False),
        ("same", "same", False),
    ],
)
def test_one_letter(one: str, other: str, near: bool) -> None:
    assert differ_in_one(one, other) == differ_in_one(other, one) == near


def test_what_is_like_a_dismissal_above_the_caller_waits_and_the_caller_is_told_of_nothing() -> None:
    dismissed(CLEAR_TEXT[0])
    Tombstone.objects.update(sensitivity=Sensitivity.HIGH)
    stored = store(CLEAR_TEXT[1], key="new", trust=agent("low", clearance=Sensitivity.LOW))
    assert stored.memory is not None and stored.notice is None
    assert Memory.objects.get(pk=stored.memory.pk).resembles == Tombstone.objects.get().pk


def test_in_a_shared_scope_what_is_near_a_dismissal_of_any_scope_waits() -> None:
    memory = store(CLEAR_TEXT[0], key="old", scope="project:q1").memory
    assert memory is not None
    memory.dismiss(by=ANNA, why="wrong", at=AT)
    assert resembles(CLEAR_TEXT[1])
    elsewhere = store(CLEAR_TEXT[1], key="other", scope="project:q2").memory
    assert elsewhere is not None and elsewhere.resembles is None
