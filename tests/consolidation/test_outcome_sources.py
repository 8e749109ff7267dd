"""How a run ended, by who or what says so: ranks, what is read from runs, and counts that move once."""

from datetime import timedelta
from typing import Any

import pytest

from consolidation.insights.charts import outcome_sources
from consolidation.insights.figures import Figures
from consolidation.learning.statements.outcome_statements import says_it_worked
from consolidation.models.profiles import RunProfile
from memories.intake.episodes import agreement
from memories.intake.episodes.closing import judge, set_outcome
from memories.models import AuditEntry, Episode, Memory
from memories.values.choices import ActorKind, Outcome, OutcomeSource
from memories.values.trust import Actor, everything
from memos_site import review
from tests.consolidation.experience import AGENT, NOON, competence, consolidated, run, totals
from tests.make import make_agent

pytestmark = pytest.mark.django_db
ANNA = everything(Actor(ActorKind.PERSON, "Anna", "7"))
WELL, ILL = Outcome.SUCCESS, Outcome.FAILURE
PASSED, FAILED = "3 passed in 0.1s", "1 failed, 2 passed in 0.1s"
Said = list[dict[str, Any]]


@pytest.mark.parametrize(
    ("told", "texts"),
    [
        (
            True,
            "That worked, thanks!|It works now.|Perfect, works great|"
            "The tests pass now|The issue is fixed. Thank you!|"
            "Yes, that fixed it|everything is working now|The build is green|"
            "perfect, merged|LGTM|thanks, works|great, that did it|"
            "nice, all green|Deployed, all good|Confirmed, fixed|"
            "Tests pass now|Works on my machine now too|finally!! no more CORS error|ok the crash is gone|"
            "Reviewed and approved, merged into develop.|Der Fehler ist weg|läuft, danke!|Perfecto, ya funciona|"
            "可以了，谢谢|问题解决了|测试都通过了|修好了！|好了，谢谢|搞定|没问题，已合并|合并了，谢谢|测试全绿|"
            "Thanks, that matches what finance has.|same as in the dashboard, great|yep 41,882 is what I had too|"
            "The warehouse has the new label, thanks.|Voucher arrived and the note is there, perfect.|"
            "The room is booked, thx!|Great, that is complete now.|Perfect, Nadia is in everywhere now. Thank you!|"
            "Thanks, the shop shows the new price now.|That's right now, thank you.|Good, booked and planned. Thanks.|"
            "Thanks, everything is there.|"
            "Thanks, alert cleared.|Great, 1.8.0 is live.|v2.3.1 is out|"
            "Thanks, it's out.|nice, it's back up|No more 502s since noon|"
            "all pods are ready|I can log in again now|ok the lag dropped|sorted, cheers|the tag is there|"
            "告警没再响了|服务恢复了|证书时间对了|"
            "spot on|exactly what i needed|I recounted and got the same number|"
            "对的,跟财务那边的数一致|ok 跟看板上一样",
        ),
        (
            False,
            "the tag was supposed to be 3.2|The site is down again|"
            "still firing|the alert fired again|it went down again after ten minutes|wrong host|tag is missing|"
            "the release has no binaries attached|the fix isn't in|DNS still points to the old address|"
            "you merged into develop, it was meant to be main|"
            "back to square one|又报警了|没好，还在响|发错版本了|服务没起来|"
            "It still doesn't work|That did not work.|same error|Still getting the same error when I run pytest|"
            "It still fails when I click Save|You broke the login|The bug is still there|"
            "CI is red: client.ts is old|The pipeline failed|nope, same error|this breaks the build on Windows|"
            "doesn't work on Safari|Does not work, I get a 500 now|Now I get a KeyError in parse_row|Still nothing|"
            "no, the factory is wrong, it gives null|It still does not show up, the mapper is not called|It's worse|"
            "that didnt work, the modal still opens behind the navbar|No. The numbers are still duplicated|"
            "After your last edit the app won't even start|wrong file! you overwrote config.prod.yml|"
            "geht immer noch nicht|Die Summen stimmen nicht.|sigue sin funcionar|金额算错了|same thing again|"
            "The tests fail in CI now|Revert this please, it breaks production|The button is still disabled|"
            "It throws an exception when the list is empty|There is still a failing test|Wrong result: 12|"
            "还是不行|仍然报错|问题没解决|不管用|页面还是空的|没效果|不行，报 500|改了之后登录不了|测试挂了|结果不对|"
            "你改坏了登录|跑不起来|又挂了|编译不过|报错：KeyError|现在报 TypeError 了|按钮还是点不了|回滚吧|"
            "That isn't what finance has.|no, too high|nope doesn't match, I get 5,602|You forgot the attachment|"
            "Doesn't reconcile.|这个数不对吧|你漏了附件二",
        ),
        (
            None,
            "Does it work?|If it works, commit it|That works for me|That works!|The checkout does not work|thanks|"
            "Make sure it works|It worked before your change|It works, but the button is ugly|Yes, please proceed|"
            "It's not right that some have nothing|That should work|Fix the failing tests|Is CI red?|"
            "The icon is still there too|This breaks my heart|"
            "Does not the build work?|When I click Save the page breaks. Please fix it.|I still can't believe it|"
            "I don't think that's the number|It's not exactly what I needed|I doubt that matches|"
            "I see no changes on the page|I get the same thing again|Same as the last time|Everything looks great!|"
            "No, you can go ahead|I got 2 lamps and ordered one|My address is not correct|"
            "If that matches the ledger, book it|Mobile data is off|"
            "Yes, everything is correct. Please proceed.|The item is still in its box|"
            "before it goes live, does marketing know?|is it back?|If it's out, announce it|the other one is down too|"
            "It's live in two weeks|It's out on Friday|The rates are up|"
            "The list is empty|It's up to you|Always up for it|"
            "it's going down again tomorrow for maintenance|I was supposed to go|that was meant to be a joke|"
            "Let's check again after 10 minutes|I landed yesterday|"
            "the customer confirmed the address|see the notes there|"
            "Get it back to normal|I want no more alerts|"
            "not good timing, later|We need it so that they can log in again|"
            "The wrong item arrived, thanks.|Both items arrived broken, thanks|Nothing arrived, thanks|"
            "They are here, thanks|"
            "Can you bring it back up?|The alert cleared, but I have not looked at the logs|"
            "Thanks. The new shop is the main focus right now|Thanks, that is all for now|"
            "I will let you know if it fires again|上线了吗|恢复了再说|"
            "能用了吗？|如果可以了请告诉我|结果不对的话再改|登录页面报错，帮我看看|"
            "合并之前再跑一遍测试|好了没|没用过这个功能|改成红色就可以了",
        ),
    ],
)
def test_a_user_says_that_it_worked_only_in_plain_words(told: bool | None, texts: str) -> None:
    assert {text: says_it_worked(text) for text in texts.split("|")} == dict.fromkeys(texts.split("|"), told)


