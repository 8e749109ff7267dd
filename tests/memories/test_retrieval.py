"""What a search finds, in what order, and what it never tells."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories import search
from memories.models import EmbeddingModel, Memory, Performance
from memories.search import candidates, run, table_statistics
from memories.search.candidates import Pool
from memories.search.plan import SearchPlan
from memories.values.choices import ActorKind, Hold, Origin, Status, Type
from memories.values.exceptions import Invalid
from memories.values.trust import Actor, Trust, everything
from tests.make import ANNA, AT
from tests.memories.searched import find, known, known_together, passages, said, talk

pytestmark = pytest.mark.django_db
AGENT = Trust(Actor(ActorKind.AGENT, "bot", "7"), max_sensitivity=2)
CLOSED = (Status.DISMISSED, Status.SUPERSEDED, Status.RETRACTED)


def test_by_default_only_what_is_believed_is_found() -> None:
    for status in Status:
        known(f"Acme pays {status}", status=status)
    assert sorted(said(find("Acme"))) == ["Acme pays applied", "Acme pays confirmed"]


def test_candidates_and_the_contested_are_found_on_request_and_the_closed_only_when_named() -> None:
    for status in Status:
        known(f"Acme pays {status}", status=status)
    assert len(said(find("Acme", include_candidates=True))) == 4
    for status in CLOSED:
        assert said(find("Acme", statuses=[status])) == [f"Acme pays {status}"]


def test_one_rare_word_in_common_is_enough_among_a_thousand() -> None:
    """OR-ed: the other words of the question are in none, `what is the` are stop words."""
    known_together(*(f"Meeting {number} about invoices and delivery" for number in range(1_000)))
    known("The kiwifruit order goes to Berlin")
    assert said(find("what is the usual kiwifruit supplier's meeting?"))[0] == "The kiwifruit order goes to Berlin"


def test_a_paraphrase_without_a_word_in_common_is_found_by_its_meaning() -> None:
    for text in ("Invoices are paid on Fridays", "The office closes at six", "Our logo is green"):
        known(text)
    known("The physician prescribed some medicine")
    assert said(find("doctor gave drugs"))[0] == "The physician prescribed some medicine"


def test_a_chinese_memory_that_says_a_word_again_is_more_about_it() -> None:
    once, again = known("退款需要经理批准，合同存放在仓库"), known("退款流程：退款由经理批准，退款失败时联系财务")
    words = {one.memory.pk: one.parts["words"] for one in find("退款").results}
    assert words[again.pk] == pytest.approx(words[once.pk] * 9 / 5)


def test_a_chinese_question_finds_the_chinese_memory() -> None:
    for text in ("会议在星期三下午举行", "客户喜欢用邮件联系", "Invoices are paid on Fridays"):
        known(text)
    known("退款需要经理批准")
    found = find("谁批准退款？")
    assert said(found)[0] == "退款需要经理批准"
    assert found.results[0].words_matched > 0


def test_what_answers_stands_beside_what_was_asked() -> None:
    talk("Anna: Which sauce did you use for the lasagna?", "Ben: Grandma's recipe, with basil", "Anna: Nice")
    talk("Anna: I bought new shoes today", "Ben: They look great")
    found = find("Which sauce was used for the lasagna by Ben?", unit="passage", limit=2)
    assert set(passages(found)) == {"Which sauce did you use for the lasagna?", "Grandma's recipe, with basil"}


def test_an_episode_comes_with_its_best_three_passages_knowledge_with_none() -> None:
    talk(*(f"Ben: The refund number {n} was late" for n in range(5)), "Ben: Bye")
    known("Refunds need an approval")
    by_type = {result.memory.type: result for result in find("late refund").results}
    scores = [told.score for told in by_type[Type.EPISODIC].passages]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert by_type[Type.SEMANTIC].passages == []


def test_a_passage_says_where_it_stands() -> None:
    talk("Anna: hello", "Ben: The parcel arrived broken")
    told = find("broken parcel", unit="passage").results[0].passages[0]
    assert (told.position, told.actor, told.text) == (2, "Ben", "The parcel arrived broken")
    assert told.event_id is not None


def test_the_parts_make_up_the_score() -> None:
    known("Acme pays on net-30 terms")
    [result] = find("When does Acme pay?").results
    assert result.score == pytest.approx(sum(result.parts[name] for name in ("relevance", "salience", "confidence")))
    [one] = find("When does Acme pay?", unit="passage").results
    assert one.score == pytest.approx(sum(one.parts.values()))


def test_salience_and_confidence_decide_between_memories_that_answer_alike() -> None:
    known("Acme pays late", confidence=40)
    known("Acme pays late", confidence=90, salience=0.1)
    known("Acme pays late", confidence=90)
    assert [(r.memory.confidence, r.memory.salience) for r in find("Acme pays").results] == [
        (90, 1.0),
        (40, 1.0),
        (90, 0.1),
    ]


def test_copies_of_a_claim_stand_behind_what_else_answers_and_the_one_that_people_decided_in_front() -> None:
    known("Acme invoices need an order number")
    taught = known("Acme pays invoices by wire transfer", hold=Hold.FLOOR)
    for words in ("pays all its invoices by", "pays its invoices by", "always pays invoices by", "pays invoices by a"):
        known(f"Acme {words} wire transfer", confidence=100)
    found = find("Does Acme pay invoices by wire transfer?", limit=3, explain=True).results
    assert found[0].memory == taught and found[1].memory.content == "Acme invoices need an order number"
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_without_a_question_the_most_salient_comes_first_then_the_newest() -> None:
    known("old", created_at=AT - timedelta(days=1), salience=0.5)
    known("older", created_at=AT - timedelta(days=2), salience=0.5)
    known("fading", salience=1.0, salience_at=AT - timedelta(days=300))
    known("bright", salience=0.9)
    assert said(find()) == ["bright", "old", "older", "fading"]
    assert said(find("   ")) == said(find())


@pytest.mark.parametrize(
    ("asked", "facts", "other"),
    [
        ({"types": ["competence"]}, {"type": Type.COMPETENCE}, {}),
        ({"types": ["semantic"]}, {}, {"type": Type.COMPETENCE}),
        ({"memory_types": ["SkillMemory"]}, {"type": Type.COMPETENCE}, {"type": Type.PLAN_GRAPH}),
        ({"categories": ["fact"]}, {"category": "fact"}, {"category": "contact"}),
        ({"tags": ["a", "b"]}, {"tags": ["a", "b", "c"]}, {"tags": ["a"]}),
        ({"source": "P07"}, {"source": "P07"}, {"source": "P01"}),
        ({"source_plugin": "P07"}, {"source": "P07"}, {"source": "P01"}),
        ({"company_id": "acme"}, {"company_id": "acme"}, {"company_id": "other"}),
        ({"thread_id": "t1"}, {"thread_id": "t1"}, {}),
        ({"scopes": ["project:a"]}, {"scope": "project:a"}, {"scope": "project:b"}),
        ({"trust": {"scopes": ["project:a"]}}, {"scope": ""}, {"scope": "project:b"}),
        ({"max_sensitivity": "low"}, {"sensitivity": 1}, {"sensitivity": 2}),
        ({"trust": {"max_sensitivity": "low"}}, {"sensitivity": 1}, {"sensitivity": 2}),
        ({"min_salience": 0.5}, {"salience": 0.6}, {"salience": 0.4}),
        ({"min_confidence": 70}, {"confidence": 70}, {"confidence": 69}),
        ({}, {"expires_at": AT + timedelta(seconds=1)}, {"expires_at": AT}),
        ({}, {"valid_from": AT}, {"valid_from": AT + timedelta(seconds=1)}),
        ({}, {"valid_to": AT + timedelta(seconds=1)}, {"valid_to": AT}),
    ],
)
@pytest.mark.parametrize("query", ["who pays?", ""])
def test_a_filter_leaves_what_it_asks_for(query: str, asked: dict, facts: dict, other: dict) -> None:  # type: ignore[type-arg]
    known("Acme pays now", **facts)
    known("Acme pays never", **other)
    assert said(find(query, **asked)) == ["Acme pays now"]
    assert all("never" not in text for text in said(find(query, unit="passage", **asked)))


def test_a_request_takes_away_from_trust_and_never_adds() -> None:
    known("Acme pays low", scope="project:a")
    known("Acme pays high", scope="project:a", sensitivity=3)
    known("Acme pays elsewhere", scope="project:b")
    trust = Trust(ANNA, max_sensitivity=2, scopes=frozenset({"project:a"}))
    wide = {"max_sensitivity": "hyper", "scopes": ["project:a", "project:b"]}
    assert said(find("Acme", by=trust, **wide)) == ["Acme pays low"]
    assert said(find("Acme", by=trust)) == ["Acme pays low"]


def test_what_may_not_be_seen_changes_no_score() -> None:
    known("Acme pays on net-30 terms")
    known("Acme likes mail")
    trust = Trust(ANNA, max_sensitivity=1)
    before = [(result.score, result.parts) for result in find("Acme terms", by=trust).results]
    for number in range(20):
        known(f"Acme has secret terms {number}", sensitivity=3)
        known(f"Acme has other terms {number}", scope="project:b")
    narrow = Trust(ANNA, max_sensitivity=1, scopes=frozenset({"project:a"}))
    assert [(result.score, result.parts) for result in find("Acme terms", by=narrow).results] == before


def test_a_search_of_nothing_finds_nothing() -> None:
    assert find("anything").results == []
    assert find().results == []


def test_words_are_searched_while_the_model_does_not_answer() -> None:
    """The serving model's endpoint is not set any more."""
    known("Acme pays on net-30 terms")
    EmbeddingModel.objects.create(name="gone", dimensions=8, near_duplicate_threshold=0.8, active=True)
    found = find("When does Acme pay?")
    assert said(found) == ["Acme pays on net-30 terms"]
    assert found.degraded == ("embedding",)
    assert find("nothing in common").results == []
    assert find().degraded == ()


