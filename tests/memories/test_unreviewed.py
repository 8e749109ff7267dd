"""What others are offered of a claim that one agent alone has said: marked, not at all, or plainly."""

from datetime import timedelta
from typing import Any

import pytest

from memories.models import Adaptation, Injection
from memories.search import filters
from memories.values.choices import Category, Hold, Status
from memories.values.trust import Trust, everything
from tests.make import ANNA, AT
from tests.memories.contexts import ask, said, skill
from tests.memories.revising import BOT, OTHER, agent, person
from tests.memories.searched import find, known
from tests.memories.searched import said as found_by

pytestmark = pytest.mark.django_db
MINE: dict[str, Any] = {"created_by": BOT.name, "created_by_id": BOT.identity}
OF_OTHER: dict[str, Any] = {"created_by": OTHER.name, "created_by_id": OTHER.identity}
PAYS = "Acme pays on net-30 terms"
QUESTION = "When does Acme pay?"
MARK = "unreviewed, said by one agent"


def line(**asked: Any) -> str:
    return ask(QUESTION, **asked).block.splitlines()[1]


def test_others_read_the_mark_and_the_agent_itself_reads_plainly() -> None:
    known(PAYS, confidence=65, **MINE)
    assert line() == f"- [fact] {PAYS} (confidence: 65)"
    marked = f"- [fact, {MARK}] {PAYS} (confidence: 65)"
    assert (line(by=agent(OTHER)), line(by=person())) == (marked, marked)


@pytest.mark.parametrize("facts", [{"speakers": [BOT.identity, OTHER.identity]}, {"hold": Hold.FIXED}])
def test_what_several_say_or_a_person_decided_has_no_mark(facts: dict[str, Any]) -> None:
    known(PAYS, confidence=65, **MINE | facts)
    assert line(by=agent(OTHER)) == f"- [fact] {PAYS} (confidence: 65)"


def test_a_skill_that_a_person_published_has_no_mark() -> None:
    skill("Refunds a broken parcel")
    assert "unreviewed" not in ask("refund the parcel").block


def test_a_mark_costs_room_like_any_words() -> None:
    known(PAYS, confidence=65, **MINE)
    assert ask(QUESTION, token_budget=20).items != []
    assert ask(QUESTION, token_budget=20, by=agent(OTHER)).items == []


def test_an_applied_claim_of_one_agent_is_a_hint_and_its_change_is_announced_to_nobody_else(settings: Any) -> None:
    memory = known(PAYS, status=Status.APPLIED, confidence=95, category=Category.PREFERENCE, **MINE)
    Adaptation.objects.open(memory, by=ANNA, at=AT, again=False)
    given = ask(QUESTION, by=agent(OTHER), source="P01")
    assert [(item.overridable, item.unreviewed) for item in given.items] == [(True, True)]
    assert given.notices == []
    settings.UNREVIEWED_CLAIMS = "hide"
    assert ask(QUESTION, by=agent(OTHER), source="P01").notices == []
    assert len(ask(QUESTION, by=agent(), source="P01").notices) == 1, "its own, once"


def test_plainly_a_change_is_announced_to_whoever_asks_for_the_source(settings: Any) -> None:
    settings.UNREVIEWED_CLAIMS = "plain"
    memory = known(PAYS, status=Status.APPLIED, confidence=95, category=Category.PREFERENCE, **MINE)
    Adaptation.objects.open(memory, by=ANNA, at=AT, again=False)
    given = ask(QUESTION, by=agent(OTHER), source="P01")
    assert (MARK in given.block, len(given.notices)) == (False, 1)


@pytest.fixture
def hidden(settings: Any) -> None:
    settings.UNREVIEWED_CLAIMS = "hide"


@pytest.mark.usefixtures("hidden")
@pytest.mark.parametrize("by", [agent(), person(), everything()])
def test_what_is_hidden_from_others_the_agent_people_and_the_program_still_find(by: Trust) -> None:
    known(PAYS, **MINE)
    assert (said(ask(QUESTION, by=by)), found_by(find(QUESTION, by=by))) == ([PAYS], [PAYS])
    assert (said(ask(QUESTION, by=agent(OTHER))), found_by(find(QUESTION, by=agent(OTHER)))) == ([], [])
    assert found_by(find(by=agent(OTHER))) == [], "without a question"


@pytest.mark.usefixtures("hidden")
def test_what_is_hidden_takes_no_place(settings: Any) -> None:
    settings.SEARCH_POOL = 10
    for number in range(30):
        known(f"{PAYS} {number}", confidence=99, source="P01", company_id="acme", **OF_OTHER)
    known("Acme pays late", confidence=60, source="P01", company_id="acme", hold=Hold.FLOOR)
    assert found_by(find(QUESTION, by=agent(), limit=1)) == ["Acme pays late"]
    assert said(ask(QUESTION, by=agent(), limit=1, source="P01", company_id="acme")) == ["Acme pays late"]


def test_the_filter_is_there_only_where_something_is_hidden(settings: Any) -> None:
    assert filters.of_context(agent(), [], AT).value("reader") is None
    columns = [one.column for one in filters.of_context(agent(), [], AT).conditions]
    settings.UNREVIEWED_CLAIMS = "hide"
    more = [one.column for one in filters.of_context(agent(), [], AT).conditions]
    assert sorted(more) == sorted([*columns, "speakers"])


def test_what_was_given_unreviewed_is_kept_for_the_figures() -> None:
    known(PAYS, confidence=90, **OF_OTHER)
    known("Acme pays late", confidence=80, **MINE)
    known("Acme pays by cheque", confidence=70, hold=Hold.FLOOR, **OF_OTHER)
    ask("How does Acme pay?", by=agent())
    assert [item["unreviewed"] for item in Injection.objects.get().items] == [True, False, False]


def test_as_of_then_it_was_unreviewed() -> None:
    memory = known(PAYS, **OF_OTHER)
    memory.promote(to=Status.APPLIED, by=ANNA, at=AT + timedelta(minutes=2))
    then, now = (AT + timedelta(minutes=n) for n in (1, 3))
    assert MARK in ask(QUESTION, at=now, as_of=then.isoformat()).block
    assert MARK not in ask(QUESTION, at=now).block