@pytest.mark.parametrize(
    ("told", "texts"),
    [
        (
            False,
            "The warehouse says that the label still has the old street.|"
            "Marta tells me the invoice shows the wrong amount|"
            "Our driver called and said the slip has the wrong address on it.|Finance says the total is wrong.|"
            "The warehouse says it did not work.|Jonas says the build fails again.|玛塔告诉我发票金额不对。",
        ),
        (
            True,
            "the warehouse says thanks, label is right|Marta tells me the invoice is correct now.|"
            "The customer says it works now.|Jonas says all tests pass.|Anna says thanks, the voucher arrived.",
        ),
        (
            None,
            "A customer says her invoice shows the wrong amount.|The customer says she ordered the wrong size.|"
            "The customer says that the old address is wrong, it is Calle Sol 5.|The policy says that it is wrong.|"
            "The previous agent told me the fee is wrong.|They say it will work next week.|She says thanks.|"
            "The customer says he has an old phone.|Does the warehouse say the label is right?|"
            "The customer says the label is right, but she wants another colour.|"
            "Anna says she wants the label to show the old price.",
        ),
    ],
)
def test_what_others_say_of_the_work_counts_as_the_users_word_and_what_they_wish_does_not(
    told: bool | None, texts: str
) -> None:
    assert {text: says_it_worked(text) for text in texts.split("|")} == dict.fromkeys(texts.split("|"), told)


