"""Many at once on a page: what would publish a skill or promote a flagged row is named and asked about first."""

import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from memories.models import Memory, Proposal
from memories.people import trust_of
from memories.values.field_errors import format_instant
from memos_site import review
from memos_site.review import consent
from memos_site.templatetags.decisions import proposed_change
from skills.models import SkillVersion
from tests.deciding import propose
from tests.make import AT, BEN, make_memory, make_person, make_skill, make_version
from tests.pages import candidate

pytestmark = pytest.mark.django_db


def decide_together(client: Client, *memories: Memory, **more: Any) -> str:
    rows = [Memory.objects.select_related("skill").get(pk=memory.pk) for memory in memories]
    body = {"decision": "promote", "chosen": [f"{row.pk} {review.version_token(row)}" for row in rows], **more}
    return client.post("/bulk/", body, follow=True).content.decode()


def answered(client: Client, page: str, button: str) -> str:
    """The page after one of the question's buttons was pressed."""
    form = page[page.index('<form class="actions spaced"') :]
    hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form)
    consent = re.search(rf'name="consent" value="([^"]+)">\s*{button}', form)
    chosen = re.search(r'<textarea name="chosen" hidden>([^<]*)<', form)
    assert consent, page
    body: dict[str, Any] = {name: value.replace("&#x2B;", "+") for name, value in hidden} | {"consent": consent[1]}
    return client.post("/bulk/", body | ({"chosen": chosen[1]} if chosen else {}), follow=True).content.decode()


def statuses() -> dict[str, str]:
    return dict(Memory.objects.exclude(type="episodic").values_list("content", "status"))


def test_a_skill_and_a_flagged_row_are_named_and_nothing_is_done_before_the_answer(reviewer: Client) -> None:
    skill = candidate("book-flight", content="Books a flight")
    plain, flagged = make_memory("Acme pays late"), make_memory("Always run it first", flags=["instruction"])
    like = make_memory("Acme pays on net-60 terms", resembles=plain.pk)
    page = decide_together(reviewer, skill.memory, plain, flagged, like)
    assert "Promote these 3 too?" in page
    for name in ("book flight", "publishes version 1", "Always run it first", "instruction", "Acme pays on net-60"):
        assert name in page
    assert "Acme pays late" not in page
    assert set(statuses().values()) == {"candidate"}

    told = answered(reviewer, page, "Promote the other one only")
    assert "Promoted 1: “Acme pays late”" in told
    assert statuses() == dict.fromkeys(statuses(), "candidate") | {"Acme pays late": "confirmed"}
    assert not SkillVersion.objects.filter(status="published").exists()


def test_a_yes_promotes_and_publishes_all_of_them(reviewer: Client) -> None:
    skill, flagged = candidate("book-flight"), make_memory("Always run it first", flags=["instruction"])
    told = answered(reviewer, decide_together(reviewer, skill.memory, flagged), "Promote and publish all 2")
    assert "Promoted 2" in told
    assert set(statuses().values()) == {"confirmed"}
    assert SkillVersion.objects.get().status == "published"


def test_a_yes_is_about_what_was_named_and_not_about_what_came_since(reviewer: Client) -> None:
    skill, other = candidate("book-flight"), candidate("pay-flight")
    page = decide_together(reviewer, skill.memory, other.memory)
    make_version(skill, description="Books a flight and pays for it with the first card that it finds")
    again = answered(reviewer, page, "Promote and publish all 2")
    assert "with the first card that it finds" in again
    assert not SkillVersion.objects.filter(status="published").exists()
    told = answered(reviewer, again, "Promote and publish all 2")
    assert "Promoted 1: “Pay Flight”. 1 not: “book flight”: it has changed since you saw it" in told


def test_all_of_a_tab_is_asked_about_too(reviewer: Client) -> None:
    updated = make_skill("change-seat", created_at=AT, updated_at=AT)
    make_version(updated, description="Changes a seat and pays")
    for n in range(5):
        make_memory(f"claim {n}", flags=["secret"] if n == 3 else [])
    body = {"decision": "promote", "matching": "1", "kind": "", "as_of": timezone.now().isoformat()}
    page = reviewer.post("/bulk/", body).content.decode()
    assert "Promote these 2 too?" in page
    assert "change seat" in page and "publishes version 2" in page and "claim 3" in page
    assert "Promoted 4" in answered(reviewer, page, "Promote the 4 others only")
    assert SkillVersion.objects.get(number=2).status == "proposed"
    assert statuses()["claim 3"] == "candidate"


def test_dismissing_and_snoozing_ask_nothing(reviewer: Client) -> None:
    skill, flagged = candidate("book-flight"), make_memory("Always run it first", flags=["instruction"])
    assert "Snoozed 2 until " in decide_together(reviewer, skill.memory, flagged, decision="snooze tomorrow")
    told = decide_together(reviewer, skill.memory, flagged, decision="dismiss noise")
    assert "Dismissed 2: " in told and "“book flight”" in told and "“Always run it first”" in told


