"""What a scope knows stands above the conversation that is read, so that the same is not told in other words."""

import json
from typing import Any
from uuid import uuid4

import pytest

from consolidation.extraction import recall, transcript_question, transcripts
from consolidation.extraction.transcript_question import ReadingQuestion
from consolidation.extraction.transcripts import Passage, Transcript
from consolidation.models import Run
from memories.models import Episode, Evidence, Memory
from memories.values.choices import Sensitivity, Status
from tests import make
from tests.consolidation.test_episode_facts import TERMS, facts, read, say, talk
from tests.make import AT, user
from tests.model_endpoint import Json, ModelEndpoint

pytestmark = pytest.mark.django_db
TOLD, AGAIN = "As you know, we are on net-45 terms.", "On paper, net-45 are the terms that we have."
LINE = '[known] {"subject": "Nordlys Bakery", "predicate": "has payment terms", "object": "net-45"}'
ZH = {"subject": "蓝石贸易", "predicate": "账期是", "object": "月结 45 天", "quote": "蓝石贸易的账期是月结 45 天"}


def known(episode: Episode) -> str:
    return recall.known_facts(episode, transcripts.of(episode), at=AT)


def shown(body: Json) -> list[str]:
    return [line for line in body["messages"][1]["content"].splitlines() if line.startswith(recall.MARK)]


def repeats(body: Json) -> Json:
    """The answer of a model that writes what is known as it stands there, else in its own words."""
    words = [json.loads(line.removeprefix(recall.MARK)) for line in shown(body)]
    own = {"subject": "the bakery Nordlys Bakery", "predicate": "has terms", "object": "net-45"}
    return {"facts": [{**fact, "quote": "net-45 are the terms that we have"} for fact in words or [own]]}


def read_again(endpoint: ModelEndpoint, *quotes: str, text: str = AGAIN) -> Run:
    """A second conversation, whose answer repeats the known words with these quotes."""
    return read(endpoint, say(text, id="b"), *({**TERMS, "quote": quote} for quote in quotes))


def test_what_a_second_conversation_says_in_other_words_confirms_the_known_fact(endpoint: ModelEndpoint) -> None:
    read(endpoint, say(TOLD, id="a"), TERMS)
    endpoint.answers("facts", repeats)
    run = read(endpoint, say(AGAIN, id="b"))
    [fact] = facts()
    assert shown(endpoint.asked[1]) == [LINE] and shown(endpoint.asked[0]) == []
    assert run.counters == {"facts_reinforced": 1} and run.llm_calls.count() == 1
    assert (fact.confidence, fact.times_confirmed, fact.status) == (55, 1, Status.CANDIDATE)
    assert Evidence.objects.filter(memory=fact).count() == 2


def test_a_known_fact_counts_only_with_a_quote_that_says_so(endpoint: ModelEndpoint) -> None:
    read(endpoint, say(TOLD, id="a"), TERMS)
    other = "Nordlys Bakery never has terms of net-45. We pay in cash at Nordlys Bakery."
    quotes = ("we are on net-45 terms", "We pay in cash at Nordlys Bakery", "Nordlys Bakery never has terms of net-45")
    for number, quote in enumerate(quotes):
        read(endpoint, say(other, id=f"b{number}"), {**TERMS, "quote": quote})
        read(endpoint, say(f"{number} {LINE}", id=f"c{number}"), {**TERMS, "quote": "We are on net-45 terms"})
    [fact] = facts()
    assert (fact.confidence, fact.times_confirmed) == (40, 0)


def test_a_question_about_a_known_fact_is_weighed_by_the_model_first(endpoint: ModelEndpoint) -> None:
    read(endpoint, say(TOLD, id="a"), TERMS)
    endpoint.answers("need", {"notes": [{"number": 1, "said": False}]})
    run = read_again(endpoint, "are we on net-45 terms", text="Tell me, are we on net-45 terms at Nordlys Bakery?")
    assert run.counters == {"denied_when_asked": 1} and facts()[0].times_confirmed == 0


