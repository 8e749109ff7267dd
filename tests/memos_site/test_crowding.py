"""One agent that fills the inbox: what the others said stands before it, and the page says whose it is."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest

from consolidation.pipelines.duplicates import BY
from memories.models import Agent, Memory, Proposal
from memories.values.choices import Status
from memories.values.trust import everything
from memos_site import review
from memos_site.web.inbox_page import page_of_waiting
from memos_site.web.inbox_rows import filters_of
from tests.deciding import propose
from tests.make import AT, bearing, make_agent, make_memory
from tests.pages import HTMX, signed_in

pytestmark = pytest.mark.django_db
TRUST, MANY = everything(), 45


def said_by(agent: Agent, content: str, **facts: Any) -> Memory:
    return make_memory(content, created_by=agent.name, created_by_id=agent.trust.actor.identity, **facts)


@pytest.fixture
def loud() -> Agent:
    """The newest claims, and the most repeated ones, are of one agent; two of others are older."""
    quiet, loud = make_agent("quiet-agent")[0], make_agent("loud-agent")[0]
    for n in range(2):
        said_by(quiet, f"quiet claim {n}")
    for n in range(MANY):
        said_by(loud, f"loud claim {n}", created_at=AT + timedelta(hours=1), times_confirmed=n % 4)
    return loud


def asked_about(one: Memory, other: Memory) -> None:
    """The question which of two holds."""
    told: dict[str, Any] = {"by": BY, "why": "they cannot both hold", "at": AT, "sensitivity": 1}
    asked = Proposal.objects.propose(Proposal.Kind.CONFLICT, one, {"verb": "choose", "words": ["a", "b"]}, **told)
    Proposal.objects.filter(pk=asked.pk).update(others=[other.pk])


def walk(last: str) -> list[str]:
    """What every page shows, from the first to the last."""
    shown, cursor = [], None
    while True:
        facts: dict[str, Any] = {"limit": 20, "at": AT + timedelta(days=1), "cursor": cursor, "last": last}
        page = page_of_waiting(TRUST, filters_of({}), review.ORDER, **facts)
        shown += [row.content if isinstance(row, Memory) else f"proposal by {row.made_by}" for row in page.rows]
        if page.next is None:
            return shown
        cursor = page.next


def crowding() -> str:
    return review.crowding(review.values_of_waiting(TRUST, [review.MAKER], at=AT + timedelta(days=1)))


def test_what_others_said_stands_before_the_flood_of_one_agent_and_nothing_is_left_out(loud: Agent) -> None:
    believed = make_memory("Acme pays on net-30 terms", status=Status.CONFIRMED)
    Proposal.objects.filter(pk=propose(believed).pk).update(made_by="loud-agent")
    asked_about(believed, said_by(loud, "Acme pays on net-60 terms"))
    asked_about(make_memory("Leeds is open"), make_memory("Leeds is closed"))
    shared = said_by(loud, "several say this", speakers=["agent:a", "agent:b"])
    assert crowding() == loud.trust.actor.identity
    shown = walk(crowding())
    first = ["proposal by Memos", shared.content, "Leeds is closed", "Leeds is open", "quiet claim 1", "quiet claim 0"]
    assert shown[:6] == first
    assert {"proposal by loud-agent", "proposal by Memos"} <= {*shown[6:]}
    assert len(shown) == MANY + 9


def test_the_page_says_whose_the_flood_is_and_shows_the_others_first(loud: Agent) -> None:
    client = signed_in()
    first = client.get("/").content.decode()
    assert "come from one agent, loud-agent" in first
    assert f"/agents/{loud.pk}/" in first
    assert first.index("quiet claim 0") < first.index("loud claim")
    following = re.search(r'href="(\?cursor=[^"]+)"', first)
    assert following
    more = client.get("/" + unescape(following[1]), headers=HTMX).content.decode()
    assert "quiet claim" not in more
    assert more.count('class="row"') == 20


def test_all_that_one_agent_brought_in_is_shown_and_dismissed_at_once(loud: Agent) -> None:
    client = signed_in()
    shown = client.get("/?created_by=loud-agent").content.decode()
    assert "loud claim" in shown and "quiet claim" not in shown and "come from one agent" not in shown
    matching = {"matching": "1", "created_by": "loud-agent", "as_of": (AT + timedelta(days=1)).isoformat()}
    client.post("/bulk/", {**matching, "decision": "dismiss wrong"})
    left = Memory.objects.filter(status=Status.CANDIDATE).values_list("content", flat=True)
    assert sorted(left) == ["quiet claim 0", "quiet claim 1"]


def test_an_agent_that_is_alone_crowds_nobody_out() -> None:
    token = make_agent("only-agent")[1]
    for n in range(MANY):
        claim = {"key": f"k{n}", "category": "fact", "content": f"claim {n}"}
        bearing(token).post("/api/v1/memories", claim, format="json")
    assert crowding() == ""
    assert "come from one agent" not in signed_in().get("/").content.decode()


def test_a_few_claims_of_one_agent_crowd_nobody_out() -> None:
    busy, other = make_agent("busy-agent")[0], make_agent("other-agent")[0]
    for n in range(9):
        said_by(busy, f"claim {n}")
    said_by(other, "another")
    assert crowding() == ""


def test_two_agents_that_flood_equally_stand_behind_the_others_on_every_page(loud: Agent) -> None:
    second, calm = make_agent("second-agent")[0], make_agent("calm-agent")[0]
    for n in range(MANY):
        said_by(second, f"second claim {n}", created_at=AT + timedelta(hours=2))
    said_by(calm, "calm claim")
    client = signed_in()
    first = client.get("/").content.decode()
    assert "Many waiting items come from second-agent" in first and "Many waiting items come from loud-agent" in first
    shown = walk(crowding())
    assert shown[:3] == ["calm claim", "quiet claim 1", "quiet claim 0"]
    assert len(shown) == 2 * MANY + 3
    following = re.search(r'href="(\?cursor=[^"]+)"', first)
    assert following
    more = client.get("/" + unescape(following[1]), headers=HTMX).content.decode()
    assert "calm claim" not in more and "quiet claim" not in more


def test_three_agents_that_work_alike_crowd_nobody_out() -> None:
    for name in ("a-agent", "b-agent", "c-agent"):
        agent = make_agent(name)[0]
        for n in range(MANY):
            said_by(agent, f"{name} claim {n}")
    assert crowding() == ""


def test_what_one_agent_proposes_counts_as_what_it_claims() -> None:
    quiet, pushing = make_agent("quiet-agent")[0], make_agent("pushing-agent")[0]
    said_by(quiet, "quiet claim")
    for n in range(MANY):
        asked = propose(make_memory(f"believed {n}", status=Status.CONFIRMED))
        Proposal.objects.filter(pk=asked.pk).update(made_by=pushing.name, opened_at=AT + timedelta(hours=1))
    assert crowding() == pushing.trust.actor.identity
    assert walk(crowding())[0] == "quiet claim"
