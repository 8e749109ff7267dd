"""How a run ended, by who or what says so: ranks, what is read from runs, and counts that move once."""

from datetime import timedelta
from typing import Any

import pytest

from consolidation.insights.charts import outcome_sources
from consolidation.insights.figures import Figures
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
    assert (reported.source, reported.agreeing_labels) == ("reported", 23)
    consolidated()
    assert successes() == (23, 7)
    last = Episode.objects.get(pk=rows[-1].pk)
    assert (last.outcome, last.outcome_counts) == ("success", False)
    details = {agreement.DOUBTED: True}
    for row in rows[:7]:
        assert undone(row)
        asked: dict[str, Any] = {"details": details, "outcome_source": OutcomeSource.PERSON}
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
    assert (reported.agreeing_labels, reported.labels, reported.counts) == (9, 9, True)
    assert [(one.agent, one.agreeing_labels, one.labels) for one in reported.left_out] == [
        (careless.actor.identity, 0, 30)
    ]
    consolidated()
    assert successes() == (10, 30)
    counts = {row: Episode.objects.get(pk=row.pk).outcome_counts for row in (theirs[-1], wrong[-1])}
    assert list(counts.values()) == [True, False]
    assert "careless-agent" in outcome_sources(Figures([], [], None)).note
    for trust in (honest, careless):
        row = run(["refund"], None, minutes=80, trust=trust)
        set_outcome(row.episode, WELL, trust=trust, source=trust.actor.name, at=NOON)
        assert Episode.objects.get(pk=row.pk).outcome_counts == (trust == honest)
