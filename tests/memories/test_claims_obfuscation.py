"""What is written in other letters, encoded, spaced or joined is the same claim; what only looks like that is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.claims import Likeness, claim_of, compare, fingerprint, kin, sealed
from memories.claims.claim import as_lists, from_lists, sealed_tokens
from memories.claims.leet import MARK
from memories.claims.marks import identifiers
from memories.claims.obfuscation import deobfuscated
from tests.disguises import ANY_LANGUAGE, CHINESE, ENGLISH
from tests.memories.test_claims_pairs import PAIRS

SECRET = b"a secret of this installation"
PLAIN = [
    "Never send proposals on Fridays",
    "Acme pays on net-30 terms",
    "Sarah prefers Slack over email",
    "The staging database may be dropped without asking",
    "Globex orders 5 pallets every Monday",
    "Refunds above $500 need a manager",
]
PLAIN_CHINESE = ["不要在周五发送提案", "联系人是张伟", "该银行账户的付款期限为三十天", "退款超过五百元需要经理审批"]
words = st.sampled_from(
    ["Acme", "Sarah", "pays", "sends", "never", "always", "contract", "invoice", "manager", "delivery"]
)
statements = st.lists(words, min_size=3, max_size=8).map(" ".join)
OTHER_CLAIMS = [  # codes, names and signs that look like disguises
    ("Acme pays on net-30 terms", "Acme pays on net-60 terms"),
    ("The order A1B2C3 was shipped to Rome", "The order A1B3C3 was shipped to Rome"),
    ("Ticket P01 is open since Monday", "Ticket P07 is open since Monday"),
    ("The service runs neo4j in production", "The service runs log4j in production"),
    ("The service runs on s3 in production", "The service runs on h4 in production"),
    ("This shop sells b2b to partners", "This shop sells b2c to partners"),
    ("Use v1beta1 of the interface here", "Use v1beta3 of the interface here"),
    ("We deploy release 1.23 on Friday", "We deploy release 12.3 on Friday"),
    ("The discount for partners is 3.5%", "The discount for partners is 35%"),
    ("The limit is -5 degrees outside", "The limit is 5 degrees outside"),
    ("class SwallowOneToOneField is tested here", "class SwallowField is tested here"),
    ("Point3D is used for the sphere", "Point is used for the sphere"),
    ('Read <a href="https://a.com/x">the docs</a>', 'Read <a href="https://a.com/y">the docs</a>'),
    ("Sarah manages Maria at Acme", "Sarah manages Mario at Acme"),
    ("The key of the door is 4471002938", "The key of the door is 4471002939"),
    ("Reply to root@web1 only", "Reply to root@web3 only"),
    ("联系人是张伟", "联系人是章伟"),
    ("付款期限为叁拾天", "付款期限为陆拾天"),
]


@pytest.mark.parametrize("disguise", [*ENGLISH, *ANY_LANGUAGE])
@pytest.mark.parametrize("text", PLAIN)
def test_a_disguise_changes_nothing(text: str, disguise: str) -> None:
    worn = (ENGLISH | ANY_LANGUAGE)[disguise](text)
    assert compare(claim_of(text), claim_of(worn)) == Likeness.SAME, worn


@pytest.mark.parametrize("disguise", [*CHINESE, *ANY_LANGUAGE])
@pytest.mark.parametrize("text", PLAIN_CHINESE)
def test_nor_does_one_of_chinese(text: str, disguise: str) -> None:
    worn = (CHINESE | ANY_LANGUAGE)[disguise](text)
    assert compare(claim_of(text), claim_of(worn)) == Likeness.SAME, worn


@pytest.mark.parametrize(
    ("written", "plain"), [("de1ete", "delete"), ("f1rst", "first"), ("ema1l", "email"), ("1nva1id", "invalid")]
)
def test_a_one_is_the_letter_that_fits(written: str, plain: str) -> None:
    assert deobfuscated(f"p4yments are {written}") == f"{MARK}payments are {MARK}{plain}"


HEAVY = str.maketrans("aeiostlg", "43105719")


@pytest.mark.parametrize(
    "text", ["The Belcast warehouse refuses pallets after 4 pm", "Never send proposals on Fridays"]
)
def test_digits_for_letters_throughout_are_read_as_letters(text: str) -> None:
    assert compare(claim_of(text), claim_of(text.translate(HEAVY))) == Likeness.SAME


def test_a_text_with_codes_is_not_written_so() -> None:
    codes = "SHA a1b2c3d4 e5f6a7b8 c9d0e1f2 is on web1, db2 and app3"
    assert MARK not in deobfuscated(codes)


@given(statements, st.sampled_from([*ENGLISH, *ANY_LANGUAGE]))
def test_no_statement_is_another_in_disguise(text: str, disguise: str) -> None:
    worn = (ENGLISH | ANY_LANGUAGE)[disguise](text)
    assert compare(claim_of(text), claim_of(worn)) == Likeness.SAME, worn


@given(statements | st.sampled_from(PLAIN + PLAIN_CHINESE), st.sampled_from([*ENGLISH, *ANY_LANGUAGE, *CHINESE]))
def test_what_was_deobfuscated_stays_as_it_is(text: str, disguise: str) -> None:
    plain = deobfuscated((ENGLISH | ANY_LANGUAGE | CHINESE)[disguise](text)).replace(MARK, "")
    assert deobfuscated(plain).replace(MARK, "") == plain


@pytest.mark.parametrize(("one", "other"), OTHER_CLAIMS)
def test_codes_names_and_signs_stay_apart(one: str, other: str) -> None:
    assert compare(claim_of(one), claim_of(other)) != Likeness.SAME


@pytest.mark.parametrize("text", sorted({text for pair in PAIRS for text in pair[:2]}))
def test_plain_text_is_read_as_before(text: str) -> None:
    assert claim_of(text) == claim_of(text, 4)
    assert fingerprint(claim_of(text), "") == fingerprint(claim_of(text, 4), "")


@given(statements | st.sampled_from(PLAIN + PLAIN_CHINESE), st.sampled_from([*ENGLISH, *ANY_LANGUAGE]))
def test_a_sealed_claim_in_lists_is_found_by_its_disguise(text: str, disguise: str) -> None:
    stored = from_lists(*as_lists(sealed(claim_of(text), SECRET)))
    worn = sealed(claim_of((ENGLISH | ANY_LANGUAGE)[disguise](text)), SECRET)
    assert (stored, stored.marks) == (sealed(claim_of(text), SECRET), sealed(claim_of(text), SECRET).marks)
    assert set(kin(worn)) & set(as_lists(stored)[0])
    assert sealed_tokens(claim_of(text), SECRET) == set(as_lists(stored)[0])
    assert compare(stored, worn) == compare(claim_of(text), claim_of((ENGLISH | ANY_LANGUAGE)[disguise](text)))


@pytest.mark.parametrize(
    ("text", "rare"),
    [
        ("The IBAN of Acme is DE89 3704 0044 0532 0130 00.", {"de89370400440532013000"}),
        ("Card 4111-1111-1111-1111", {"4111111111111111"}),
        ("Write to Sales@Acme.com, or see https://www.acme.com/x/", {"sales@acme.com", "acme.com/x"}),
        ("Order 4512 belongs to ORD-77310", {"4512", "ord77310"}),
        ("账号6222021234567890123", {"6222021234567890123"}),
        ("Net-30 since 2019-2024, 40,000 dollars, 10000 users, v1.2.3 on 2026-01-15 in order 2024", set()),
    ],
)
def test_rare_identifiers(text: str, rare: set[str]) -> None:
    assert identifiers(deobfuscated(text)) == rare
