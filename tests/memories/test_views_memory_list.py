"""The list of memories: facets with counts, search, order, columns, groups, and files of what is shown."""

import csv
import io
import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memories.models import PersonLimits
from memories.models.passage import of_memories, write
from memories.values.choices import Category, Status, Type
from memories.web import memory_list, memory_table
from memories.web.exports import safe_cell
from tests.make import AT, bytes_of, make_memory, make_person, make_skill
from tests.pages import signed_in

pytestmark = pytest.mark.django_db


def facet_counts(page: str) -> dict[str, str]:
    """The values of all facets with their counts."""
    links = re.findall(r'<a href="\?[^"]*" rel="nofollow"[^>]*>(.*?)</a>', page, re.DOTALL)
    words = [re.sub(r"<[^>]*>", " ", link).split() for link in links]
    return {" ".join(told[:-1]): told[-1] for told in words}


def listed(client: Client, **query: Any) -> list[str]:
    """The contents of the rows that are shown."""
    page = re.sub("</?mark>", "", client.get("/memories/", query).content.decode())
    return [" ".join(name.split()) for name in re.findall(r'data-does="open"[^>]*>([^<]*)</a>', page)]


def exported(client: Client, **query: Any) -> list[dict[str, str]]:
    text = bytes_of(client.get("/memories/export.csv", query)).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_facets_say_how_many_rows_each_value_leaves() -> None:
    make_memory("one", scope="project:a", tags=["billing"])
    make_memory("two", scope="project:b", status=Status.CONFIRMED, category=Category.FACT, tags=["billing", "eu"])
    make_memory("three", scope="project:b", category=Category.PATTERN, company_id="Acme")
    make_memory("four", scope="project:b", company_id="Globex")
    counts = facet_counts(signed_in().get("/memories/").content.decode())
    expected = {"candidate": "3", "confirmed": "1", "fact": "1", "pattern": "1", "project:a": "1", "project:b": "3"}
    assert counts == expected | {"billing": "2", "eu": "1", "Acme": "1", "Globex": "1"}


def test_a_chosen_facet_counts_what_its_other_values_would_leave() -> None:
    for n in range(3):
        make_memory(f"of a {n}", scope="project:a")
    make_memory("of b", scope="project:b", status=Status.APPLIED)
    page = signed_in().get("/memories/", {"scope": "project:b"}).content.decode()
    counts = facet_counts(page)
    assert counts["project:a"] == "3"
    assert "candidate" not in counts
    assert 'href="?" rel="nofollow" aria-current="true"' in page, "the chosen one leads to the list without it"


def test_counts_end_at_a_number_of_rows_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_table, "MOST_COUNTED", 3)
    for n in range(5):
        make_memory(f"claim {n}", scope=f"project:{n % 2}", created_at=AT + timedelta(hours=n))
    page = signed_in().get("/memories/").content.decode()
    assert sum(int(n) for name, n in facet_counts(page).items() if name.startswith("project:")) == 3
    assert "The counts are of the newest" in page


@pytest.mark.parametrize("first", ["limited", "anna"])
def test_each_reader_is_shown_and_counted_what_it_may_see_whoever_asked_first(first: str) -> None:
    PersonLimits.objects.create(user=make_person("limited"), scopes=["project:a"])
    make_person("anna")
    make_memory("of a", scope="project:a", category=Category.FACT)
    make_memory("of b", scope="project:b", category=Category.FACT)
    clients = {name: Client() for name in ("limited", "anna")}
    for name, client in clients.items():
        client.force_login(User.objects.get(username=name))
    seen = {"limited": ["of a"], "anna": ["of b", "of a"]}
    for name in (first, *seen):
        assert sorted(listed(clients[name])) == sorted(seen[name]), name
        assert listed(clients[name], scope="project:b") == [row for row in seen[name] if row == "of b"], name
        page = clients[name].get("/memories/").content.decode()
        assert page.count('<span class="count">1</span>') == (2 if name == "anna" else 0), "one of each scope"
    PersonLimits.objects.update(scopes=["project:b"])
    make_memory("of b too", scope="project:b")
    assert sorted(listed(clients["limited"])) == ["of b", "of b too"]


