"""Lists and counts of many rows start at an index: their plans read no table whole, and sort no more than a page."""

from datetime import timedelta
from itertools import product
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.models import Episode, Event, Memory, PersonLimits
from memories.models.passage import with_words
from memories.people import trust_of
from memories.search import check, find, table_statistics
from memories.search.table_statistics import TableStatistics
from memories.values import keyset
from memories.values.choices import Category, Status, Type
from memories.values.trust import everything
from memories.web.memory_list import FILTERS, MemoryList
from memos_site import review
from memos_site.templatetags.page import waiting_count
from tests.deciding import propose
from tests.make import AT, answer, call, caller, make_memory, make_person, make_run
from tests.pages import signed_in
from tests.plans import copies, count_rows, new_tables, plan_of, plan_of_sql, reads_all
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
TRUST = everything()
LIMITS: list[dict[str, Any]] = [{"pinned": True}, {"min_salience": 0.3}, {"max_age": 1.0}, {"salience": 0.0}]


@pytest.fixture(autouse=True)
def nothing_left(request: pytest.FixtureRequest, db: None) -> None:
    if "many_rows" not in request.fixturenames:
        new_tables(Memory, Episode, Event)


@shared_rows
def many_rows() -> None:
    """Memories of each type, and runs with their tool calls."""
    new_tables(Memory, Episode, Event)
    kinds = [(Type.PLAN_GRAPH, None), (Type.SEMANTIC, Category.CONTACT), (Type.SEMANTIC, Category.FACT)]
    numbers = {Status.CANDIDATE: 5, Status.CONFIRMED: 60, Status.RETRACTED: 30}  # few wait
    for (type, category), status in product(kinds, numbers):
        copies(make_memory(type=type, category=category, status=status), numbers[status])
    for number in range(20):
        make_run(scope="project:many", external_id=f"run-{number}", messages=[call(f"tool-{number}"), answer("ok")])
    count_rows(Memory, Episode, Event)


def statements(queries: CaptureQueriesContext) -> list[str]:
    return [query["sql"] for query in queries.captured_queries if "memories_memory" in query["sql"]]


@pytest.mark.usefixtures("many_rows")
@pytest.mark.parametrize("sort", list(review.ORDERS))
def test_claims_that_wait_are_read_in_the_order_of_an_index(sort: str) -> None:
    part = review.waiting_parts(TRUST, at=AT)[Type.SEMANTIC]
    newer = AT + timedelta(days=1)  # and surer than any: where few rows follow, every index is as good
    last = {"-weight": 0.0, "-support_count": 1, "-confidence": 101, "-created_at": newer, "-id": uuid4()}
    order = review.ORDERS[sort]
    for after in (None, [last[name] for name in order]):
        plan = plan_of(keyset.Part(part).after(order, after)[:21])
        assert "Index Scan using memory_waiting" in plan
        assert "Sort" not in plan
        assert after is None or "ROW(" in plan[plan.index("Index Cond") :]


def test_the_count_of_what_waits_reads_no_table_whole() -> None:
    make_memory(status=Status.CONFIRMED)
    count_rows(Memory)
    person = make_person("anna", group="reviewer")
    with CaptureQueriesContext(connection) as queries:
        assert waiting_count(person) == "0"
    [counted] = statements(queries)
    assert reads_all(plan_of_sql(counted.replace("%", "%%"))) == []


@pytest.mark.usefixtures("many_rows")
def test_claims_that_wait_are_counted_from_their_index_alone() -> None:
    person = make_person("anna", group="reviewer")
    with CaptureQueriesContext(connection) as queries:
        waiting_count(person)
    [counted] = statements(queries)
    assert "Index Only Scan using memory_waiting_claims" in plan_of_sql(counted.replace("%", "%%"))


def test_what_waits_in_some_scopes_is_counted_by_the_index_of_scopes_however_much_waits_elsewhere() -> None:
    for scope, waiting, confirmed in (("elsewhere", 300, 900), ("shop", 3, 300)):
        copies(make_memory(scope=scope), waiting)
        copies(make_memory(scope=scope, status=Status.CONFIRMED), confirmed)
    count_rows(Memory)
    person = make_person("anna", group="reviewer")
    PersonLimits.objects.create(user=person, scopes=["shop", "support"])
    with CaptureQueriesContext(connection) as queries:
        assert waiting_count(person) == "4"
    [counted] = statements(queries)
    plan = plan_of_sql(counted.replace("%", "%%"))
    assert ("memory_waiting_in_scope" in plan, "memory_waiting_claims" in plan) == (True, False)