def ended(memory: Memory) -> tuple[str | None, str]:
    row = Episode.objects.get(pk=memory.pk)
    return row.outcome, row.outcome_source


def undone(memory: Memory) -> bool:
    last = AuditEntry.objects.about("memory", memory.pk).filter(action="outcome").last()
    assert last is not None
    return review.undo(ANNA, last.batch_id, at=NOON).undone == [memory.pk]


def successes() -> tuple[int, int]:
    record = competence("refund").performance
    return record.successes, record.failures


def test_a_higher_source_beats_a_lower_one_and_counts_move_with_it_once() -> None:
    first, _second, third = (run(["refund"], minutes=n) for n in range(3))
    consolidated()
    assert successes() == (3, 0)
    assert judge(third.episode, ILL, trust=ANNA, at=NOON)
    assert not set_outcome(third.episode, WELL, trust=AGENT, source="build-agent", at=NOON)
    for _ in range(2):
        consolidated()
        assert (ended(third), successes()) == (("failure", "person"), (2, 1))
    judge(third.episode, None, trust=ANNA, at=NOON)
    consolidated()
    assert (ended(third), successes()) == ((None, "person"), (2, 0))
    assert not RunProfile.objects.filter(pk=third.pk).exists()
    before = totals()
    assert undone(third)
    consolidated()
    assert (ended(third), successes()) == (("failure", "person"), (2, 1))
    judge(first.episode, ILL, trust=ANNA, at=NOON)
    assert undone(first)
    consolidated()
    assert (ended(first), successes()) == (("success", "reported"), (2, 1))
    assert before != totals()
    rows = AuditEntry.objects.filter(subject_id=third.pk, action="outcome").order_by("id")
    assert [row.after["outcome"] for row in rows] == ["failure", None, "failure"]


def test_what_nobody_reported_is_read_from_checks_and_from_what_the_user_said_next(settings: Any) -> None:
    def script(output: str, opening: str = "fix it") -> Said:
        line = '{"command": "sed -i s/a/b/ x.py && pytest -q"}'
        call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": line}}
        return [
            {"role": "user", "content": opening},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": output},
        ]

    checked = [run([], None, minutes=n, messages=script(out)) for n, out in enumerate([PASSED, PASSED, FAILED])]
    reported = run([], "success", minutes=3, messages=script(FAILED))
    asked = run(["refund"], None, minutes=4, thread_id="t")
    again = run(["refund"], None, minutes=5, thread_id="t", messages=script("?", "It still doesn't work.")[:1])
    consolidated()
    consolidated()
    assert [ended(one) for one in checked] == [("success", "checks"), ("success", "checks"), ("failure", "checks")]
    assert ended(reported) == ("success", "reported")
    assert set(Episode.objects.get(pk=reported.pk).outcome_others) == {"checks"}
    assert competence("pytest").performance.successes == 3
    assert (ended(asked), ended(again)) == (("failure", "user"), (None, "none"))
    assert RunProfile.objects.filter(pk=asked.pk).exists()
    for counts in (False, True):
        settings.COUNT_INFERRED_OUTCOMES = counts
        agreement.recount()
        consolidated()
        assert (ended(asked), RunProfile.objects.filter(pk=asked.pk).exists()) == (("failure", "user"), counts)
        assert RunProfile.objects.filter(pk=checked[0].pk).exists()