def test_stubs_follow_and_are_never_matched_ranked_or_counted() -> None:
    known("Acme pays on net-30 terms", tags=["x"])
    older = known("secret one", sensitivity=3, tags=["x"], created_at=AT - timedelta(days=1))
    newer = known("secret two", sensitivity=3, tags=["x"], confidence=1, source="P09")
    known("secret three", sensitivity=4, tags=["x"])
    known("secret four", sensitivity=3, scope="elsewhere")
    known("secret five", sensitivity=3, tags=["x"], type=Type.COMPETENCE)
    asked = {"include_redacted": True, "types": ["semantic"], "min_confidence": 20, "source": "P01"}
    for query in ("Acme", ""):
        found = find(query, by=AGENT, scopes=["here"], **asked)
        assert said(found) == ["Acme pays on net-30 terms"]
        assert [row.pk for row in found.stubs] == [newer.pk, older.pk]
    assert not Memory.objects.filter(pk=newer.pk, times_used__gt=0).exists()
    assert find("secret", by=AGENT).stubs == []
    tagged = {tag: [row.pk for row in find("Acme", by=AGENT, tags=[tag], **asked).stubs] for tag in ("x", "y")}
    assert tagged == {"x": [newer.pk, older.pk], "y": []}


def test_competences_and_plans_among_the_results_are_selected_from() -> None:
    good = known("Refund a parcel", type=Type.COMPETENCE, confidence=90)
    Performance.objects.create(memory=good, successes=9, failures=1)
    known("Refund a parcel too", type=Type.COMPETENCE, confidence=90, origin=Origin.CONSOLIDATED)
    found = find("refund a parcel").selection
    assert found is not None
    assert found.selected[0] == good.pk
    assert found.needs_more
    nothing = find("refund", types=["plan_graph"]).selection
    assert nothing is not None
    assert (nothing.selected, nothing.needs_more) == ([], True)
    assert find("refund", types=["semantic"]).selection is None


