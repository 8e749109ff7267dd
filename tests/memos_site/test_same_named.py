"""Skills of one name that wait in several scopes are one group of the queue."""

import pytest

from memories.values.choices import ActorKind, Sensitivity
from memories.values.trust import Actor, Trust, everything
from memos_site import review
from memos_site.web.inbox_page import page_of_waiting
from memos_site.web.inbox_rows import filters_of, order_of
from tests.make import AT, make_memory, make_skill
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
SCOPES = ("project:a", "project:b", "project:c")
TRUST = everything()


def names(trust: Trust = TRUST, *, limit: int = 20, **query: str) -> list[list[str]]:
    """The rows of each page by scope, or by what they say where they have none."""
    filters, order = filters_of(query), order_of(query.get("kind", ""), query.get("sort", ""))
    pages, cursor = [], None
    while True:
        page = page_of_waiting(trust, filters, order, limit=limit, at=AT, cursor=cursor)
        pages.append([row.scope or row.content for row in page.rows])
        if page.next is None:
            return pages
        cursor = page.next


def test_the_rows_of_a_name_stand_below_the_first_of_them_and_nowhere_else() -> None:
    for scope, confidence in zip(SCOPES, (90, 40, 60), strict=True):
        make_skill(published=False, scope=scope, confidence=confidence)
    make_skill("send-letter", published=False, scope="project:other", confidence=50)
    make_memory("Acme pays late", confidence=70)
    together = ["project:a", "project:c", "project:b"]
    assert names(sort="surest") == [[*together, "Acme pays late", "project:other"]]
    assert names(sort="surest", limit=2) == [[*together, "Acme pays late"], ["project:other"], []]
    assert names(sort="surest", scope="project:b") == [["project:b"]], "a filter leaves the others out"


def test_a_scope_that_the_reader_does_not_see_is_in_no_group() -> None:
    for scope in SCOPES:
        make_skill(published=False, scope=scope)
    reader = Trust(Actor(ActorKind.PERSON, "p"), Sensitivity.HYPER, frozenset(SCOPES[:2]))
    [page] = names(reader)
    assert sorted(page) == list(SCOPES[:2])
    assert review.kinds(reader, at=AT) == {"competence": 2}


def test_the_page_says_in_how_many_scopes_a_skill_waits_and_selects_them() -> None:
    for scope in SCOPES:
        make_skill(published=False, scope=scope)
    make_skill("send-letter", published=False)
    page = " ".join(signed_in().get("/").content.decode().split())
    assert page.count("The same skill waits in 3 scopes") == 1
    assert page.count('class="row member"') == 2
    assert page.count('data-group="book-flight"') == 3