def make_searchable(content: str, **facts: Any) -> None:
    """A memory with its passages."""
    write(of_memories([make_memory(content, **facts)]))


def test_the_search_finds_by_meaning_and_within_the_chosen_facets() -> None:
    make_searchable("Invoices are settled within thirty days", scope="project:a")
    make_searchable("The office plants are watered on Mondays", scope="project:a")
    make_searchable("Invoices of Globex are settled at once")
    client = signed_in()
    found = listed(client, q="when is a bill paid, how are invoices settled?", scope="project:a")
    assert found == ["Invoices are settled within thirty days"]


@pytest.mark.parametrize("chosen", [{"scope": "project:a"}, {"review": "person"}])
def test_the_best_of_what_the_facets_leave_is_found_however_much_else_matches(
    chosen: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_list, "MOST_HITS", 2)
    for number in range(3):
        make_searchable(f"Invoices are settled within thirty days {number}")
    make_searchable("Globex has invoices", scope="project:a", hold="floor")
    assert listed(signed_in(), q="invoices settled within thirty days", **chosen) == ["Globex has invoices"]


def test_what_is_found_is_sorted_as_asked_else_by_how_well_it_matches() -> None:
    make_searchable("A long remark about the weather that names an invoice", confidence=90)
    make_searchable("Invoice", confidence=10)
    client = signed_in()
    assert listed(client, q="invoice")[0] == "Invoice"
    assert listed(client, q="invoice", sort="surest")[0].startswith("A long remark")


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("", ["new", "middle", "old"]),
        ("oldest", ["old", "middle", "new"]),
        ("surest", ["middle", "old", "new"]),
        ("doubtful", ["new", "old", "middle"]),
        ("salient", ["old", "new", "middle"]),
        ("fading", ["middle", "new", "old"]),
        ("banana", ["new", "middle", "old"]),
    ],
)
def test_the_list_and_its_file_have_the_same_order(sort: str, expected: list[str]) -> None:
    for n, (content, confidence, salience) in enumerate([("old", 50, 0.9), ("middle", 80, 0.2), ("new", 20, 0.5)]):
        made = AT + timedelta(days=n)
        make_memory(content, created_at=made, confidence=confidence, salience=salience, salience_at=AT)
    client = signed_in()
    assert listed(client, sort=sort) == expected
    assert [row["content"] for row in exported(client, sort=sort)] == expected


def test_pages_by_salience_go_on_where_the_last_one_ended() -> None:
    for n in range(60):
        make_memory(f"claim {n}", salience=1 - n / 100)
    client = signed_in()
    page = client.get("/memories/", {"sort": "salient"}).content.decode()
    following = re.search(r'rel="next" href="([^"]*)"', page)
    assert following
    rest = client.get("/memories/" + following[1].replace("&amp;", "&")).content.decode()
    assert [f"claim {n}<" in re.sub(r"\s+<", "<", rest) for n in (49, 50, 59)] == [False, True, True]


def test_chosen_columns_are_shown_remembered_and_given_up() -> None:
    make_memory("Acme pays late", company_id="Acme Corp", tags=["a", "b", "c", "d"], key="acme-terms")
    client = signed_in()
    chosen = client.get("/memories/", {"column": ["company", "tags", "key", "salience"]}).content.decode()
    assert "Acme Corp</td>" in chosen and "+1" in chosen and "<code>acme-terms</code>" in chosen
    assert "is-candidate" not in chosen
    assert "Acme Corp</td>" in client.get("/memories/").content.decode()
    assert "Acme Corp</td>" not in client.get("/memories/", {"column": ""}).content.decode()
    assert "Acme Corp</td>" not in client.get("/memories/").content.decode()


