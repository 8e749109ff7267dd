"""What people change in drafts before they send them: compared, counted by kind of text, and proposed as a rule."""

from collections.abc import Sequence

import pytest

from consolidation.learning.statements.text_edits import edits, final_text
from memories.models import Episode, Memory
from memories.values.choices import Category, Status
from tests.consolidation.experience import consolidated, run
from tests.make import ANNA, answer, assistant, call, user

NUMBERS = ["Harbour 1,412, Mill 988", "Harbour 1,455, Mill 1,002", "Harbour 1,430, Mill 1,051"]


def report(figures: str, *, greeting: str = "Hi all,\n\n", closing: str = "\n\nBest regards\nOperations Team") -> str:
    events = "We are thrilled that the new timetable for our customers is out now and that the boiler at Park works!"
    return f"{greeting}It was a strong week at all of our halls.\n\n- {events}\n- Visits: {figures}{closing}"


def sent(figures: str) -> str:
    return f"Visits: {figures}\n\nThe new timetable is out. The boiler at Park works."


def changes(draft: str, final: str, kind: str) -> list[str]:
    return [edit.words for edit in edits(draft, final, kind) if edit.change]


def test_what_a_person_changed_in_a_draft_is_told_in_forms_that_recur() -> None:
    assert changes(report(NUMBERS[0]), sent(NUMBERS[0]), "weekly report") == [
        "no exclamation marks",
        "no bullet points",
        "shorter",
        "no greeting",
        "no sign-off",
        "figures first",
    ]


def test_a_greeting_a_signature_names_and_dates_are_compared() -> None:
    draft = "Dear Ms. Doyle,\n\nSam Ashworth will call you before October 12.\n\nKind regards,\nCustomer Service"
    final = "Hi Karen,\n\nSam will call you before 12 October, we hope.\n\nThe Northwall desk\n0161 555 0142"
    assert changes(draft, final, "reply") == [
        "greet with “Hi …”",
        "sign off with “The Northwall desk, 0161 555 0142”",
        "dates as 15 October, not October 15",
        "first names only",
    ]


def test_a_word_for_which_another_one_stands_is_a_word_of_the_house() -> None:
    draft = "The café was closed, which all our customers at Mill were told by mail."
    assert changes(draft, draft.replace("customers", "members"), "report") == ["say “members”, not “customers”"]
    german = "Wir haben allen Kunden am Montag geschrieben, dass das Haus zu ist."
    assert changes(german, german.replace("Kunden", "Gästen"), "Bericht") == ["„Gästen“ statt „Kunden“"]
    chinese = "本周仓库共收到客户投诉三起，均已处理完毕并回访。"
    assert changes(chinese, chinese.replace("客户", "会员"), "周报") == ["说“会员”，不说“客户”"]


def test_two_words_of_a_signature_are_nobodys_name() -> None:
    draft = "Hi all,\n\nAll is well at the mill.\n\nBest Regards\nOperations Team"
    final = draft.replace("Best Regards\nOperations Team", "Best\nOperations")
    assert changes(draft, final, "weekly report") == ["sign off with “Best, Operations”"]


def test_texts_of_the_same_words_over_and_over_are_not_compared_word_by_word() -> None:
    draft = "go on " * 300 + "customers then"
    assert changes(draft, draft.replace("customers", "members"), "report") == ["say “members”, not “customers”"]
    draft = "go on " * 1_000 + "customers then"
    assert changes(draft, draft.replace("customers", "members"), "report") == []


def test_edits_are_told_in_the_language_of_the_text() -> None:
    german = "Sehr geehrte Frau Behrens,\n\nvielen Dank! Wir ersetzen Ihnen die Rosen gern.\n\nMit freundlichen Grüßen"
    final = "Moin Frau Behrens,\n\nwir ersetzen Ihnen die Rosen gern, wie besprochen.\n\nIhr Gartenteam"
    assert changes(german, final, "Antwort") == ["keine Ausrufezeichen", "Anrede „Moin …“", "am Ende „Ihr Gartenteam“"]
    chinese = "# 周报\n\n本周各项工作圆满完成，整体平稳有序！\n\n## 数据\n- 出库：4,210 单，入库：1,132 单"
    assert changes(chinese, "# 第37周\n\n出库 4,210 单，入库 1,132 单", "周报") == [
        "不用感叹号",
        "不用小标题",
        "不用项目符号",
        "短一点",
        "先写数据",
    ]


def test_what_an_edit_of_the_facts_leaves_is_kept() -> None:
    draft = report(NUMBERS[0])
    assert changes(draft, draft.replace("1,412", "1,421").replace("Park", "Mill"), "report") == []
    assert edits(draft, draft + "\n", "report") == []


TEXT = "\n\n" + sent(NUMBERS[0])


@pytest.mark.parametrize(
    "lead", ["I sent this:", "Changed it a bit.", "Endfassung:", "So ging es raus:", "我改了，最终版："]
)
def test_a_reply_that_sends_back_what_went_out_holds_a_final_text(lead: str) -> None:
    assert final_text(lead + TEXT) == TEXT.strip()


@pytest.mark.parametrize(
    "reply",
    [
        "This part is wrong:" + TEXT,
        "Sent, thanks.",
        "Sent, thanks.\n\nNow write the minutes of today's meeting, please: Ruth and Sam were there.",
        "I sent this:\n\nok",
    ],
)
def test_other_replies_hold_none(reply: str) -> None:
    assert final_text(reply) == ""


