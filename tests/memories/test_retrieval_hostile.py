"""Whatever is asked is answered: no text is an error, and none is read as an operator."""

from collections.abc import Callable, Iterator

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories.search import table_statistics
from memories.search.lexemes import MOST_WORDS_OF_LONG
from memories.values.trust import Trust
from tests.make import ANNA, make_agent
from tests.memories.searched import find, known, talk

pytestmark = pytest.mark.django_db


@pytest.fixture
def analysed() -> Iterator[Callable[[], None]]:
    """Gives the planner, and so the searches of this test, the statistics of what is stored by then."""

    def analyse() -> None:
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE memories_passage")
        table_statistics.cache.drop()

    yield analyse
    table_statistics.cache.drop()


@pytest.mark.parametrize(
    "query",
    [
        'O\'Reilly & Sons | !x :* <-> (a) \\ "quoted" -minus',
        "'; DROP TABLE memories_memory; --",
        "%s %(x)s %%",
        "the of and",
        "😀 🎉",
        "\t\n",
        "a" * 10_000,
        " ".join(f"word{n}" for n in range(1_500)),
        "日本語 と english mixed 中文",
        "\ud7ff \uffff \u202e",
        "{}[]:,",
        "''''''",
        "\\\\\\'\\",
    ],
)
def test_whatever_is_asked_is_answered(query: str) -> None:
    known("Acme pays on net-30 terms")
    talk("Anna: hello", "Ben: bye")
    assert find(query, unit="passage").degraded == ()
    assert find(query).degraded == ()


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=200))
def test_no_text_is_an_error(query: str) -> None:
    known(query.strip() or "nothing")
    found = find(query, unit="passage")
    assert all(0 <= result.score <= 1.7 + 1e-3 for result in found.results if query.strip())


def test_where_every_memory_has_a_scope_of_its_own_the_statistics_name_none(analysed: Callable[[], None]) -> None:
    """PostgreSQL lists the frequent values of a column; where none is, it has statistics without a list."""
    for number in range(20):
        known(f"The lamp {number}", scope=f"user:{number}")
    analysed()
    assert len(find("lamp", limit=50).results) == 20


def test_a_long_question_says_nothing_of_what_is_frequent_out_of_sight(analysed: Callable[[], None]) -> None:
    """Of many words some are left out: which, must not depend on rows that the caller may not see."""
    known(" ".join(["The extraordinary lamp", *(f"word{n:02}" for n in range(40))]), scope="project:a")
    agent = Trust(ANNA, max_sensitivity=2, scopes=frozenset({"project:a"}))
    question = " ".join(["extraordinary", *(f"word{n:02}" for n in range(80))])

    def words() -> float:
        analysed()
        [result] = find(question, by=agent).results
        return result.parts["words"]

    before = words()
    for number in range(20):
        known(f"The extraordinary secret {number}", scope="project:b")
    assert words() == before > 0


def test_as_many_words_as_a_question_keeps_have_a_bit_each() -> None:
    kept = [f"word{n:03}" for n in range(MOST_WORDS_OF_LONG)]
    for word in (kept[0], kept[-1]):
        known(f"The {word} lamp")
    found = find(" ".join(kept), explain=True).results
    assert found[0].parts["words"] == pytest.approx(found[1].parts["words"])
    assert found[0].parts["words"] > 0
    assert {result.words_matched for result in found} == {1}


def test_of_a_long_question_the_words_are_searched_that_the_caller_can_find() -> None:
    """Also where longer words stand in rows of another scope, which tell nothing here."""
    known("The kiwi lamp", scope="project:a")
    strange = [f"extraordinarily{n:04}" for n in range(MOST_WORDS_OF_LONG + 10)]
    known(" ".join(strange), scope="project:b")
    agent = make_agent(scopes=["project:a"])[0].trust
    [result] = find(" ".join([*strange, "kiwi"]), by=agent).results
    assert (result.memory.content, result.words_matched) == ("The kiwi lamp", 1)
