"""Of two states of one thing the newer one is offered first, and the older one with `until`.

How the best passages are ranked again by their word pieces, from candidates alone.
"""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.models import Memory
from memories.search import context, ranking
from memories.search.candidates import Pool
from memories.search.late_interaction import MOST_RERANKED, by_passage
from memories.search.ranking import Candidate, ScoredPassage, Weights
from memories.search.relevance import Word
from memories.search.updates import replaces
from memories.values.trust import everything
from tests.make import ANNA, AT
from tests.memories.searched import find, known

PAIRS = [
    ("Maria works at Acme as a designer", "Maria moved from Acme to Globex"),
    ("Anna lives in Berlin", "Anna moved to Hamburg"),
    ("The staging server runs in Frankfurt", "The staging server moved from Frankfurt to Dublin"),
    ("Customer Olsen prefers email", "Customer Olsen now prefers phone calls"),
    ("Tom drinks coffee in the morning", "Tom does not drink coffee any more"),
    ("Invoices are paid within 30 days", "Invoices are paid within 14 days"),
    ("Our CRM is Salesforce", "We switched our CRM from Salesforce to HubSpot"),
    ("Payments are processed by Stripe", "Payments are no longer processed by Stripe but by Adyen"),
    ("Acme pays by invoice", "Acme pays by card now."),
    ("Acme pays by invoice", "Since Monday Acme pays by card."),
    ("Acme pays by invoice", "Acme pays by card since Monday."),
    ("Customer Olsen prefers email", "Customer Olsen prefers phone calls these days."),
    ("Support answers by phone", "Support answers by chat from now on"),
    ("Acme zahlt per Rechnung", "Acme zahlt per Karte seit Montag."),
    ("仓库在上海", "现在仓库在苏州"),
    ("客户用邮件联系", "如今客户用电话联系"),
    ("付款方式是银行转账", "付款方式现在是信用卡"),
    ("付款方式是银行转账", "付款方式是信用卡，自周一起"),
    ("我们的周会在周一上午", "周会现在改成周三下午"),
    ("李雷喜欢喝咖啡", "李雷不再喝咖啡"),
    ("仓库在上海", "仓库已从上海搬到苏州"),
    ("客户要求月结三十天付款", "客户现在改成月结六十天付款"),
]
OTHERS = [
    ("Customer Olsen orders pallets", "Customer Olsen now prefers phone calls"),
    ("Anna lives in Berlin", "Anna now drinks tea"),
    ("Maria likes tea", "Tom now likes tea"),
    ("The team meets on Monday", "The team now uses Jira"),
    ("Customer Olsen orders pallets", "Customer Olsen prefers phone calls now"),
    ("Customer orders go through Stripe", "Customer orders are late now"),
    ("Acme pays by invoice", "Globex pays by invoice now."),
    ("Acme pays by invoice", "Acme orders pallets since Monday"),
    ("仓库在上海", "现在仓库有三名员工"),
    ("李雷喜欢喝咖啡", "现在韩梅梅喝咖啡"),
    ("仓库在上海", "仓库现在有三名员工"),
    ("李雷喜欢喝咖啡", "韩梅梅不再喝咖啡"),
    ("Minutes: We write dates as 15 October, not October 15", "Minutes: Dates the British way: 15 October"),
]


def both(old: str, new: str, **facts: Any) -> tuple[Memory, Memory]:
    return known(old, created_at=AT - timedelta(days=30), **facts), known(new, created_at=AT, **facts)


@pytest.mark.django_db
@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_the_newer_state_is_found_first_and_the_older_one_says_until_when(old: str, new: str) -> None:
    _, newer = both(old, new)
    for question in (old, f"{new} {old}"):
        found = find(question).results
        assert [(one.memory.content, one.until) for one in found] == [(new, None), (old, newer.created_at)]
        assert found[0].score >= found[1].score


