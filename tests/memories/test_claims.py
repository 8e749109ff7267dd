"""What holds for every statement; what two statements are to each other stands in test_claims_pairs."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.claims import Claim, Likeness, claim_of, compare, fingerprint, jaccard, kin, prefix, sealed
from tests.memories.test_claims_objects import OF_ANOTHER_OBJECT
from tests.memories.test_claims_pairs import PAIRS

SECRET = b"a secret of this installation"
SAID = (
    "Sarah Maria Acme slack email tea never not don't without over than instead of prefers is the contact 30 60 net-30 "
    "days $5 9am Friday January 15 , . before at least 不要 喜欢 张伟 是 联系人 三十天 周五 而不是 茶 咖啡"
)
statements = st.lists(st.sampled_from(SAID.split()), max_size=9).map(" ".join) | st.sampled_from(
    [text for pair in (*PAIRS, *OF_ANOTHER_OBJECT) for text in pair[:2]]
)
anything = (
    statements | st.text(max_size=80) | st.text(st.characters(), max_size=80)
)  # the last one with lone surrogates


@given(anything)
def test_a_text_makes_the_same_claim_as_itself(text: str) -> None:
    claim = claim_of(text)
    assert claim.tokens
    assert compare(claim, claim_of(text)) == compare(claim, claim, same_subject=True) == Likeness.SAME


@given(anything)
def test_outer_space_and_a_full_stop_change_nothing(text: str) -> None:
    claim = claim_of(text)
    if any(char.isalpha() for char in text):
        assert claim_of(f"  {text}\n") == claim


@given(anything, anything, st.booleans())
def test_likeness_is_mutual(one: str, other: str, same_subject: bool) -> None:
    a, b = claim_of(one), claim_of(other)
    assert compare(a, b, same_subject) == compare(b, a, same_subject)


@given(anything, anything)
def test_under_one_key_nothing_is_something_else(one: str, other: str) -> None:
    assert compare(claim_of(one), claim_of(other), same_subject=True) != Likeness.OTHER


@given(anything, anything, st.booleans())
def test_sealed_claims_compare_as_words_do(one: str, other: str, same_subject: bool) -> None:
    a, b = claim_of(one), claim_of(other)
    assert compare(sealed(a, SECRET), sealed(b, SECRET), same_subject) == compare(a, b, same_subject)


def test_all_pairs_of_the_table_hold_these_too() -> None:
    texts = [text for pair in (*PAIRS, *OF_ANOTHER_OBJECT) for text in pair[:2]]
    claims = [(claim_of(text), sealed(claim_of(text), SECRET)) for text in texts]
    near = [pair for step in range(12) for pair in zip(claims, claims[step:], strict=False)]
    for (a, sealed_a), (b, sealed_b) in near:
        likeness = compare(a, b)
        assert likeness == compare(b, a) == compare(sealed_a, sealed_b)
        _nominates(a, b, likeness)
        _nominates(sealed_a, sealed_b, likeness)


def _nominates(a: Claim, b: Claim, likeness: Likeness) -> None:
    if likeness == Likeness.SAME:
        assert b.tokens & set(prefix(a)), (a, b)
    if likeness != Likeness.OTHER:
        assert b.tokens & set(kin(a)), (a, b)


@given(anything, anything)
def test_a_prefix_misses_no_claim_that_is_the_same_and_kin_none_that_is_like_it(one: str, other: str) -> None:
    a, b = claim_of(one), claim_of(other)
    _nominates(a, b, compare(a, b))


tokens = st.frozensets(st.sampled_from("abcdefghijkl"), min_size=1)


@given(tokens, tokens, st.sampled_from([0.5, 0.6, 0.7, 0.9, 1.0]))
def test_sets_that_agree_enough_meet_in_the_prefix(one: frozenset[str], other: frozenset[str], least: float) -> None:
    found = prefix(Claim(one, frozenset()), least)
    assert 1 <= len(found) <= len(one)
    if jaccard(one, other) >= least:
        assert other & set(found)


def test_a_prefix_asks_for_few_tokens() -> None:
    assert len(prefix(Claim(frozenset("abcdefghij"), frozenset()))) == 4


def test_what_is_sealed_cannot_be_read_but_its_kinds_can() -> None:
    claim = sealed(claim_of("Sarah prefers Slack over email, 30 days, never on Fridays"), SECRET)
    said = " ".join(claim.tokens | claim.hard).casefold()
    assert not any(word in said for word in ("sarah", "slack", "email", "30", "friday", "prefer"))
    assert {hard.partition(":")[0] for hard in claim.hard} >= {"name", "order", "number", "unit", "negation", "date"}
    assert all(len(token) == 32 for token in claim.tokens)


def test_another_secret_seals_differently() -> None:
    claim = claim_of("Acme pays on net-30 terms")
    assert not sealed(claim, SECRET).tokens & sealed(claim, b"another").tokens


def test_a_fingerprint_is_of_the_claim_and_its_scope() -> None:
    claim = claim_of("pays on net-30 terms")
    assert fingerprint(claim, "acme") == fingerprint(claim_of("Pays net 30 terms!"), "acme")
    assert fingerprint(claim, "acme") != fingerprint(claim, "")
    assert fingerprint(claim, "acme") != fingerprint(claim_of("pays on net-60 terms"), "acme")


def test_a_fingerprint_is_the_same_with_and_without_the_object_of_a_verb() -> None:
    """What was stored before objects were read is still found by it."""
    claim = claim_of("Never send proposals on Fridays")
    assert "object:send>propos" in claim.hard
    assert fingerprint(claim, "") == fingerprint(Claim(claim.tokens, claim.hard - {"object:send>propos"}), "")


@pytest.mark.parametrize(
    ("one", "other"), [("the", "a"), ("👍", "👎"), ("never", "the"), ("", "..."), ("了", "的"), ("I am", "you are")]
)
def test_texts_without_content_are_not_all_the_same(one: str, other: str) -> None:
    assert claim_of(one).tokens != claim_of(other).tokens
    assert compare(claim_of(one), claim_of(other)) != Likeness.SAME


def test_two_empty_sets_share_nothing() -> None:
    assert jaccard(frozenset(), frozenset()) == 0


@pytest.mark.parametrize(
    ("text", "hard"),
    [
        ("thirty-five days", {"number:35", "unit:35 day"}),
        ("two hundred and a half", {"number:200"}),
        ("one of them", set()),
        ("1,200.50 EUR", {"number:1200.5", "unit:1200.5 eur"}),
        ("-5 degrees", {"number:-5"}),
        ("2-3 days", {"number:2", "number:3", "unit:3 day"}),
        ("within 10 business days", {"number:10", "unit:10 workday", "bound:most", "opening:within"}),
        ("you may march on", {"opening:march"}),
        ("01/15/2026", {"date:01-15", "year:2026"}),
        ("03/04/2026", {"date:03/04/2026"}),
        ("in March 2026", {"date:03-", "year:2026"}),
        ("9999999999999999999999999999999999999999999999", {"number:9999999999999999999999999999999999999999999999"}),
        ("二〇二六年三月五日", {"date:03-05", "year:2026"}),
        ("万一下雨", set()),
        ("一起吃饭", set()),
        ("非常特别", set()),
        ("每周一次", {"frequency:week", "number:1", "unit:1 times"}),
        ("每周一开会", {"date:monday"}),
        ("下午3点半", {"time:15:30"}),
        ("not only tea", {"opening:tea"}),
        ("do not disable it", set()),
        ("unable", {"negation:not"}),
        ("Dr. Smith", {"name:smith", "opening:dr"}),
        ("ask @bob_x", {"name:bob_x"}),
        ("\u0131nstead of tea", set()),
    ],
)
def test_what_must_not_differ(text: str, hard: set[str]) -> None:
    assert claim_of(text).hard == hard


def test_the_end_of_a_very_long_text_counts() -> None:
    start = "Acme pays on net-30 terms. " * 1_000
    one, other = claim_of(start + "Never on Fridays."), claim_of(start + "Always on Fridays.")
    assert compare(one, other) == Likeness.CHANGED
    assert compare(one, claim_of(start + "never on fridays. ")) == Likeness.SAME


HOSTILE = [
    "a", "a.", "1", "1,", "1,111", "1.", "a@", "@", "不", "一", "张伟是", "not ", "prefer a over b ", " ", "\n", "www.",
    "http://", "Ab ", "1-", "12/", "thirty ", "jan 1 ", "e\u0301", "a\u0315\u0300\u0315\u0300", "a'", "a'bc", "ก็",
    "a-b.", "\ufdfa", "三十", "than ", "1月", "$", "9:", "9点", "百分之", "👍", "from x to ",
    "no later than ", "\u0315\u0300",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_text_takes_no_long_time(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    start = process_time()
    claim_of(text)
    assert process_time() - start < 8  # quadratic ones take minutes