def test_a_user_who_says_that_it_does_not_work_knows_more_than_the_checks_that_passed() -> None:
    line = '{"command": "sed -i s/a/b/ x.py && pytest -q"}'
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": line}}
    said = [
        {"role": "user", "content": "fix it"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": PASSED},
        {"role": "assistant", "content": "Done."},
    ]
    endings = ("It still fails on iOS.", "It works now, thanks.")
    runs = [
        run([], None, minutes=n, messages=[*said, {"role": "user", "content": one}]) for n, one in enumerate(endings)
    ]
    consolidated()
    assert [ended(one) for one in runs] == [("failure", "user"), ("success", "checks")]
    assert Episode.objects.get(pk=runs[0].pk).outcome_others["checks"]["outcome"] == "success"
    consolidated()
    assert ended(runs[0]) == ("failure", "user")


def test_a_source_that_people_disagree_with_stops_counting_and_says_so() -> None:
    rows = [run(["refund"], minutes=n) for n in range(31)]
    for n, row in enumerate(rows[:30]):
        said = ILL if n < 7 else WELL
        judge(row.episode, said, trust=ANNA, at=NOON)
        reported = agreement.agreements()[0]
        assert (reported.labels, reported.counts) == (n + 1, n < 29)
    assert (reported.source, reported.agreed) == ("reported", 23)
    consolidated()
    assert successes() == (23, 7)
    last = Episode.objects.get(pk=rows[-1].pk)
    assert (last.outcome, last.outcome_counts) == ("success", False)
    details = {agreement.DOUBTED: True}
    for row in rows[:7]:
        assert undone(row)
        asked: dict[str, Any] = {"details": details, "said_by": OutcomeSource.PERSON}
        set_outcome(row.episode, ILL, trust=ANNA, source="Anna", at=NOON + timedelta(1), **asked)
    assert agreement.agreements()[0].counts
    consolidated()
    assert successes() == (24, 7)


def test_a_few_labels_tell_which_agent_draws_down_what_all_report() -> None:
    honest, careless = (make_agent(name)[0].trust for name in ("honest-agent", "careless-agent"))
    for n in range(31):
        row, right = run(["refund"], minutes=n, trust=careless if n < 10 else honest), n >= 10
        judge(row.episode, WELL if right else ILL, trust=ANNA, at=NOON)
        told = agreement.agreements()[0]
        assert (told.counts, len(told.left_out)) == (True, int(n >= 29))
    assert agreement.counting().left_out == {careless.actor.identity}


def test_an_agent_that_people_disagree_with_counts_no_more_and_takes_no_other_agent_along() -> None:
    honest, careless = (make_agent(name)[0].trust for name in ("honest-agent", "careless-agent"))
    theirs = [run(["refund"], minutes=n, trust=honest) for n in range(10)]
    wrong = [run(["refund"], minutes=20 + n, trust=careless) for n in range(31)]
    for row in [*theirs[:9], *wrong[:30]]:
        judge(row.episode, WELL if row in theirs else ILL, trust=ANNA, at=NOON)
    reported = agreement.agreements()[0]
    assert (reported.agreed, reported.labels, reported.counts) == (9, 9, True)
    assert [(one.agent, one.agreed, one.labels) for one in reported.left_out] == [(careless.actor.identity, 0, 30)]
    consolidated()
    assert successes() == (10, 30)
    counts = {row: Episode.objects.get(pk=row.pk).outcome_counts for row in (theirs[-1], wrong[-1])}
    assert list(counts.values()) == [True, False]
    assert "careless-agent" in outcome_sources(Figures([], [], None)).note
    for trust in (honest, careless):
        row = run(["refund"], None, minutes=80, trust=trust)
        set_outcome(row.episode, WELL, trust=trust, source=trust.actor.name, at=NOON)
        assert Episode.objects.get(pk=row.pk).outcome_counts == (trust == honest)


@pytest.mark.parametrize(
    "said",
    [
        "Thanks. The server is down now.",
        "Thanks, Kim is waiting for the list now.",
        "Great, Anna is on holiday now.",
        "Thanks, the price is too high now.",
        "Thanks, the report shows errors now.",
        "Thanks, confused.",
        "Good, rejected.",
        "Thanks, that is right now urgent.",
        "thanks " * 80,
    ],
)
def test_thanks_with_now_that_tell_no_end_are_no_approval(said: str) -> None:
    assert says_it_worked(said) is not True