@pytest.mark.parametrize(("old", "new"), OTHERS)
def test_what_tells_of_something_else_replaces_nothing(old: str, new: str) -> None:
    assert not replaces(new, old)
    assert not replaces(old, new)


@pytest.mark.django_db
@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_a_context_gives_the_newer_state_first_however_sure_the_older_one_is(old: str, new: str) -> None:
    known(old, created_at=AT - timedelta(days=30), confidence=90)
    known(new, created_at=AT, confidence=60)
    given = context.assemble(context.check({"task": old}), trust=everything(ANNA), at=AT)
    assert [item.memory.content for item in given.items] == [new, old]
    assert "until 2026-03-01] " in given.block.splitlines()[2]


@pytest.mark.django_db
def test_states_of_two_scopes_do_not_replace_each_other() -> None:
    known(PAIRS[0][0], scope="a", created_at=AT - timedelta(days=3))
    known(PAIRS[0][1], scope="b", created_at=AT)
    assert [one.until for one in find("Maria at Acme").results] == [None, None]


@pytest.mark.django_db
def test_of_a_list_of_claims_that_differ_in_a_value_none_replaces_another() -> None:
    for day in range(4):
        known(f"Invoices of the shop are paid within {30 + day} days", created_at=AT + timedelta(days=day))
    assert {one.until for one in find("When are invoices of the shop paid?").results} == {None}


@pytest.mark.django_db
@pytest.mark.parametrize("stands", [{"hold": "floor"}, {"speakers": ["agent:a", "agent:b"]}])
def test_one_agent_alone_ends_nothing_that_several_said_or_a_person_decided(stands: dict[str, Any]) -> None:
    known("Invoices are paid within 30 days", created_at=AT - timedelta(days=1), confidence=65, **stands)
    known("Invoices are paid within 14 days", created_at=AT, confidence=95)
    given = context.assemble(context.check({"task": "When are invoices paid?"}), trust=everything(ANNA), at=AT)
    assert ["30 days" in item.memory.content for item in given.items] == [True, False]
    assert "until" not in given.block
    first, second = find("When are invoices paid?").results
    assert ("30 days" in first.memory.content, first.until, second.until) == (True, None, None)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("new", "ends"),
    [
        ("Acme zahlt per Karte.", False),
        ("Acme zahlt per Karte seit Montag.", True),
        ("Acme zahlt jetzt per Karte.", True),
    ],
)
def test_who_says_in_german_that_it_is_new_ends_what_several_said(new: str, ends: bool) -> None:
    known("Acme zahlt per Rechnung", created_at=AT - timedelta(days=1), speakers=["agent:a", "agent:b"])
    known(new, created_at=AT)
    assert [one.until is not None for one in find("Wie zahlt Acme?").results] == [False, ends]


WEIGHTS = Weights()
ANY = Candidate(1, "m", 1, 0, "semantic", "", "", 0, None, None, 1.0, 50)
WORDS = [Word(1.0, 1.0), Word(0.5, 0.5)]
QUESTION = "Who is the doctor?"
PHYSICIAN, PLUMBER = "The physician comes at noon", "The plumber comes at noon"


def saying(text: str, passage: int, **facts: Any) -> Candidate:
    """A passage of a memory of its own, unless told."""
    return ANY._replace(**{"passage": passage, "memory": str(passage), "position": 1, "text": text, **facts})


def ranked(*pool: Candidate, question: str = QUESTION, weights: Weights = WEIGHTS) -> list[ScoredPassage]:
    return list(by_passage(Pool(list(pool), WORDS), question, weights))


def pieces(*pool: Candidate, question: str = QUESTION, weights: Weights = WEIGHTS) -> list[float]:
    """What each of these passages gets for its pieces, in the given order."""
    found = {one.candidate.passage: one.pieces for one in ranked(*pool, question=question, weights=weights)}
    return [found[row.passage] for row in pool]


