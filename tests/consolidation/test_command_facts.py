"""What runs show of commands becomes one fact of a repository: counted once, followed while nobody decided, contested
when it turns, and never said again once a person has dismissed it."""

import json
from datetime import timedelta
from typing import Any

import pytest
from uuid_utils.compat import uuid7

from consolidation.learning.effects.option_tries import OPTIONS_OF
from consolidation.models.commands import CommandAttempt, CommandFact
from consolidation.models.profiles import PendingProfile
from memories.intake import equal_claims
from memories.models import Episode, Evidence, Memory, Proposal
from memories.values.choices import ActorKind, Category, Origin, Review, Status
from memories.values.speakers import review_of
from memories.values.trust import Actor, everything
from tests.consolidation.experience import NOON, consolidated, run
from tests.make import make_agent
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
PERSON = Actor(ActorKind.PERSON, "Rita")
MISSING = "<returncode>127</returncode>\n<output>\n/bin/sh: 1: pytest: not found\n</output>"
PASSED = "<returncode>0</returncode>\n<output>\n=== 12 passed in 0.3s ===\n</output>"
BROKEN = "<returncode>1</returncode>\n<output>\nImportError: cannot import name 'Mapping' from 'collections'\n</output>"
STARTS = ("bin/test sympy/core", PASSED)
DOES_NOT = ("pytest -q sympy/core", MISSING)
_hours = iter(range(1, 10_000))


def commands(*lines: tuple[str, str], repository: str | None = "sympy", **fields: Any) -> Memory:
    """A stored run of these command lines with what each answered."""
    said: list[dict[str, Any]] = [{"role": "user", "content": "mend it"}]
    for n, (line, answer) in enumerate(lines):
        call = {"name": "bash", "arguments": json.dumps({"command": line})}
        said.append({"role": "assistant", "tool_calls": [{"id": f"c{n}", "type": "function", "function": call}]})
        said.append({"role": "tool", "tool_call_id": f"c{n}", "content": answer})
    more: dict[str, Any] = {"repository": repository} if repository else {}
    return run([], messages=said, minutes=next(_hours), **more, **fields)


def digested() -> None:
    consolidated(at=NOON + timedelta(days=30))


def nine_runs(**fields: Any) -> None:
    for _ in range(5):
        commands(STARTS, **fields)
    for _ in range(4):
        commands(DOES_NOT, **fields)
    digested()


@shared_rows
def counted() -> None:
    """Nine runs that are counted."""
    nine_runs()


def facts(**where: Any) -> list[Memory]:
    return list(Memory.objects.filter(type="semantic", origin=Origin.CONSOLIDATED, **where).order_by("scope", "key"))


def test_what_starts_and_what_does_not_is_one_candidate_with_a_row_of_evidence_for_each_run(counted: None) -> None:
    (fact,) = facts()
    assert fact.content == "In sympy `bin/test` starts (5 of 5 runs); `pytest` does not (0 of 4)."
    assert (fact.status, fact.category, fact.confidence) == (Status.CANDIDATE, Category.FACT, 40)
    assert fact.evidence.filter(episode__isnull=False).count() == 9


def test_each_run_speaks_at_the_first_call_of_the_command() -> None:
    for _ in range(4):
        commands(("ls sympy", PASSED), DOES_NOT, STARTS, ("bin/test sympy/core/tests", PASSED))
    digested()
    (fact,) = facts()
    rows = fact.evidence.exclude(event=None)
    assert set(rows.values_list("event__args__command", flat=True)) <= {DOES_NOT[0], STARTS[0]}
    assert rows.count() == 4


def test_the_next_run_adds_one_row_once_and_the_number_never_climbs(counted: None) -> None:
    commands(STARTS)
    digested()
    PendingProfile.objects.put(Episode.objects.all())
    Episode.objects.update(digested_at=None)
    digested()
    (fact,) = facts()
    assert fact.content == "In sympy `bin/test` starts (6 of 6 runs); `pytest` does not (0 of 4)."
    assert (fact.evidence.count(), fact.confidence, fact.status) == (10, 40, Status.CANDIDATE)
    assert CommandAttempt.objects.exclude(fact__purpose__startswith=OPTIONS_OF).count() == 10


def test_when_it_turns_one_conflict_is_proposed_and_the_words_stay(counted: None) -> None:
    words = facts()[0].content
    for _ in range(2):
        commands(("bin/test sympy/core", BROKEN))
    digested()
    commands(("bin/test sympy/core", BROKEN))
    digested()
    (fact,) = facts()
    proposal = Proposal.objects.open().get(memory=fact)
    assert (fact.content, proposal.kind) == (words, Proposal.Kind.CONFLICT)
    told = "`bin/test` does not start any more (0 of the last 2 runs, 5 of 5 before); `pytest` does not (0 of 4)."
    assert proposal.change == {"verb": "edit", "content": f"In sympy {told}"}
    assert fact.evidence.filter(kind=Evidence.Kind.CONTRADICTS).count() == 3


def test_when_it_turns_back_the_open_question_is_withdrawn(counted: None) -> None:
    for answer in (BROKEN, BROKEN, PASSED):
        commands(("bin/test sympy/core", answer))
        digested()
    (fact,) = facts()
    assert not Proposal.objects.open().exists()
    assert Proposal.objects.get(memory=fact).decision == Proposal.Decision.WITHDRAWN
    assert fact.content == "In sympy `bin/test` starts (6 of 8 runs); `pytest` does not (0 of 4)."