@pytest.mark.parametrize("query", ["Acme pays", ""])
def test_the_number_of_statements_does_not_depend_on_what_is_there(query: str) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            find(query, by=AGENT, limit=50, include_redacted=True)
        return len(captured)

    talk("Anna: Acme pays", "Ben: Acme?")
    known("Acme pays 0")
    table_statistics.cache.drop()
    statements()  # asks for the figures once a minute
    few = statements()
    for number in range(40):
        known(f"Acme pays {number}")
        talk(f"Anna: Acme pays {number}", "Ben: does Acme?")
    assert statements() == few


@pytest.mark.parametrize("query", ["Acme pays", ""])
def test_a_search_that_prepares_no_index_has_no_transaction(query: str) -> None:
    known("Acme pays")
    with CaptureQueriesContext(connection) as captured:
        assert find(query, by=AGENT).results
    assert [asked["sql"] for asked in captured if "SAVEPOINT" in asked["sql"]] == []


def test_a_question_is_checked_with_its_fields_named() -> None:
    wrong = {"query": 5, "types": ["nonsense"], "limit": 0, "unit": "page", "colour": "red", "min_salience": 2}
    with pytest.raises(Invalid) as refused:
        search.check(wrong)
    named = {error.pointer.split("/")[1] for error in refused.value.errors}
    assert named == {"query", "types", "limit", "unit", "colour", "min_salience"}


def test_what_vanishes_while_it_is_ranked_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pool is one statement, its memories another: what rose above the caller between them is not shown."""
    memory, other = known("Acme pays now"), known("Acme pays later")
    pool = candidates.pool

    def then_it_rises(plan: SearchPlan) -> Pool:
        found = pool(plan)
        Memory.objects.filter(pk=memory.pk).update(sensitivity=4)
        return found

    monkeypatch.setattr(run, "pool", then_it_rises)
    assert [result.memory.pk for result in find("Acme", by=AGENT).results] == [other.pk]


def test_operators_see_everything() -> None:
    known("Acme pays hyper", sensitivity=4, scope="project:z")
    assert said(find("Acme", by=everything())) == ["Acme pays hyper"]
