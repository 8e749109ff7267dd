"""Counts of what waits: their statements are built once, and asked for at any instant and by any reader."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from consolidation.models import Webhook
from memories.models import Memory, PersonLimits, Proposal
from memories.people import trust_of
from memories.values.choices import Sensitivity
from memories.values.trust import Trust, everything
from memos_site import review
from memos_site.review import MOST_OFFERED
from tests.deciding import propose
from tests.make import AT, make_agent, make_memory, make_person, make_skill, make_version

pytestmark = pytest.mark.django_db
TRUST = everything()
LATER = AT + timedelta(hours=2)


def test_what_waits_is_counted_at_the_instant_that_is_asked_for() -> None:
    make_memory("Acme pays late", scope="shop")
    Memory.objects.update(snoozed_until=AT + timedelta(hours=1))
    for _again in range(2):
        assert review.kinds(TRUST, at=AT, snoozed=True) == {"snoozed": 1}
        assert review.kinds(TRUST, at=LATER, snoozed=True) == {"semantic": 1}
        assert review.kinds(TRUST, at=LATER, views={"mine": {"scope": "shop"}}) == {"semantic": 1, "mine": 1}
        assert not review.values_of_waiting(TRUST, ["scope"], at=AT).get("scope")
        assert review.values_of_waiting(TRUST, ["scope"], at=LATER)["scope"] == {"shop": 1}


def test_what_expires_and_what_is_proposed_are_counted_at_that_instant_too() -> None:
    make_memory("Acme pays late", scope="shop", expires_at=AT + timedelta(hours=1))
    propose(make_memory("Acme pays on net-30 terms", status="confirmed"))
    Proposal.objects.update(snoozed_until=AT + timedelta(hours=1))
    for _again in range(2):
        assert review.kinds(TRUST, at=AT, snoozed=True) == {"semantic": 1, review.SNOOZED_PROPOSALS: 1}
        assert review.kinds(TRUST, at=LATER, snoozed=True) == {"revision": 1}


def test_the_count_of_all_that_waits_is_that_of_its_kinds_together() -> None:
    make_memory("Acme pays late")
    make_memory("how to pay", type="plan_graph")
    propose(make_memory("Acme pays on net-30 terms", status="confirmed"))
    make_version(make_skill(), description="Books a flight or two")
    counted = review.kinds(TRUST, at=AT)
    assert counted == {"semantic": 1, "plan_graph": 1, "version": 1, "revision": 1}
    for most in range(6):
        assert review.waiting_count(TRUST, at=AT, most=most) == min(4, most + 1)


def readers() -> dict[str, Trust]:
    """One of each kind, and of one actor several, whose rights or request are others."""
    PersonLimits.objects.create(user=make_person("limited"), scopes=["shop"])
    agent = make_agent("agent", scopes=["support"], clearance=Sensitivity.HIGH)[0]
    webhook = Webhook(name="chat", url="https://chat.example", clearance=Sensitivity.LOW, scopes=["shop", "support"])
    people = {name: trust_of(User.objects.get(username=name)) for name in ("limited", make_person("anna").username)}
    promoted = Trust(people["anna"].actor, Sensitivity.HYPER, None, permissions=people["anna"].permissions)
    asking = agent.trust.narrowed(max_sensitivity=Sensitivity.LOW)
    elsewhere = agent.trust.narrowed(scopes=["shop"])
    system = {"program": TRUST, "webhook": webhook.trust}
    return {**system, **people, "promoted": promoted, "agent": agent.trust, "asking": asking, "elsewhere": elsewhere}


SEEN = {  # by reader the scopes of what it sees
    "program": {"shop": 3, "support": 2, "": 1},
    "webhook": {"shop": 1, "": 1},
    "limited": {"shop": 2, "": 1},
    "anna": {"shop": 2, "": 1},
    "promoted": {"shop": 3, "support": 2, "": 1},
    "agent": {"support": 2, "": 1},
    "asking": {"": 1},
    "elsewhere": {"": 1},
}


@pytest.mark.parametrize("first", list(SEEN))
def test_each_reader_counts_what_it_sees_whoever_asked_first(first: str) -> None:
    """Of a statement built for another reader, one number would be that of the other."""
    low, medium, high, hyper = list(Sensitivity)[1:]
    rows = [("shop", low), ("shop", medium), ("shop", hyper), ("support", high), ("support", high), ("", low)]
    for n, (scope, sensitivity) in enumerate(rows):
        make_memory(f"claim {n}", scope=scope, sensitivity=sensitivity)
    trusts = readers()
    for name in (first, *SEEN, *reversed(SEEN)):
        trust, seen = trusts[name], SEEN[name]
        assert review.waiting_count(trust, at=AT, most=9) == sum(seen.values()), name
        assert review.values_of_waiting(trust, ["scope"], at=AT)["scope"] == seen, name
        counted = review.kinds(trust, at=AT, filters={"scope": "shop"}, views={"mine": {"scope": "support"}})
        assert (counted.get("semantic", 0), counted.get("mine", 0)) == (seen.get("shop", 0), seen.get("support", 0)), (
            name
        )


def test_filters_and_views_of_one_reader_are_counted_apart() -> None:
    make_memory("Acme pays late", scope="shop", key="acme-terms")
    for _again in range(2):
        for scope, n in (("shop", 1), ("support", 0)):
            assert review.kinds(TRUST, at=AT, filters={"scope": scope}).get("semantic", 0) == n
            assert review.kinds(TRUST, at=AT, views={"mine": {"scope": scope}}).get("mine", 0) == n
        assert review.kinds(TRUST, at=AT, filters={"q": "acme"}) == {"semantic": 1}
        assert review.kinds(TRUST, at=AT, filters={"q": "globex"}) == {}
        for name, value in (("source", "P01"), ("scope", "shop")):
            assert review.values_of_waiting(TRUST, [name], at=AT).get(name) == {value: 1}


def test_of_many_values_those_are_counted_that_most_of_what_waits_has_whatever_its_kind() -> None:
    for n in range(MOST_OFFERED + 3):
        make_memory(f"claim {n}", source=f"agent-{n:02}", scope="shop")
    for type in ("plan_graph", "semantic"):
        make_memory(f"more {type}", type=type, source=f"agent-{MOST_OFFERED + 2}", scope="")
    counted = review.values_of_waiting(TRUST, ["source", "scope"], at=AT)
    assert counted["source"].most_common(1) == [(f"agent-{MOST_OFFERED + 2}", 3)]
    assert len(counted["source"]) == MOST_OFFERED + 2
    assert counted["scope"] == {"shop": MOST_OFFERED + 3, "": 2}
