"""Steps of one conversation are asked side by side, as many at once as the model may be asked, and written in order."""

import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from consolidation import extraction_run
from consolidation.extraction import queue
from consolidation.extraction.steps import CHUNKS
from consolidation.llm.workers import Workers
from consolidation.models import LLMCall, Run
from consolidation.pipelines import skills
from memories import leases
from memories.leases import LeaseLost
from memories.models import Evidence, Lease, Tombstone
from skills.models import Skill, SkillVersion
from tests.consolidation.test_conversation_skills import DETAILS, FIELDS, HIKE, talk
from tests.make import AT
from tests.memories.test_leases import take_over, write
from tests.model_endpoint import ModelEndpoint, Reply

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 60.0  # seconds, after which a test that waits for what never comes fails
AT_ONCE = 5
SKILLS = {  # task -> what its skill does, and by which words it is found
    "alpha": "Bakes sourdough bread in a cold oven.",
    "beta": "Answers complaints about late parcels with a refund.",
    "gamma": "Rotates the certificates of a mail server.",
    "delta": "Tunes the strings of a violin by ear.",
    "epsilon": "Files the yearly tax return of a freelancer.",
}
NAMES = list(SKILLS)
# Each message teaches how something is to be done.
TAUGHT = [
    {"role": "user", "content": f"Always use the list of {name}: {text} {text} {text}"} for name, text in SKILLS.items()
]
Json = dict[str, Any]
Answer = Callable[[Json], Json]


@pytest.fixture
def endpoint(endpoint: ModelEndpoint) -> Any:
    with endpoint.configured(LLM_CONCURRENCY=AT_ONCE, LLM_TIMEOUT=PATIENCE):
        yield endpoint


def chunks(*names: str) -> Json:
    """Tasks that begin in this order; none has the messages of another."""
    return {"tasks": [{"task_name": name, "message_indices": [number]} for number, name in enumerate(names, 1)]}


def task_of(body: Json) -> str:
    """Which task a question is about."""
    text = body["messages"][1]["content"]
    return next(name for name in NAMES if f"## The task\n\n{name}\n" in text)


def skill_of(body: Json) -> Json:
    name = task_of(body)
    fields = {"name": f"skill-{name}", "description": SKILLS[name], "trigger": SKILLS[name].split()[1:4]}
    return {"skill": {**fields, "procedure": f"1. Begin with {name}."}, "reason": name}


def together(parties: int, answer: Answer) -> Answer:
    """The answer, which comes only when so many questions are open at once."""
    barrier = threading.Barrier(parties, timeout=PATIENCE)

    def answered(body: Json) -> Json:
        barrier.wait()
        return answer(body)

    return answered


def process(messages: Any = TAUGHT, *, minutes: float = 0) -> Run:
    run = Run.objects.filter(kind="extract").first() or queue.request(talk(messages), trigger=Run.Trigger.API, at=AT)
    extraction_run.process_queue(now=lambda: AT + timedelta(minutes=minutes), steps=skills.STEPS, threads=AT_ONCE)
    run.refresh_from_db()
    return run


def steps(run: Run) -> list[tuple[str, str, int]]:
    rows = run.steps.exclude(name=CHUNKS)
    return [(row.name.partition(": ")[2], row.status, row.attempts) for row in rows]


def test_recall_and_extraction_of_five_tasks_are_asked_at_once(endpoint: ModelEndpoint, settings: Any) -> None:
    settings.COMPLETE_SKILL_MEMORY = False
    endpoint.answers("task_chunking", chunks(*NAMES))
    endpoint.answers("query_rewrite", *[together(AT_ONCE, lambda body: {"query": task_of(body)})] * AT_ONCE)
    endpoint.answers("skill_extraction_simple", *[together(AT_ONCE, skill_of)] * AT_ONCE)
    run = process()
    assert (run.status, run.counters) == ("succeeded", {"tasks": 5, "skills_created": 5})
    assert steps(run) == [(name, "succeeded", 1) for name in NAMES]
    assert len(endpoint.asked) == LLMCall.objects.filter(run=run).exclude(purpose="need").count() == 11


