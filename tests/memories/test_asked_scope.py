"""What lies in the asked scope comes before what is shared by all; that stays findable."""

from typing import Any

import pytest

from memories.search import search
from memories.search.request import check
from memories.values.trust import everything
from tests.make import AT
from tests.memories.searched import known

pytestmark = pytest.mark.django_db
SHOP = "project:shop"


def contents(query: str, *scopes: str, limit: int = 3) -> list[str]:
    asked = check({"query": query, "scopes": list(scopes), "limit": limit})
    return [result.memory.content for result in search(asked, trust=everything(), at=AT).results]


def test_a_crowd_of_equal_shared_claims_does_not_push_that_of_the_asked_scope_out(settings: Any) -> None:
    own = known("Parcels of Globex go by ship", scope=SHOP)
    for _ in range(120):
        known("Parcels of Globex go by ship", scope="")
    asked = check({"query": "parcels of Globex by ship", "scopes": [SHOP], "limit": 3})
    found = [result.memory.pk for result in search(asked, trust=everything(), at=AT).results]
    assert found[0] == own.pk
    settings.SEARCH_WEIGHTS = {**settings.SEARCH_WEIGHTS, "shared": 1.0}
    alike = [result.memory.pk for result in search(asked, trust=everything(), at=AT).results]
    assert own.pk not in alike  # later ones come first where all count alike


def test_what_no_scope_has_is_found_where_the_asked_scope_has_nothing_like_it() -> None:
    known("Refunds need the approval of finance", scope="")
    for n in range(20):
        known(f"Shelf {n} holds screws", scope=SHOP)
    assert contents("Who approves refunds?", SHOP)[0] == "Refunds need the approval of finance"


def test_a_shared_answer_comes_before_a_crowd_that_says_some_of_the_words() -> None:
    answer = "Refunds of broken parcels over 500 euros need the approval of finance"
    for scope in (SHOP, ""):
        for n in range(30):
            known(f"Finance refunds broken shelf number {n}", scope=scope)
    known(answer, scope="")
    assert contents("approval of finance for refunds of broken parcels over 500 euros", SHOP)[0] == answer


def test_without_a_scope_asked_all_rows_count_alike(settings: Any) -> None:
    known("Parcels of Globex go by ship", scope=SHOP)
    known("Parcels of Globex go by ship and train", scope="")
    shares = []
    for shared in (0.0, 1.0):
        settings.SEARCH_WEIGHTS = {**settings.SEARCH_WEIGHTS, "shared": shared}
        shares.append(contents("parcels by ship and train"))
    assert shares[0] == shares[1]
