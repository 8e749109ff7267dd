"""LangGraph's own graphs keep what they learn in Memos: its store, and LangChain's retriever."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypedDict

import pytest
from django.utils import timezone

from memories.models import Memory
from memories.values.choices import Status
from memos_site.launcher.client import Memos
from tests.make import ANNA, make_agent, make_memory
from tests.memos_site.harness import SCRIPTS

if TYPE_CHECKING:  # its import takes a second, in each worker that collects the tests
    from memos_site.launcher.langgraph import MemosStore

pytestmark = pytest.mark.django_db(transaction=True)
OF_ANNA = ("users", "anna")


@pytest.fixture
def store(live_server: Any) -> Iterator["MemosStore"]:
    from memos_site.launcher.langgraph import MemosStore

    with Memos(live_server.url, make_agent()[1]) as client:
        yield MemosStore(client)


def fill(store: Any) -> None:
    store.put(OF_ANNA, "food", {"text": "likes pizza with olives"})
    store.put(OF_ANNA, "trips", {"count": 7, "cities": ["Rome", "Oslo"]})
    store.put(("users", "ben", "work"), "job/title", {"text": "writes compilers"})
    store.put(("teams",), "core", {"count": 3})
    store.put(OF_ANNA, "trips", {"count": 8, "cities": ["Rome"]})
    store.put(("teams",), "gone", {"count": 1})
    store.delete(("teams",), "gone")
    store.delete(("teams",), "never")


def told(items: Any) -> list[Any]:
    return sorted((item.namespace, item.key, sorted(item.value.items())) for item in items)


def test_what_others_tagged_alike_and_what_a_person_reworded_is_no_obstacle(store: "MemosStore") -> None:
    fill(store)
    make_memory("Acme pays late", tags=["langgraph"])
    Memory.objects.filter(key__endswith="trips").update(content="{Rome} every day")
    assert {item.key: item.value for item in store.search(())}["trips"] == {"content": "{Rome} every day"}
    assert ("teams",) in store.list_namespaces()


def test_items_stand_as_in_the_store_that_comes_with_langgraph(store: "MemosStore") -> None:
    from langgraph.store.memory import InMemoryStore

    theirs = InMemoryStore()
    for one in (store, theirs):
        fill(one)
    for namespace, key in (
        (OF_ANNA, "food"),
        (OF_ANNA, "trips"),
        (("users", "ben", "work"), "job/title"),
        (("teams",), "gone"),
    ):
        mine, other = store.get(namespace, key), theirs.get(namespace, key)
        assert (mine and (mine.value, mine.key, mine.namespace)) == (
            other and (other.value, other.key, other.namespace)
        )
    asked: list[tuple[tuple[str, ...], dict[str, Any]]] = [
        ((), {}),
        (("users",), {}),
        (("use",), {}),
        (OF_ANNA, {"filter": {"key": "x"}}),
        (("teams",), {"filter": {"count": {"$gte": 3, "$lt": 4}}}),
        (OF_ANNA, {"filter": {"count": 8}}),
        (OF_ANNA, {"filter": {"count": {"$ne": 8}}}),
    ]
    for prefix, more in asked:
        assert told(store.search(prefix, **more)) == told(theirs.search(prefix, **more)), (prefix, more)
    assert len(store.search((), limit=2, offset=3)) == 1
    for more in (
        {},
        {"prefix": ("users",)},
        {"suffix": ("work",)},
        {"max_depth": 1},
        {"prefix": ("*", "anna")},
        {"limit": 1},
    ):
        assert store.list_namespaces(**more) == theirs.list_namespaces(**more), more


def test_a_question_finds_the_item_that_answers_it(store: "MemosStore") -> None:
    fill(store)
    found = store.search(("users",), query="What does she like to eat? pizza?")
    assert (found[0].key, found[0].score is not None) == ("food", True)
    assert store.search(("teams",), query="pizza") == []


def test_a_text_reads_as_people_read_it_and_waits_for_them(store: "MemosStore") -> None:
    fill(store)
    memory = Memory.objects.get(key="langgraph/users/anna/food")
    assert (memory.content, memory.status, memory.source) == ("text: likes pizza with olives", "candidate", "langgraph")


def test_what_people_confirmed_is_not_replaced_and_a_warning_says_so(
    store: "MemosStore", caplog: pytest.LogCaptureFixture
) -> None:
    store.put(OF_ANNA, "food", {"text": "likes pizza"})
    Memory.objects.get(key="langgraph/users/anna/food").promote(to=Status.CONFIRMED, by=ANNA, at=timezone.now())
    store.put(OF_ANNA, "food", {"text": "hates pizza"})
    item = store.get(OF_ANNA, "food")
    assert item and item.value == {"text": "likes pizza"}
    assert "is proposed to people: the former one stays" in caplog.text


def test_what_cannot_be_kept_is_refused_in_words(store: "MemosStore") -> None:
    from langgraph.store.base import InvalidNamespaceError

    with pytest.raises(ValueError, match="more than 255"):
        store.put(("x" * 250,), "key", {"text": "long"})
    with pytest.raises(InvalidNamespaceError):
        store.put(("a.b",), "key", {"text": "dots"})
    with pytest.raises(ValueError, match=r"unknown operator '\$in'"):
        store.put(OF_ANNA, "food", {"text": "pizza"})
        store.search(OF_ANNA, filter={"text": {"$in": 1}})


def test_the_program_of_the_page_runs(
    store: "MemosStore", monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (SCRIPTS.parents[1] / "docs" / "agents" / "frameworks.md").read_text()
    program = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[0]
    monkeypatch.setattr("memos_site.launcher.langgraph.Memos", lambda: store.client)
    exec(program.replace("from memos.", "from memos_site.launcher."), {})
    assert capsys.readouterr().out == "likes pizza\n"


class State(TypedDict):
    said: str


def remember(state: State) -> State:
    from langgraph.runtime import get_runtime

    store = get_runtime().store
    assert store
    store.put(OF_ANNA, "food", {"text": state["said"]})
    return {"said": store.search(OF_ANNA, query="pizza")[0].value["text"]}


def test_a_graph_keeps_its_memory_here_and_another_run_finds_it(store: "MemosStore") -> None:
    from langgraph.graph import END, START, StateGraph

    from memos_site.launcher.langchain import MemosRetriever

    graph = StateGraph(State)
    graph.add_node("remember", remember)
    graph.add_edge(START, "remember")
    graph.add_edge("remember", END)
    assert graph.compile(store=store).invoke({"said": "likes pizza"}) == {"said": "likes pizza"}
    [document] = MemosRetriever(client=store.client, include_candidates=True).invoke("pizza")
    assert (document.page_content, document.metadata["key"]) == ("text: likes pizza", "langgraph/users/anna/food")