def test_where_claims_alone_are_enough_the_count_of_what_waits_reads_nothing_else() -> None:
    claim = make_memory()
    copies(claim, 20)
    propose(claim)
    count_rows(Memory)
    person = make_person("anna", group="reviewer")
    with CaptureQueriesContext(connection) as queries:
        assert review.waiting_count(trust_of(person), at=AT, most=20) == 21
    [counted] = statements(queries)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING off) {counted}")
        plan = [line for (line,) in cursor.fetchall()]
    [proposals] = [line for line in plan if "on memories_proposal" in line]
    assert "never executed" in proposals


def test_the_inbox_reads_no_table_whole() -> None:
    make_memory()
    count_rows(Memory)
    client = caller(permissions=["read", "review"])
    with CaptureQueriesContext(connection) as queries:
        client.get("/api/v1/inbox")
    for sql in statements(queries):
        if sql.startswith("SELECT"):
            assert reads_all(plan_of_sql(sql.replace("%", "%%"))) == []


def test_memories_that_say_a_word_are_found_by_indexes_of_words_and_keys() -> None:
    for number in range(60):
        make_memory(key=f"key-{number}")
    count_rows(Memory)
    plan = plan_of(with_words(Memory.objects.knowledge(), "invoice"))
    assert reads_all(plan) == []
    assert "memory_by_words_of_key" in plan


def test_memories_named_by_words_in_their_keys_are_found_by_the_index_of_keys_whatever_the_order_of_the_list() -> None:
    for number in range(60):
        make_memory(key=f"key-{number}")
    count_rows(Memory)
    plan = plan_of(
        MemoryList(TRUST, AT, AT, dict.fromkeys(FILTERS, ""), words="antidisestablishment").rows_by_key()[:20]
    )
    assert "memory_by_words_of_key" in plan


@pytest.mark.usefixtures("many_rows")
@pytest.mark.parametrize("sign", ["", "-"])
def test_a_list_by_salience_reads_the_first_rows_of_each_half_life(sign: str) -> None:
    make_memory()
    make_memory(half_life=60.0)
    parts = Memory.objects.visible_to(TRUST).current(AT).in_salience_order(AT).parts_by_salience(AT)
    assert parts is not None
    limited, *free = parts
    order = (f"{sign}salience_order", f"{sign}id")
    assert reads_all(plan_of(limited.after(order, None)[:51])) == []
    assert len(free) == 2
    for part in free:
        for values in (None, [-1.5, make_memory().pk]):
            plan = plan_of(part.after(order, values)[:51])
            assert "memory_by_salience" in plan
            assert "Sort" not in plan


@pytest.mark.usefixtures("many_rows")
def test_what_a_search_without_a_question_answers_is_read_in_the_order_of_salience() -> None:
    for type in (Type.SEMANTIC, Type.EPISODIC):
        make_memory(type=type)
        make_memory(type=type, half_life=60.0)
        make_memory(type=type, pinned=True)
    rows = Memory.objects.visible_to(TRUST).current(AT)
    plan = plan_of(rows.most_salient(AT, 10, by_parts=[False, True]))
    assert reads_all(plan) == []
    assert [plan.count(name) for name in ("memory_by_salience", "memory_salient_episode")] == [2, 2]