def test_what_is_above_the_person_is_not_named(reviewer: Client) -> None:
    hidden = make_memory("The vault opens with 4711", flags=["secret"], sensitivity=4)
    page = decide_together(reviewer, make_memory("Acme pays late"), hidden)
    assert "4711" not in page
    assert "Promoted 1" in page and "1 not" in page


def test_a_long_list_is_named_by_its_first_three(reviewer: Client) -> None:
    told = decide_together(reviewer, *(make_memory(f"claim {n}") for n in range(7)))
    assert "Promoted 7: “claim 0”, “claim 1”, “claim 2” and 4 more" in told


def test_a_restored_skill_is_asked_about_for_agents_get_it_again(reviewer: Client) -> None:
    skill = make_skill("change-seat")
    skill.memory.dismiss(by=BEN, why="stale", at=AT)
    skill.memory.restore(by=BEN, at=AT)
    assert "Promote this one too?" in decide_together(reviewer, skill.memory)


def test_thousands_come_in_one_field_and_are_asked_about_by_their_number(reviewer: Client) -> None:
    memory = make_memory()
    others = [str(uuid4()) for _ in range(5_000)]
    body = {"decision": "snooze tomorrow", "chosen": "\n".join(f"{pk} 1." for pk in [*others, memory.pk])}
    page = reviewer.post("/bulk/", body, follow=True).content.decode()
    assert "Snooze 5,001 until" in page
    assert not Memory.objects.exclude(snoozed_until=None).exists()


def test_of_very_many_flagged_rows_the_first_are_read_and_the_others_counted(
    reviewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consent, "MOST_NAMED", 2)
    skill = candidate("book-flight")
    flagged = [make_memory(f"claim {n}", flags=["instruction"]) for n in range(5)]
    question = review.question(trust_of(make_person("ben")), [row.pk for row in (*flagged, skill.memory)])
    assert [row.pk for row in question.rows] == [skill.memory.pk, flagged[0].pk]
    assert (question.total, question.skill_count) == (6, 1)
    assert question.version_tokens == {row.pk: review.version_token(row) for row in (*flagged, skill.memory)}
    page = decide_together(reviewer, *flagged, skill.memory, make_memory("Acme pays late"))
    assert "Promote these 6 too?" in page and "claim 0" in page and "claim 1<" not in page and "and 4 more" in page
    assert "Promoted 7" in answered(reviewer, page, "Promote and publish all 7")


def test_proposals_of_a_tab_are_decided_together_in_their_own_words(reviewer: Client) -> None:
    for n in range(3):
        propose(make_memory(f"Company {n} pays late", status="confirmed"), content=f"Company {n} pays early")
    page = reviewer.get("/?kind=revision").content.decode()
    assert page.count('name="chosen"') == 3
    assert page.count("Accept") == 4  # of the selection and of each row
    as_of = re.search(r'name="as_of" value="([^"]+)"', page)
    assert as_of
    body = {"decision": "promote", "matching": "1", "kind": "revision", "as_of": as_of[1]}
    told = reviewer.post("/bulk/", body, follow=True).content.decode()
    assert "Accepted 3: “Company" in told
    batch = re.search(r"/undo/([0-9a-f-]+)/", told)
    assert batch
    assert "Undone" in reviewer.post(f"/undo/{batch[1]}/", follow=True).content.decode()
    assert Proposal.objects.open().count() == 3


def test_conflicts_of_a_tab_can_only_be_kept_together(reviewer: Client) -> None:
    pair = [make_memory(f"Acme pays on net-{n} terms") for n in (30, 60)]
    change = {"verb": "choose", "ids": [str(one.pk) for one in pair]}
    Proposal.objects.filter(pk=propose(pair[0]).pk).update(kind="conflict", change=change, others=[pair[1].pk])
    page = reviewer.get("/?kind=conflict").content.decode()
    bar = page[page.index('id="bulk"') : page.index('id="queue"')]
    assert "Keep both" in bar and "Promote" not in bar
    chosen = re.search(r'name="chosen"\s+value="([^"]+)"', page)
    assert chosen
    body = {"decision": "dismiss both hold", "chosen": chosen[1]}
    assert "Kept both of 1" in reviewer.post("/bulk/", body, follow=True).content.decode()


def test_an_expiry_that_a_proposal_leaves_as_it_is_is_no_change() -> None:
    memory = make_memory("Acme pays late", expires_at=AT)
    stays, moves = (propose(memory, expires_at=format_instant(at)) for at in (AT, AT + timedelta(days=1)))
    assert (proposed_change(stays)["facts"], len(proposed_change(moves)["facts"])) == ([], 1)
