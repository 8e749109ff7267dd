"""What people say of how things are in general when they correct an agent: recognised, and kept for review."""

from datetime import timedelta

import pytest

from consolidation.learning.statements.general_statements import general_statements
from memories.lifecycle import removal
from memories.models import Event, Memory, Passage
from memories.values.choices import Origin, Sensitivity, Status
from tests.consolidation.experience import NOON, consolidated, run
from tests.make import ANNA, answer, call, make_memory, user

REPLIES = {
    "That isn't what finance has. Orders of internal customers are not sales.": "Orders of internal customers are not"
    " sales",
    "hmm 9.4k? amounts in the ledger table are stored in cents so you're off by 100": "amounts in the ledger table are"
    " stored in cents",
    "Nope. The legacy_orders table hasn't been maintained since 2021, use orders_v3": "The legacy_orders table hasn't"
    " been maintained since 2021",
    "The timestamps are off because the warehouse system logs everything in UTC, while you read it as local.": "the"
    " warehouse system logs everything in UTC",
    "wrong, fiscal year runs april to march with us": "fiscal year runs april to march with us",
    "you've used the wrong rate. we convert at the month-average rate, not at the closing one": "we convert at the"
    " month-average rate, not at the closing one",
    "you can't schedule that, nobody deploys on fridays here": "nobody deploys on fridays here",
    "Not the right room. The Aquarium is reserved for the board on Tuesdays": "The Aquarium is reserved for the board"
    " on Tuesdays",
    "Still not the same. placed_at is in UTC.": "placed_at is in UTC",
    "you're missing about 40 tickets, status 'parked' counts as open": "status 'parked' counts as open",
    "Wrong again. Each return creates a second row in order_lines": "Each return creates a second row in order_lines",
    "that's not how we do errors. all errors go through problem+json": "all errors go through problem+json",
    "You used tabs. This repo uses spaces.": "This repo uses spaces",
    "Not the full 30 days: whoever starts in the year gets the share of the months that are left, 27.5 here.": "whoever"
    " starts in the year gets the share of the months that are left",
    "The shop still has the old price: export/prices.csv has to be written anew after each change.": "export/prices.csv"
    " has to be written anew after each change",
    "And each change of staff needs a row on the Changes sheet, with today's date.": "each change of staff needs a row"
    " on the Changes sheet, with today's date",
    "Not quite. On Changes we write New for a new colleague.": "On Changes we write New for a new colleague",
    "T-4414 should have no team yet: damages are assigned when the photos are there.": "damages are assigned when the"
    " photos are there",
    "T-5072 is a small amount, high priority is for refunds of more than 500 EUR only. Please correct that.": "high"
    " priority is for refunds of more than 500 EUR only",
    "T-4421 is wrong. The team wants a line in the channel #triage after each round.": "The team wants a line in the"
    " channel #triage after each round",
    "Wrong dates. All dates are stored in ISO-8601.": "All dates are stored in ISO-8601",
    "The file is still in the inbox; booked ones go to inbox/done.": "booked ones go to inbox/done",
    "Wrong note. Every correction of a payment must have the ticket in its note: note = 'OPS-...'.": "Every correction"
    " of a payment must have the ticket in its note: note = 'OPS-...'",
    "INV-7906: power, water and telephone are finance's. Please correct that.": "power, water and telephone are"
    " finance's",
    "No, invoices, credit notes or reminders go to finance.": "invoices, credit notes or reminders go to finance",
    "Wrong. In June, refunds and credits are counted twice.": "refunds and credits are counted twice",
    "不对,我们的接口都走网关,不能直接调服务": "我们的接口都走网关,不能直接调服务",
    "数多了。内部员工的订单不算业绩,要剔掉": "内部员工的订单不算业绩",
    "转化率算得太低了。试用期的用户不进分母": "试用期的用户不进分母",
    "错了,库里的时间是 UTC,你没转成北京时间": "库里的时间是 UTC",
}


@pytest.mark.parametrize(("reply", "statement"), REPLIES.items())
def test_what_holds_in_general_is_told_apart_from_the_rest_of_a_correction(reply: str, statement: str) -> None:
    assert [one.text for one in general_statements(reply)] == [statement]