def test_the_file_has_the_columns_that_are_shown_and_the_rows_that_were_found() -> None:
    make_searchable("=cmd about invoices", company_id="Acme", confidence=70)
    make_searchable("Plants are watered")
    client = signed_in()
    page = client.get("/memories/", {"q": "invoices", "column": ["company", "confidence"]}).content.decode()
    address = re.search(r'href="(/memories/export\.csv\?[^"]*)"', page)
    assert address
    text = bytes_of(client.get(address[1].replace("&amp;", "&"))).decode("utf-8-sig")
    [row] = csv.DictReader(io.StringIO(text, newline=""))
    assert list(row) == ["id", "content", "company_id", "confidence"]
    assert (row["content"], row["company_id"]) == ("'=cmd about invoices", "Acme")
    lines = bytes_of(client.get("/memories/export.jsonl", {"q": "invoices"})).decode().splitlines()
    assert [json.loads(line)["content"] for line in lines] == ["=cmd about invoices"]


def test_groups_show_the_first_of_each_category_and_how_many_there_are() -> None:
    for n in range(memory_table.IN_A_GROUP + 2):
        make_memory(f"fact {n}", category=Category.FACT)
    make_memory("a habit", category=Category.PREFERENCE, status=Status.CONFIRMED)
    make_memory("a state", type=Type.WORKING)
    make_skill()
    page = signed_in().get("/memories/", {"group": "category"}).content.decode()
    heads = re.findall(r'<tr class="group">.*?</tr>', page, re.DOTALL)
    words = [re.sub(r"<[^>]*>", " ", head).split() for head in heads]
    assert words == [
        ["preference", "1"],
        ["fact", "10", "Show", "all", "of", "them"],
        ["working", "state", "1"],
        ["skills", "1"],
    ]
    assert 'href="?category=fact"' in page
    assert page.count("<tr data-row") == memory_table.IN_A_GROUP + 3
    assert "13 memories" in page


def test_what_no_memory_can_meet_finds_nothing() -> None:
    make_memory("Acme pays late")
    client = signed_in()
    for query in ({"type": "banana"}, {"q": "Acme", "type": "banana"}, {"q": "Acme", "category": "x" * 600}):
        assert "Nothing matches" in client.get("/memories/", query).content.decode()


def test_one_facet_names_kinds_as_the_rows_do() -> None:
    make_memory("one", category=Category.FACT)
    make_memory("two", category=Category.PREFERENCE)
    make_memory("three", type=Type.COMPETENCE)
    make_memory("four", type=Type.PLAN_GRAPH)
    client = signed_in()
    counts = facet_counts(client.get("/memories/").content.decode())
    assert {kind: counts.get(kind) for kind in ("fact", "preference", "skill", "plan")} == dict.fromkeys(
        ("fact", "preference", "skill", "plan"), "1"
    )
    assert not {"semantic", "competence", "plan graph"} & counts.keys()
    chosen = client.get("/memories/", {"category": "fact"}).content.decode()
    assert 'href="?type=competence"' in chosen, "another kind takes the place of the chosen one"
    assert facet_counts(chosen)["skill"] == "1"


def test_code_in_a_memory_is_shown_as_code() -> None:
    make_memory("`bin/test` starts the tests")
    assert "<code>bin/test</code> starts" in signed_in().get("/memories/").content.decode()


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
def test_a_cell_that_a_spreadsheet_would_compute_stays_a_text(first: str) -> None:
    assert safe_cell(f"{first}1+1") == f"'{first}1+1"


def test_a_search_that_may_have_found_more_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_list, "MOST_HITS", 2)
    client, said = signed_in(), "there may be more"
    for number in range(2):
        make_searchable(f"Acme pays invoice {number} late")
    assert said not in client.get("/memories/?q=pineapple").content.decode()
    assert said in client.get("/memories/?q=Acme").content.decode()
