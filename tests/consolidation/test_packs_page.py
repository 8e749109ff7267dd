"""The page on which a pack is put together: what was chosen stays chosen, and what is wrong is said."""

import pytest

from tests.make import make_memory, make_skill
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
HERE = "project:shop"


def test_some_hundred_chosen_ones_have_room_and_words_find_every_skill(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("consolidation.web.packs.MOST_CHOICES", 2)
    for name in ("book-flight", "charge-card", "refund-payment", "ship-box"):
        make_skill(name, scope=HERE)
    anna = signed_in()
    page = anna.get("/packs/", {"scope": HERE}).content.decode()
    assert 'value="ship-box"' not in page and page.count("The first 2: search to find the others.") == 1
    assert page.index('<form class="teach" method="post"') < page.index('name="skill"'), "an address has room for few"
    chosen = {"scope": HERE, "q": "ship-box", "skill": ["refund-payment"]}
    page = anna.post("/packs/", chosen).content.decode()
    assert 'value="ship-box" >' in page and 'value="refund-payment" checked>' in page and "charge-card" not in page


def test_what_is_believed_no_longer_is_said_although_nothing_else_was_chosen() -> None:
    memory = make_memory("Acme pays on net-30 terms", scope=HERE, status="dismissed")
    answer = signed_in().post("/packs/download/", {"scope": HERE, "memory": str(memory.pk), "name": "refunds"})
    page = answer.content.decode()
    assert answer.status_code == 400
    assert "is no longer believed or published" in page and str(memory.pk) not in page