@pytest.mark.parametrize(
    "reply",
    [
        "still broken: TypeError: cannot read properties of undefined",
        "nope doesn't match, I get 5,602",
        "you misspelled the client's name on page 1. Kowalczyk, not Kowalcyk",
        "Now the header overlaps the logo on my phone",
        "The invoice to Hartley has the PO number from the previous order on it",
        "wrong. try again",
        "T-4421 comes from a business customer. Please correct that.",
        "This is wrong, such tickets are merged into the older one.",
        "the dropdown is still showing the old names",
        "Sadly no. The meeting collides with the dentist appt I told you about",
        "this can't be right, how could we have sold -12 chairs",
        "不对,第三行的金额跟发票对不上",
        "你漏了附件二,只翻了附件一",
        "I've restarted my phone. It isn't better, mobile data is disabled",
        "Orders of internal customers are not sales.",
        "make a csv of all invoices that are overdue since more than 30 days",
        "yes, that's right, the second one",
        "That entitlement is wrong: Owen starts in the year, so only 18 of the 24 days.",
        "I'd like to change it, we don't have any baggage, not needed",
        "That's wrong. " + "Orders of internal customers are not sales. " * 10,
    ],
)
def test_what_is_of_the_case_at_hand_or_corrects_nothing_is_no_such_statement(reply: str) -> None:
    assert general_statements(reply) == []


CORRECTION = "That isn't what finance has. Orders of internal customers are not sales."
QUESTION = user("How many orders did we sell in April?")


def kept() -> list[str]:
    consolidated(at=NOON + timedelta(days=1))
    return list(
        Memory.objects.filter(origin=Origin.EXTRACTED, status=Status.CANDIDATE).values_list("content", flat=True)
    )


@pytest.mark.django_db
def test_a_correction_becomes_a_candidate_of_the_next_answer() -> None:
    work = [call("query", sql="select count(*) from orders"), answer({"count": 720})]
    run([], messages=[QUESTION, *work, {"role": "assistant", "content": "720"}, user(CORRECTION)])
    assert kept() == ["Orders of internal customers are not sales"]


@pytest.mark.django_db
def test_a_correction_is_found_by_the_request_that_it_answers_also_after_an_edit_until_the_run_is_forgotten() -> None:
    work = [call("query", sql="select 1"), answer({"sum": 720})]
    request = user("What was our net revenue in March?")
    episode = run([], messages=[request, *work, {"role": "assistant", "content": "720"}, user(CORRECTION)])
    kept()
    memory = Memory.objects.get(origin=Origin.EXTRACTED)
    memory.edit({"content": "Orders of internal customers and of tests are not sales"}, by=ANNA, at=NOON)

    def found() -> list[str]:
        return list(memory.passages.order_by("position").values_list("text", flat=True))

    assert found() == ["What was our net revenue in March?", "Orders of internal customers and of tests are not sales"]
    removal.remove([episode.pk])
    assert found() == ["Orders of internal customers and of tests are not sales"]


def with_secret_request(sensitivity: Sensitivity) -> Memory:
    """A memory of this level, for which the request of a run of level high was to be kept."""
    memory = make_memory("Orders of internal customers are not sales", sensitivity=sensitivity)
    secret = run([], messages=[user("What does Anna earn?"), call("query", sql="1"), answer("1")], sensitivity="high")
    request = Event.objects.select_related("episode__memory").get(episode=secret.pk, role="user")
    Passage.objects.write_request(memory, request)
    return memory


def requests(memory: Memory) -> list[str]:
    return list(memory.passages.filter(event__isnull=False).values_list("text", flat=True))


@pytest.mark.django_db
def test_the_request_of_a_more_secret_run_does_not_stand_with_what_was_said_in_it() -> None:
    assert requests(with_secret_request(Sensitivity.LOW)) == []


@pytest.mark.django_db
def test_a_memory_whose_level_is_changed_is_found_by_no_request_any_more() -> None:
    memory = with_secret_request(Sensitivity.HIGH)
    assert requests(memory) == ["What does Anna earn?"]
    memory.edit({"sensitivity": Sensitivity.LOW}, by=ANNA, at=NOON)
    assert requests(memory) == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    "messages",
    [
        [user(CORRECTION), call("query", sql="select 1"), answer({"count": 1})],
        [QUESTION, {"role": "assistant", "content": "720"}, user(CORRECTION)],
        [
            user("My user id is lena_1, where is my order?"),
            call("get_user", user_id="lena_1"),
            answer({"user_id": "lena_1"}),
            {"role": "assistant", "content": "It was sold in April."},
            user(CORRECTION),
        ],
    ],
    ids=["a first request", "talk without work", "words of a customer"],
)
def test_what_corrects_no_agent_at_work_or_comes_of_a_customer_is_not_kept(messages: list[dict[str, object]]) -> None:
    run([], messages=messages)
    assert kept() == []