def test_what_begins_to_start_is_asked_too(counted: None) -> None:
    for _ in range(2):
        commands(("pytest -q", PASSED))
    digested()
    told = "`pytest` starts now (2 of the last 2 runs, 0 of 4 before); `bin/test` starts (5 of 5)."
    assert Proposal.objects.get().change["content"] == f"In sympy {told}"


def test_a_single_run_that_is_otherwise_only_moves_the_counts(counted: None) -> None:
    commands(("bin/test sympy/core", BROKEN))
    digested()
    assert facts()[0].content == "In sympy `bin/test` starts (5 of 6 runs); `pytest` does not (0 of 4)."
    assert not Proposal.objects.exists()


def test_a_rejected_conflict_is_not_asked_again(counted: None) -> None:
    for _ in range(4):
        commands(("bin/test sympy/core", BROKEN))
        digested()
        for proposal in Proposal.objects.open():
            proposal.decide(Proposal.Decision.REJECTED, by=PERSON, at=NOON)
    assert Proposal.objects.count() == 1


@pytest.mark.parametrize("status", [Status.CONFIRMED, Status.DISMISSED])
def test_what_a_person_decided_keeps_its_words(status: Status, counted: None) -> None:
    (fact,) = facts()
    fact.revise("promote", {"status": status}, by=PERSON, why="seen", at=NOON)
    commands(STARTS)
    digested()
    assert [(one.pk, one.content, one.status) for one in facts()] == [(fact.pk, fact.content, status)]


def test_a_dismissed_one_does_not_come_back_when_it_is_gone_or_at_another_level(counted: None) -> None:
    facts()[0].revise("dismiss", {"status": Status.DISMISSED}, by=PERSON, why="no", at=NOON)
    CommandFact.objects.update(memory=None)
    Memory.objects.filter(pk=facts()[0].pk).delete()
    nine_runs()
    nine_runs(sensitivity="high")
    assert facts() == []


def test_another_repository_is_not_kept_down_by_a_dismissal(counted: None) -> None:
    facts()[0].revise("dismiss", {"status": Status.DISMISSED}, by=PERSON, why="no", at=NOON)
    nine_runs(repository="https://bot:token@git.example.org/tools/solver.git")
    (fact,) = facts(status=Status.CANDIDATE)
    assert fact.content == "In tools/solver `bin/test` starts (5 of 5 runs); `pytest` does not (0 of 4)."


def test_levels_and_scopes_are_counted_apart(counted: None) -> None:
    nine_runs(sensitivity="high")
    nine_runs(scope="project:other")
    told = [(fact.scope, fact.sensitivity, fact.evidence.count()) for fact in facts()]
    assert sorted(told) == [("project:acme", 1, 9), ("project:acme", 3, 9), ("project:other", 1, 9)]
    assert len({fact.content for fact in facts()}) == 1


def test_a_run_without_a_repository_belongs_to_the_package_that_its_commands_name() -> None:
    nine_runs(repository=None)
    assert facts()[0].content.startswith("In sympy ")


def test_two_runs_of_one_case_say_too_little() -> None:
    nine_runs(thread_id="one-task")
    assert facts() == []


def test_a_run_counts_with_its_first_attempt() -> None:
    for _ in range(3):
        commands(DOES_NOT, ("pip install pytest", PASSED), ("pytest -q", PASSED))
    digested()
    assert facts()[0].content == "In sympy `pytest` does not start (0 of 3 runs)."


def test_a_fault_in_the_middle_leaves_nothing_half_written(monkeypatch: pytest.MonkeyPatch) -> None:
    from consolidation import consolidation_run
    from consolidation.models import Run
    from consolidation.pipelines import facts as pipeline

    for line in (STARTS,) * 5:
        commands(line)
    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "_testify", lambda *_: 1 / 0)
        done = consolidation_run.consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=NOON + timedelta(days=30))
    assert done is not None
    assert (done.status, facts()) == (Run.Status.FAILED, [])
    digested()
    assert [fact.evidence.count() for fact in facts()] == [5]


def test_a_person_who_dismisses_one_repository_dismisses_no_other(counted: None) -> None:
    nine_runs(repository="solver")
    one, other = facts()
    equal_claims.dismiss(one, trust=everything(PERSON), why="wrong here", at=NOON, batch=uuid7())
    assert [fact.status for fact in facts(pk=other.pk)] == [Status.CANDIDATE]


def test_a_counted_fact_is_said_by_the_agents_whose_runs_show_it() -> None:
    ada, bob = (make_agent(name)[0].trust for name in ("ada", "bob"))
    nine_runs(trust=ada)
    (fact,) = facts()
    assert (fact.speakers, review_of(fact)) == ([ada.actor.identity], Review.ONE_AGENT)
    commands(STARTS, trust=bob)
    digested()
    (fact,) = facts()
    assert "6 of 6" in fact.content, "its words follow the counts"
    assert (fact.speakers, review_of(fact)) == ([ada.actor.identity, bob.actor.identity], Review.AGENTS)