def test_only_what_may_be_read_beside_the_conversation_is_shown(endpoint: ModelEndpoint) -> None:
    episode = say(TOLD, id="a", sensitivity="medium")
    read(endpoint, episode, TERMS)
    [fact] = facts()
    assert known(episode) == LINE
    assert known(say(AGAIN, scope="elsewhere")) == known(say(AGAIN, id="low", sensitivity="low")) == ""
    for changed in ({"flags": ["injection"]}, {"content": "Nordlys Bakery pays at once"}):
        former = {name: getattr(fact, name) for name in changed}
        Memory.objects.filter(pk=fact.pk).update(**changed)
        assert known(episode) == ""
        Memory.objects.filter(pk=fact.pk).update(**former)
    fact.dismiss(by=make.ANNA, why="wrong", at=AT)
    assert known(episode) == ""


def test_a_fact_of_which_the_conversation_does_not_speak_is_not_shown(endpoint: ModelEndpoint) -> None:
    tea = {
        **TERMS,
        "subject": "Ada Moe",
        "predicate": "prefers",
        "object": "green tea",
        "quote": "Ada Moe prefers green tea",
    }
    read(endpoint, say(f"Ada Moe prefers green tea. {TOLD}", id="a"), tea, TERMS)
    assert len(facts()) == 2 and known(say(AGAIN, id="b")) == LINE
    assert known(say("Since May we have net-60 payment terms.", id="c")) == LINE  # the value is another one


def test_few_are_shown_and_none_where_the_context_is_small(endpoint: ModelEndpoint, settings: Any) -> None:
    many: list[dict[str, Any]] = [
        {**TERMS, "object": f"net-{45 + number}", "quote": f"terms net-{45 + number}", "only_one": False}
        for number in range(20)
    ]
    for first in (0, 10):
        read(endpoint, say(", ".join(fact["quote"] for fact in many), id=f"m{first}"), *many[first : first + 10])
    episode = say(", ".join(fact["quote"] for fact in many), id="n", sensitivity=Sensitivity.LOW.label)
    assert len(facts()) == 20 and len(known(episode).splitlines()) == recall.MOST_SHOWN
    settings.LLM_CONTEXT_TOKENS = 3_000
    assert 0 < len(known(episode).splitlines()) < recall.MOST_SHOWN
    transcript = transcripts.of(episode)
    small = transcript_question.facts_alone(transcript, known=known(episode))
    assert small == transcript_question.facts_alone(transcript)


def test_what_is_known_costs_no_further_question(settings: Any) -> None:
    settings.LLM_CONTEXT_TOKENS = 10_000
    long = Transcript(tuple(Passage(uuid4(), AT, n, "user", "word " * 300, True) for n in range(1, 40)), messages=39)
    rooms = [number for number in range(1, 40) if len(_asked(long, number).parts) == 1]
    assert len(_asked(long, rooms[-1], known=LINE * 9).parts) == 1  # the last that is read whole
    assert LINE in _asked(long, rooms[-2], known=LINE).parts[0]


def _asked(whole: Transcript, passages: int, known: str = "") -> ReadingQuestion:
    return transcript_question.facts_alone(Transcript(whole.passages[:passages], messages=passages), known=known)


def test_a_chinese_fact_is_shown_to_a_chinese_conversation(endpoint: ModelEndpoint) -> None:
    said = [user("你好，蓝石贸易的账期是月结 45 天，请记下来，谢谢你帮我们整理这个月的对账单。" * 5)]
    episode = talk(*said)
    read(endpoint, episode, ZH)
    again = talk(user("请问对账单怎么写？蓝石贸易那边是月结，45 天的账期，到期日写在表头。"), id="again")
    assert len(facts()) == 1 and '"object": "月结 45 天"' in known(again)
