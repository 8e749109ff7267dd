"""What is snoozed: until when is said, shown, and can be ended before."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from consolidation.models.redundancies import Redundancy
from memories.models import Memory, Proposal
from memos_site.review.verbs import attention
from tests.deciding import propose
from tests.make import make_memory
from tests.pages import HTMX

pytestmark = pytest.mark.django_db

WEDNESDAY = datetime(2026, 11, 18, 12, tzinfo=UTC)
SUNDAY = datetime(2026, 11, 22, 12, tzinfo=UTC)
IN_VIEW = {**HTMX, "HX-Current-URL": "http://testserver/?kind=snoozed"}


def decide(client: Client, memory: Memory, decision: str, headers: dict[str, str] = HTMX) -> str:
    return client.post(f"/memories/{memory.pk}/decide/", {"decision": decision}, headers=headers).content.decode()


def queue(client: Client, query: str = "") -> str:
    page = client.get(f"/{query}").content.decode()
    return page[page.index('<ul class="queue"') :] if '<ul class="queue"' in page else ""


@pytest.mark.parametrize(
    ("now", "when", "day"),
    [
        (WEDNESDAY, "tomorrow", "Thu 19 Nov"),
        (WEDNESDAY, "week", "Mon 23 Nov"),
        (SUNDAY, "tomorrow", "Mon 23 Nov"),
        (SUNDAY, "week", "Mon 30 Nov"),  # the day after is offered as tomorrow
    ],
)
def test_the_two_days_that_are_offered_are_never_the_same(now: datetime, when: str, day: str) -> None:
    assert attention.named_day(attention.end_of_snooze(when, now)) == day
    assert day in {offer.note for offer in attention.ends_of_snooze(now)}


def test_the_day_is_said_in_the_toast_and_stands_on_the_page_of_the_memory(reviewer: Client) -> None:
    memory = make_memory("Acme pays late")
    day = attention.named_day(attention.end_of_snooze("week", timezone.now()))
    assert f"Snoozed until {day}" in decide(reviewer, memory, "snooze week")
    flag = re.compile(rf'class="flag">\s*snoozed until {day}')  # its history tells of it too
    assert flag.search(reviewer.get(f"/memories/{memory.pk}/").content.decode())
    Memory.objects.update(snoozed_until=timezone.now() - timedelta(minutes=1))
    assert not flag.search(reviewer.get(f"/memories/{memory.pk}/").content.decode())


def test_what_is_snoozed_has_a_tab_with_its_count_and_waits_nowhere_else(reviewer: Client) -> None:
    awake, asleep = make_memory("Acme pays early"), make_memory("Acme pays late")
    proposal = propose(make_memory("Reply in Italian", status="confirmed"), content="Reply in French")
    answer = decide(reviewer, asleep, "snooze tomorrow")
    assert re.search(r'id="kind-snoozed"[^>]*>1<', answer) and 'id="waiting" hx-swap-oob="true">2<' in answer
    reviewer.post(f"/proposals/{proposal.pk}/decide/", {"decision": "snooze week"})
    shown = queue(reviewer, "?kind=snoozed")
    assert shown.index("Acme pays late") < shown.index("Reply in Italian")  # what wakes first stands first
    assert "Acme pays early" not in shown and shown.count("Wake now") == 2
    assert f"until {attention.named_day(attention.end_of_snooze('tomorrow', timezone.now()))}" in shown
    assert "Acme pays late" not in queue(reviewer) and awake.content in queue(reviewer)


def test_what_was_snoozed_is_woken_where_it_stands_and_sleeps_on_after_an_undo(reviewer: Client) -> None:
    memory = make_memory("Acme pays late")
    decide(reviewer, memory, "snooze week")
    answer = decide(reviewer, memory, "snooze wake", headers=IN_VIEW)
    assert "Back in the queue" in answer and "Acme pays late" in queue(reviewer)
    undo = re.search(r"/undo/[0-9a-f-]{36}/", answer)
    assert undo
    back = reviewer.post(undo[0], headers=IN_VIEW).content.decode()
    assert re.search(rf'class="row" id="row-{memory.pk}"', back)  # it stands in this view again
    assert "Acme pays late" not in queue(reviewer)


def test_what_is_snoozed_is_edited_where_it_stands(reviewer: Client) -> None:
    memory = make_memory("Acme pays late")
    decide(reviewer, memory, "snooze week")
    assert reviewer.get(f"/memories/{memory.pk}/edit/", headers=HTMX).status_code == 409
    assert reviewer.get(f"/memories/{memory.pk}/edit/", headers=IN_VIEW).status_code == 200
    body = {"decision": "edit", "content": "Acme pays early"}
    answer = reviewer.post(f"/memories/{memory.pk}/decide/", body, headers=IN_VIEW).content.decode()
    assert re.search(rf'class="row" id="row-{memory.pk}"', answer) and "Wake now" in answer


def test_what_nobody_is_asked_about_is_woken_where_it_sleeps(reviewer: Client) -> None:
    memory = make_memory("Acme pays late", snoozed_until=timezone.now() + timedelta(days=2))
    Redundancy.objects.create(memory=memory, why=Redundancy.Why.SHOWN, at=timezone.now())
    assert f'id="row-{memory.pk}"' in queue(reviewer, "?kind=snoozed")
    assert reviewer.get(f"/memories/{memory.pk}/edit/", headers=IN_VIEW).status_code == 200
    decide(reviewer, memory, "snooze wake", IN_VIEW)
    assert queue(reviewer) == ""


def test_those_that_are_ticked_are_woken_together(reviewer: Client) -> None:
    ids = [make_memory(f"claim {n}", snoozed_until=timezone.now() + timedelta(days=2)).pk for n in range(3)]
    body = {"decision": "snooze wake", "chosen": "\n".join(f"{pk} " for pk in ids[:2]), "next": "/?kind=snoozed"}
    assert "Woken: 2" in reviewer.post("/bulk/", body, follow=True).content.decode()
    assert queue(reviewer).count('class="row"') == 2 and not Proposal.objects.exists()