def test_of_passages_that_are_equal_otherwise_the_one_that_says_physician_is_preferred_for_doctor() -> None:
    first, second = ranked(saying(PHYSICIAN, 1), saying(PLUMBER, 2))
    assert (first.candidate.text, second.candidate.text) == (PHYSICIAN, PLUMBER)


def test_a_passage_that_holds_all_of_the_question_gets_the_whole_weight() -> None:
    assert pieces(saying(QUESTION, 1)) == [pytest.approx(WEIGHTS.pieces, rel=1e-3)]


def test_without_a_weight_all_scores_are_as_they_were() -> None:
    pool = [saying(PHYSICIAN, 1), saying(PLUMBER, 2, matched=1)]
    without = replace(WEIGHTS, pieces=0)
    assert ranked(*pool, weights=without) == list(ranking.by_passage(pool, WORDS, QUESTION, without))


def test_what_is_said_beside_a_passage_counts_for_it_by_the_share_of_a_neighbour() -> None:
    told, beside, further = (saying(text, n, memory="m", position=n) for n, text in enumerate((PHYSICIAN, "", ""), 1))
    [own, near, far] = pieces(told, beside, further)
    assert near == pytest.approx(WEIGHTS.neighbours[0] * own)
    assert (own > 0, far) == (True, 0)


def test_where_neighbours_count_nothing_only_a_passage_itself_is_read() -> None:
    told, beside = saying(PHYSICIAN, 1, memory="m"), saying("", 2, memory="m", position=2)
    assert pieces(told, beside, weights=replace(WEIGHTS, neighbours=()))[1] == 0


def test_passages_behind_the_best_ones_are_not_read() -> None:
    best = [saying(PLUMBER, n, matched=1) for n in range(1, MOST_RERANKED + 1)]
    assert pieces(*best, saying(QUESTION, 100))[-1] == 0


def test_a_chinese_question_is_ranked_by_its_words_alone() -> None:
    assert pieces(saying("医生明天来", 1), question="医生什么时候来？") == [pytest.approx(0, abs=0.01)]


def test_the_rest_of_a_chinese_question_counts_by_its_share_of_it() -> None:
    pool = [saying(said, n) for n, said in enumerate(("doctor", PHYSICIAN, PLUMBER))]
    holds, fits, other = pieces(*pool, question="doctor什么时候")
    assert holds == pytest.approx(WEIGHTS.pieces * 6 / 10, rel=1e-3)
    assert holds > fits > other


def test_what_is_shared_gets_the_share_of_its_pieces_that_it_keeps_of_its_score() -> None:
    """Among ten of them, of which the asked scope has none that is as good."""
    crowd = [saying(QUESTION, n, matched=1, share=0.5) for n in range(1, 11)]
    own, *_, shared = pieces(saying(QUESTION, 99), *crowd)
    assert shared == pytest.approx(own * WEIGHTS.shared)


texts = st.sampled_from(["", PHYSICIAN, PLUMBER, QUESTION, "医生", "?", "doctor doctor"])
pools = st.lists(
    st.builds(
        ANY._replace,
        memory=st.sampled_from(["a", "b"]),
        position=st.integers(1, 4),
        part=st.integers(0, 1),
        matched=st.integers(0, 3),
        cosine=st.none() | st.floats(-1, 1),
        share=st.sampled_from([0.5, 1.0]),
        text=texts,
    ),
    max_size=12,
    unique_by=lambda row: (row.memory, row.position, row.part),
).map(lambda rows: [row._replace(passage=number) for number, row in enumerate(rows)])


@given(pools, texts)
def test_every_score_is_the_sum_of_its_parts_and_the_best_is_first(pool: list[Candidate], question: str) -> None:
    found = ranked(*pool, question=question)
    assert sorted(one.candidate.passage for one in found) == list(range(len(pool)))
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    for one in found:
        assert one.score == pytest.approx(one.words + one.neighbours + one.meaning + one.actor + one.pieces)
        assert -1e-9 <= one.pieces <= WEIGHTS.pieces * (1 + 1e-3)