def test_a_search_without_a_question_sorts_a_small_scope_and_reads_a_large_store_by_salience(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_memory(scope="project:shop")
    known = TableStatistics(passages=1_000_000.0, scopes={"project:shop": 0.005}, other_scope=0.001)
    monkeypatch.setattr(table_statistics, "current_statistics", lambda: known)
    by_index = []
    for asked in ({"scopes": ["project:shop"]}, {}, {"source": "billing"}):
        with CaptureQueriesContext(connection) as queries:
            find(check(asked), trust=TRUST, at=AT)
        by_index.append(any("UNION ALL" in sql for sql in statements(queries)))
    assert by_index == [False, True, False]


def test_by_parts_and_by_all_rows_the_same_are_most_salient() -> None:
    for n in range(24):
        facts: dict[str, Any] = {"type": Type.EPISODIC} if n % 3 else {}
        facts |= LIMITS[n % 5] if n % 5 < 2 else {}
        age = timedelta(days=n % 4)
        make_memory(half_life=86_400.0 * (1 + n % 2), salience_at=AT - age, **{"salience": 0.5 + n / 50} | facts)
    rows = Memory.objects.visible_to(TRUST)
    for kinds in ([False, True], [True], [False]):
        alike = rows.filter(type__in=[Type.EPISODIC] * (True in kinds) + [Type.SEMANTIC] * (False in kinds))
        assert list(alike.most_salient(AT, 9, by_parts=kinds)) == list(alike.most_salient(AT, 9))


def listed(ordering: str, limit: int) -> list[str]:
    """The contents of all pages of the list."""
    client, path, contents = caller(permissions=["read"]), f"/api/v1/memories?ordering={ordering}&limit={limit}", []
    while path:
        page: Any = client.get(path).json()
        contents += [row["content"] for row in page["results"]]
        path = page["next"]
    return contents


def test_pages_by_salience_hold_every_memory_once_in_the_order_of_now() -> None:
    for n, (half_life, age) in enumerate([(30.0, 9), (30.0, 0), (7.0, 3), (1.0, 2), (7.0, 3), (30.0, 40)]):
        at = AT - timedelta(days=age)
        make_memory(f"plain {n}", half_life=half_life * 86_400, salience_at=at, status=Status.CONFIRMED)
    for n, facts in enumerate(LIMITS):
        make_memory(f"limited {n}", salience_at=AT, status=Status.APPLIED, **facts)
    now = timezone.now()
    salience = {row.content: row.salience_on(now) for row in Memory.objects.all()}
    for limit in (3, 200):
        falling, rising = listed("-salience", limit), listed("salience", limit)
        assert sorted(falling) == sorted(salience)
        assert falling == rising[::-1]
        assert [salience[content] for content in falling] == sorted(salience.values(), reverse=True)


def test_the_count_of_a_kind_ends_at_the_number_asked_for() -> None:
    for n in range(4):
        make_memory(f"claim {n}")
    assert review.kinds(TRUST, at=AT) == {"semantic": 4}
    assert review.kinds(TRUST, at=AT, most=2) == {"semantic": 3}
    assert review.waiting_count(TRUST, at=AT, most=2) == 3


@pytest.mark.usefixtures("many_rows")
@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("", "memory_newest"),  # of known ones, or of all where few are episodes
        ("?status=retracted", "memory_newest_by_status"),
        ("?category=contact", "memory_newest_by_category"),
        ("?sort=surest", "memory_surest_known"),
        ("?sort=doubtful", "memory_surest_known"),
        ("?type=plan_graph", "memory_newest_by_type"),
        ("?group=category", "memory_newest_by_category"),
    ],
)
def test_the_list_of_memories_with_its_facets_reads_the_first_rows_of_an_index(query: str, index: str) -> None:
    client = signed_in()
    with CaptureQueriesContext(connection) as queries:
        assert client.get(f"/memories/{query}").status_code == 200
    lists = [sql for sql in statements(queries) if "memories_proposal" not in sql]  # without the count of the inbox
    plans = [plan_of_sql(sql.replace("%", "%%")) for sql in lists]
    assert [reads_all(plan) for plan in plans] == [[]] * len(plans)
    assert any(index in plan for plan in plans)


@pytest.mark.usefixtures("many_rows")
@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("", "memory_newest_by_type"),
        ("?thread_id=t-1", '"memories_memory"."thread_id" ='),
        ("?source=P01", '"memories_memory"."source" ='),
        ("?tool=search", "event_by_tool"),
        ("?outcome=failure", "episode_by_outcome"),
    ],
)
def test_the_list_of_episodes_with_its_facets_reads_rows_by_indexes(query: str, part: str) -> None:
    client = signed_in()
    with CaptureQueriesContext(connection) as queries:
        assert client.get(f"/episodes/{query}").status_code == 200
    lists = [sql for sql in statements(queries) if "memories_proposal" not in sql]
    plans = [plan_of_sql(sql.replace("%", "%%")) for sql in lists]
    tables = ("memories_memory", "memories_episode", "memories_event")
    assert [reads_all(plan, *tables) for plan in plans] == [[]] * len(plans)
    assert any(part in text for text in (*plans, *lists)), "the table whose index serves"