def edited(finals: Sequence[str], *, lead: str = "I sent this:") -> None:
    for figures, final in zip(NUMBERS, finals, strict=False):
        request = user(f"Write this week's report, please. Visits: {figures}.")
        draft = assistant(f"Here is the report:\n\n{report(figures)}\n\nShall I send it?")
        run([], None, messages=[request, draft, user(f"{lead}\n\n{final}")])
    consolidated()


def proposed() -> dict[str, int]:
    memories = Memory.objects.filter(category=Category.PREFERENCE, status=Status.CANDIDATE)
    return {memory.content: memory.evidence.count() for memory in memories}


@pytest.mark.django_db
def test_what_is_changed_in_three_texts_of_a_kind_is_proposed_with_these_as_evidence() -> None:
    edited([sent(figures) for figures in NUMBERS])
    assert proposed() == {
        "Weekly report: no exclamation marks": 3,
        "Weekly report: no bullet points": 3,
        "Weekly report: shorter": 3,
        "Weekly report: no greeting": 3,
        "Weekly report: no sign-off": 3,
        "Weekly report: figures first": 3,
    }
    rule = Memory.objects.get(content="Weekly report: no greeting")
    assert rule.tags == ["weekly report", "report"]
    assert all(evidence.event.text.startswith("I sent this:") for evidence in rule.evidence.all() if evidence.event)
    assert rule.evidence.exclude(event=None).count() == 3


@pytest.mark.django_db
def test_a_draft_that_was_changed_and_sent_was_of_use() -> None:
    edited([sent(NUMBERS[0])], lead="Changed a few things:")
    assert Episode.objects.values_list("outcome", "outcome_source").get() == ("success", "user")


@pytest.mark.django_db
def test_one_text_proves_nothing_and_two_the_words_alone() -> None:
    edited([sent(figures) for figures in NUMBERS[:1]])
    assert proposed() == {}
    edited([sent(figures) for figures in NUMBERS[:1]])
    assert proposed() == {"Weekly report: no greeting": 2, "Weekly report: no sign-off": 2}


@pytest.mark.django_db
def test_what_others_kept_is_no_rule() -> None:
    edited([report(NUMBERS[0], closing=""), report(NUMBERS[1]).replace("strong", "good"), sent(NUMBERS[2])])
    assert proposed() == {}


@pytest.mark.django_db
def test_a_word_that_was_replaced_twice_is_proposed_for_all_texts_unless_it_was_kept() -> None:
    members = [report(figures).replace("customers", "members") for figures in NUMBERS[:2]]
    edited(members)
    assert proposed() == {"say “members”, not “customers”": 2}
    assert Memory.objects.get(category=Category.PREFERENCE).tags == ["all texts"]


@pytest.mark.django_db
def test_a_word_that_was_kept_as_often_as_replaced_is_not_proposed() -> None:
    replaced, kept = report(NUMBERS[0]).replace("customers", "members"), report(NUMBERS[1]).replace("strong", "good")
    edited([replaced, kept, report(NUMBERS[2]).replace("customers", "members")])
    assert proposed() == {}


@pytest.mark.django_db
def test_edits_of_three_texts_confirm_what_somebody_said() -> None:
    request = user(f"Write this week's report, please. Visits: {NUMBERS[0]}.")
    run([], None, messages=[request, assistant(report(NUMBERS[0])), user("Shorter, please.")])
    edited([sent(figures) for figures in NUMBERS])
    assert proposed()["Weekly report: shorter"] == 2


@pytest.mark.django_db
def test_a_dismissed_rule_is_not_proposed_again() -> None:
    edited([sent(figures) for figures in NUMBERS])
    rule = Memory.objects.get(content="Weekly report: no greeting")
    rule.dismiss(by=ANNA, why="", at=rule.created_at)
    edited([sent(figures) for figures in NUMBERS])
    assert "Weekly report: no greeting" not in proposed()


@pytest.mark.django_db
def test_a_draft_that_a_tool_wrote_is_compared_too() -> None:
    for figures in NUMBERS:
        written = [
            call("write_file", path="37.md", content=report(figures)),
            answer("ok"),
            assistant("It is in 37.md."),
        ]
        request = user(f"Write this week's report, please. Visits: {figures}.")
        run([], None, messages=[request, *written, user(f"final version:\n\n{sent(figures)}")])
    consolidated()
    assert proposed()["Weekly report: no greeting"] == 3


@pytest.mark.django_db
def test_what_a_sent_text_says_is_no_statement_of_its_user() -> None:
    body = "Hi Tom,\n\nwe never open on Sundays. From now on use the side door, please.\n\nThe Northwall desk"
    request = user('Answer this mail: "Are you open on Sundays? Tom" No, and they must use the side door now.')
    run([], None, messages=[request, assistant(body.replace("Hi", "Dear")), user(f"I sent this:\n\n{body}")])
    consolidated()
    assert not Memory.objects.filter(status=Status.CANDIDATE).exists()


def test_thousands_of_blank_lines_in_a_text_are_one() -> None:
    body = "Dear members," + "\n \n" * 2_000 + "the hall is closed on Monday and Tuesday."
    assert final_text(f"I sent this:\n{body}") == "Dear members,\n\nthe hall is closed on Monday and Tuesday."