def test_the_details_of_one_task_are_asked_at_once(endpoint: ModelEndpoint) -> None:
    others = [{"file": f"{name}.md", "brief": name} for name in NAMES[:3]]
    full = {**FIELDS, "tool": ["weigh"], "scripts": [{"file": "total.py", "brief": "adds"}], "others": others}
    barrier = threading.Barrier(AT_ONCE, timeout=PATIENCE)

    def detail(stage: str) -> Answer:
        def answered(body: Json) -> Json:
            barrier.wait()
            todo = next((name for name in NAMES if f"{name}.md: {name}" in body["messages"][1]["content"]), "")
            return {"content": f"# {todo}"} if stage == "others_generation" else DETAILS[stage]

        return answered

    endpoint.answers("task_chunking", {"tasks": [{"task_name": "alpha", "message_indices": [[1, 9]]}]})
    endpoint.answers("query_rewrite", {"query": "lists"})
    endpoint.answers("skill_extraction", {"skill": full, "reason": "r"})
    for stage, times in (("script_generation", 1), ("tool_generation", 1), ("others_generation", 3)):
        endpoint.answers(stage, *[detail(stage)] * times)
    assert process(HIKE).status == "succeeded"
    fields = SkillVersion.objects.get().fields
    assert fields["others"] == {f"{name}.md": f"# {name}" for name in NAMES[:3]}
    assert set(fields["scripts"]) == {"total.py"} and fields["tool"] == ["`weigh`: Gives the weights."]
    kept = Run.objects.get().steps.get(name__startswith="task").answer
    assert kept is not None and len(kept) == 3 + AT_ONCE


def test_no_more_is_asked_at_once_than_the_setting_says(endpoint: ModelEndpoint, settings: Any) -> None:
    settings.COMPLETE_SKILL_MEMORY = False
    lock, now, most = threading.Lock(), [0], [0]

    def counted(answer: Answer) -> Answer:
        meet = together(2, answer)

        def answered(body: Json) -> Json:
            with lock:
                now[0] += 1
                most[0] = max(most[0], now[0])
            try:
                return meet(body)
            finally:
                with lock:
                    now[0] -= 1

        return answered

    with endpoint.configured(LLM_CONCURRENCY=2, LLM_TIMEOUT=PATIENCE):
        found = chunks(*NAMES[:4])["tasks"]  # with their queries: questions of two kinds could wait for each other
        endpoint.answers("task_chunking", {"tasks": [{**task, "query": task["task_name"]} for task in found]})
        endpoint.answers("skill_extraction_simple", *[counted(skill_of)] * 4)
        assert process().status == "succeeded"
    assert most == [2]


def test_they_are_written_in_the_order_of_the_tasks_whichever_is_answered_first(
    endpoint: ModelEndpoint, settings: Any
) -> None:
    settings.COMPLETE_SKILL_MEMORY = False
    last_is_answered = threading.Event()

    def backwards(body: Json) -> Json:
        if task_of(body) == NAMES[1]:
            last_is_answered.set()
        else:
            assert last_is_answered.wait(PATIENCE)
        same = skill_of(body)
        same["skill"]["name"] = FIELDS["name"]
        return same

    endpoint.answers("task_chunking", chunks(*NAMES[:2]))
    endpoint.answers("query_rewrite", *[{"query": "lists"}] * 2)
    endpoint.answers("skill_extraction_simple", *[backwards] * 2)
    run = process()
    assert run.counters == {"tasks": 2, "skills_created": 1, "versions_proposed": 1}
    procedures = SkillVersion.objects.order_by("number").values_list("fields__procedure", flat=True)
    assert list(procedures) == ["1. Begin with alpha.", "1. Begin with beta."]


@pytest.mark.parametrize("names", [("list-gear", "list-gear"), ("list-gear", "write-gear-list")])
def test_conversations_that_are_read_at_once_make_one_skill(
    endpoint: ModelEndpoint, settings: Any, names: tuple[str, str]
) -> None:
    settings.COMPLETE_SKILL_MEMORY = False
    runs = [queue.request(talk(id=name), trigger=Run.Trigger.API, at=AT) for name in ("first", "second")]
    both, given = threading.Barrier(2, timeout=PATIENCE), iter(names)

    def needed(_body: Json) -> Json:
        both.wait()
        return {"notes": []}

    task = {"task_name": "alpha", "message_indices": [[1, 9]], "query": "lists"}
    endpoint.answers("task_chunking", *[{"tasks": [task]}] * 2)
    endpoint.answers("skill_extraction_simple", *[lambda _body: {"skill": {**FIELDS, "name": next(given)}}] * 2)
    endpoint.answers("need", *[needed] * 2)
    extraction_run.process_queue(now=lambda: AT, steps=skills.STEPS, threads=AT_ONCE)
    assert [run.steps.exclude(status="succeeded").count() for run in runs] == [0, 0]
    assert Evidence.objects.filter(memory=Skill.objects.get().pk).count() == 2


