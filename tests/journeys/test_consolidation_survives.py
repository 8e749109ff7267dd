"""A worker may die at any moment of a run, and two may run at once: the totals are those of an undisturbed run."""

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.consolidation.experience import messages
from tests.journeys.dying import Moment, die, frozen
from tests.journeys.forking import Forking
from tests.memos_site.processes import PATIENCE

pytestmark = pytest.mark.slow


def refund(n: int, *, right: bool) -> list[dict[str, Any]]:
    """The messages of a run that refunds with the payment of the order, or with the number from the user's words."""
    order = {"order_id": f"order-{n}", "payment_id": f"pay-{n}"}
    payment = {"payment_id": order["payment_id" if right else "order_id"]}
    answer = {"refunded": True} if right else {"error": "payment not found"}
    run: list[dict[str, Any]] = [{"role": "user", "content": f"order-{n} arrived broken, I want my money back"}]
    calls = (("get_order", {"order_id": f"order-{n}"}, order), ("refund_payment", payment, answer))
    for tool, arguments, result in calls:
        call = {"id": tool, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
        run.append({"role": "assistant", "content": None, "tool_calls": [call]})
        run.append({"role": "tool", "tool_call_id": tool, "content": json.dumps(result)})
    return run


CALLS = [
    (["get_user", "cancel_order"], "success"),
    (["get_user", "cancel_order"], "success"),
    (["get_user", "cancel_order"], "failure"),
    (["get_user", "search_orders", "send_refund"], "success"),
    (["get_user", "send_refund"], "success"),
    (["get_user"], "partial"),
] * 3  # 18 episodes
REFUNDS = [(refund(n, right=n % 4 != 3), "failure" if n % 4 == 3 else "success") for n in range(8)]
STORY = [(messages(used), outcome) for used, outcome in CALLS] + REFUNDS
SMALL_BATCHES = """
from consolidation.pipelines import sightings
sightings.BATCH = 15
"""  # two of them

# When it dies: the attempt committed, within a batch, everything written but not
# committed, committed, while a package is written, the package written, a competence written but not committed, a fact
# read but not written.
MOMENTS = {
    "attempt-committed": Moment("consolidation.pipelines.sightings", "_digest", 0),
    "mid-batch": Moment("consolidation.pipelines.sightings", "_count", 2),
    "before-commit": Moment("memories.models.episode", "EpisodeQuerySet.digested", 0),
    "after-commit": Moment("consolidation.pipelines.competences", "write_competences", 0),
    "writing-a-zip": Moment("skills.storages.local", "os.link", 1),
    "zip-written": Moment("consolidation.pipelines.competence_writing", "create", 1),
    "competence-not-committed": Moment("consolidation.models", "Pattern.settle", 1),
    "fact-not-written": Moment("consolidation.pipelines.facts", "_write", 0),
    "profile-not-committed": Moment("consolidation.guidance.holdback", "settle", 1),
    "profiles-not-measured": Moment("consolidation.guidance.latest_runs", "refit", 0),
}

TOTALS = """
import io, json
from django.core.management import call_command
call_command("consolidate", stdout=io.StringIO())
from consolidation.models import Pattern, Run
from consolidation.models.arguments import ArgumentFact
from consolidation.models.profiles import GuidanceCurve, RunProfile, PendingProfile
from memories.models import Episode
from skills.models import SkillVersion
rows = [
    [p.kind, p.signature, p.successes, p.failures, p.partials, p.due, bool(p.memory)]
    + ([p.memory.performance.successes, p.memory.performance.failures, p.memory.evidence.count()] if p.memory else [])
    for p in Pattern.objects.filter(scope={scope!r}).select_related("memory__performance")
]
facts = [
    [fact.topic, fact.due, fact.words] + ([fact.memory.content, fact.memory.evidence.count()] if fact.memory else [])
    for fact in ArgumentFact.objects.filter(scope={scope!r}).select_related("memory")
]
versions = SkillVersion.objects.filter(skill__scope={scope!r})
print(json.dumps({{
    "patterns": sorted(rows),
    "facts": sorted(facts),
    "versions": sorted(versions.values_list("skill__name", "number", "status", "sha256")),
    "unread": Episode.objects.undigested().filter(scope={scope!r}).count(),
    "profiles": RunProfile.objects.filter(scope={scope!r}).count(),
    "unprofiled": PendingProfile.objects.filter(scope={scope!r}).count(),
    "curves": GuidanceCurve.objects.filter(scope={scope!r}).count(),
    "read": sum(run.counters.get("episodes_read", 0) for run in Run.objects.filter(steps__scope={scope!r})),
    "running": Run.objects.filter(status="running").count(),
}}))
"""

ERRORS = """
from consolidation.models import Run
print(list(Run.objects.filter(status="failed").order_by("-created_at").values_list("error", flat=True)[:2]))
"""
FROZEN = "its worker was frozen or disconnected for so long that another one took over"
DIED = "its worker died"  # says the other one, where the lease was over before it began


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of the recorded runs."""
    path = tmp_path_factory.mktemp("story") / "runs.jsonl"
    lines = [{"id": f"run-{n}", "outcome": outcome, "messages": run} for n, (run, outcome) in enumerate(STORY)]
    path.write_text("\n".join(json.dumps(line) for line in lines))
    return str(path)


def consolidated(home: Forking, scope: str) -> dict[str, Any]:
    """What a scope's patterns and skills hold after one more run of consolidation."""
    found: dict[str, Any] = json.loads(home.shell(TOTALS.format(scope=scope)))
    return found


@pytest.fixture(scope="module")
def undisturbed(home: Forking, story: str) -> dict[str, Any]:
    home.run("import_conversations", story, "--scope", "undisturbed", "--source", "agent")
    return consolidated(home, "undisturbed")


def test_an_undisturbed_run_counts_every_episode(undisturbed: dict[str, Any]) -> None:
    assert {row[0] for row in undisturbed["patterns"]} == {"effects"}
    assert sum(sum(row[2:5]) for row in undisturbed["patterns"]) == len(STORY)
    assert len(undisturbed["versions"]) == 3
    assert ["source of payment_id for refund_payment", False, len(REFUNDS)] in [
        [topic, due, evidence] for topic, due, _, *rest in undisturbed["facts"] for evidence in rest[1:]
    ]
    assert (undisturbed["profiles"], undisturbed["unprofiled"], undisturbed["curves"]) == (len(STORY), 0, 1)
    assert (undisturbed["unread"], undisturbed["read"], undisturbed["running"]) == (0, len(STORY), 0)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_worker_killed_at_a_bad_moment_loses_and_doubles_nothing(
    home: Forking, undisturbed: dict[str, Any], story: str, moment: str
) -> None:
    home.run("import_conversations", story, "--scope", moment, "--source", "agent")
    die(home, MOMENTS[moment], SMALL_BATCHES + 'call_command("consolidate")')
    assert consolidated(home, moment) == undisturbed


@pytest.mark.parametrize("moment", ["attempt-committed", "mid-batch", "competence-not-committed", "fact-not-written"])
def test_a_worker_that_was_frozen_while_another_took_over_doubles_nothing_and_says_so(
    home: Forking, undisturbed: dict[str, Any], story: str, moment: str, tmp_path: Path
) -> None:
    scope = f"frozen-{moment}"
    home.run("import_conversations", story, "--scope", scope, "--source", "agent")
    work = SMALL_BATCHES + 'call_command("consolidate", kind="consolidate")'
    with frozen(home, MOMENTS[moment], work, tmp_path) as process:
        assert consolidated(home, scope) | {"running": 0} == undisturbed
    out, err = process.communicate()
    assert consolidated(home, scope) == undisturbed
    is_cut_off = "OperationalError" in err  # the database has ended its silent transaction before the lease was lost
    assert process.returncode == 1, out
    said, _, goes_on = err.splitlines()[-1].partition(";")
    assert is_cut_off or (said in (FROZEN, DIED) and goes_on == " the next run goes on"), err
    assert is_cut_off or said in home.shell(ERRORS)


def test_two_workers_at_once_count_what_one_would(home: Forking, undisturbed: dict[str, Any], story: str) -> None:
    home.run("import_conversations", story, "--scope", "two", "--source", "agent")
    workers = [home.begin("consolidate") for _ in range(2)]
    read = [re.search(r"episodes_read +(\d+)", worker.communicate(timeout=PATIENCE)[0]) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0]
    assert sum(int(found[1]) for found in read if found) == len(STORY)
    assert consolidated(home, "two") == undisturbed


def test_every_stored_package_is_whole(home: Forking, undisturbed: dict[str, Any]) -> None:
    packages = list((home.data / "skills").rglob("*.zip"))
    assert len(packages) >= len(undisturbed["versions"])
    assert [zipfile.ZipFile(package).testzip() for package in packages] == [None] * len(packages)