def test_a_task_that_fails_does_not_touch_the_others_beside_it(endpoint: ModelEndpoint, settings: Any) -> None:
    settings.COMPLETE_SKILL_MEMORY = False

    def one_fails(body: Json) -> Any:
        return "no JSON" if "## The task\n\nbeta\n" in str(body["messages"][1]["content"]) else skill_of(body)

    endpoint.answers("task_chunking", chunks(*NAMES[:3]))
    endpoint.answers("query_rewrite", *[{"query": "lists"}] * 3)
    endpoint.answers("skill_extraction_simple", *[one_fails] * 6)
    run = process()
    assert run.status == "paused" and "no complete JSON" in run.error
    assert steps(run) == [("alpha", "succeeded", 1), ("beta", "failed", 1), ("gamma", "succeeded", 1)]
    assert set(Skill.objects.values_list("name", flat=True)) == {"skill-alpha", "skill-gamma"}
    asked = len(endpoint.asked)
    endpoint.answers("skill_extraction_simple", skill_of)
    run = process(minutes=5)
    assert run.status == "succeeded" and len(endpoint.asked) == asked + 1
    assert Skill.objects.count() == 3


def test_what_was_answered_beside_an_outage_is_kept_and_not_paid_for_again(
    endpoint: ModelEndpoint, settings: Any
) -> None:
    settings.COMPLETE_SKILL_MEMORY = False
    meet = threading.Barrier(3, timeout=PATIENCE)

    def one_is_out(body: Json) -> Any:
        meet.wait()
        return Reply(status=401) if task_of(body) == "beta" else skill_of(body)

    endpoint.answers("task_chunking", chunks(*NAMES[:3]))
    endpoint.answers("query_rewrite", *[{"query": "lists"}] * 3)
    endpoint.answers("skill_extraction_simple", *[one_is_out] * 3)
    run = process()
    assert run.status == "paused" and "401" in run.error
    assert steps(run) == [("alpha", "succeeded", 1), ("beta", "pending", 0), ("gamma", "succeeded", 1)]
    asked = len(endpoint.asked)
    endpoint.answers("skill_extraction_simple", skill_of)
    run = process(minutes=30)
    assert run.counters == {"tasks": 3, "skills_created": 3} and len(endpoint.asked) == asked + 1


def test_each_thread_has_a_connection_of_its_own_which_it_closes() -> None:
    meet, opened = threading.Barrier(3, timeout=PATIENCE), list[BaseDatabaseWrapper]()

    def work() -> int:
        opened.append(connections[DEFAULT_DB_ALIAS])
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (pid,) = cursor.fetchone()
        meet.wait()
        return int(pid)

    with Workers(2) as workers:
        assert len(set(workers.together([work] * 3))) == 3
    assert [one.connection is None for one in opened if one is not connections[DEFAULT_DB_ALIAS]] == [True, True]


def test_what_no_thread_has_begun_is_done_by_the_one_that_waits_for_it() -> None:
    def outer() -> list[int]:
        return workers.together([partial(int, number) for number in range(4)])

    with Workers(1) as workers:
        assert workers.together([outer] * 8) == [[0, 1, 2, 3]] * 8


def test_a_fault_is_raised_when_all_that_began_have_ended() -> None:
    meet, ended = threading.Barrier(2, timeout=PATIENCE), threading.Event()

    def fails() -> None:
        meet.wait()
        raise ValueError("of no use")

    def works() -> None:
        meet.wait()
        ended.set()

    with Workers(1) as workers, pytest.raises(ValueError, match="of no use"):
        workers.together([works, fails])
    assert ended.is_set()


def test_a_thread_writes_under_the_lease_of_the_one_that_it_works_for() -> None:
    meet = threading.Barrier(2, timeout=PATIENCE)

    def written() -> None:
        meet.wait()
        write()

    with Workers(1) as workers:
        with leases.hold("consolidate:project:shop", wait=False):
            workers.together([written] * 2)
            assert Tombstone.objects.count() == 2
        with pytest.raises(LeaseLost), leases.hold("consolidate:project:shop", wait=False):
            take_over()
            workers.together([written] * 2)
    assert Tombstone.objects.count() == 2 and Lease.objects.exists()
