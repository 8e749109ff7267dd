"""A worker may die at any moment of a run, and two may run at once: the totals are those of an undisturbed run."""

import json
import re
import zipfile
from typing import Any

import pytest

from tests.consolidation.experience import messages
from tests.journeys.dying import Moment, die
from tests.journeys.forking import Forking

STORY = [
    (["get_user", "cancel_order"], "success"),
    (["get_user", "cancel_order"], "success"),
    (["get_user", "cancel_order"], "failure"),
    (["get_user", "search_orders", "send_refund"], "success"),
    (["get_user", "send_refund"], "success"),
    (["get_user"], "partial"),
] * 10  # 60 episodes: more than one batch

# When it dies: the attempt committed, within a batch, everything written but not
# committed, committed, while a package is written, the package written, a competence written but not committed.
MOMENTS = {
    "attempt-committed": Moment("consolidation.pipelines.sightings", "_digest", 0),
    "mid-batch": Moment("consolidation.pipelines.sightings", "_count", 2),
    "before-commit": Moment("memories.models.episode", "EpisodeQuerySet.digested", 0),
    "after-commit": Moment("consolidation.pipelines.competences", "write_competences", 0),
    "writing-a-zip": Moment("skills.storages", "os.link", 1),
    "zip-written": Moment("consolidation.pipelines.proposals", "create", 1),
    "competence-not-committed": Moment("consolidation.models", "Pattern.settle", 1),
    "profile-not-committed": Moment("consolidation.guidance.holdback", "settle", 1),
    "profiles-not-measured": Moment("consolidation.guidance.curves", "refit", 0),
}

TOTALS = """
import io, json
from django.core.management import call_command
call_command("consolidate", stdout=io.StringIO())
from consolidation.models import Pattern, Run
from consolidation.models.profiles import GuidanceCurve, RunProfile, Unprofiled
from memories.models import Episode
from skills.models import SkillVersion
rows = [
    [p.kind, p.signature, p.successes, p.failures, p.partials, p.due, bool(p.memory)]
    + ([p.memory.performance.successes, p.memory.performance.failures, p.memory.evidence.count()] if p.memory else [])
    for p in Pattern.objects.filter(scope={scope!r}).select_related("memory__performance")
]
versions = SkillVersion.objects.filter(skill__scope={scope!r})
print(json.dumps({{
    "patterns": sorted(rows),
    "versions": sorted(versions.values_list("skill__name", "number", "status", "sha256")),
    "unread": Episode.objects.undigested().filter(scope={scope!r}).count(),
    "profiles": RunProfile.objects.filter(scope={scope!r}).count(),
    "unprofiled": Unprofiled.objects.filter(scope={scope!r}).count(),
    "curves": GuidanceCurve.objects.filter(scope={scope!r}).count(),
    "running": Run.objects.filter(status="running").count(),
}}))
"""


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of the recorded runs."""
    path = tmp_path_factory.mktemp("story") / "runs.jsonl"
    lines = [
        {"id": f"run-{n}", "outcome": outcome, "messages": messages(used)} for n, (used, outcome) in enumerate(STORY)
    ]
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
    assert len(undisturbed["versions"]) == 2
    assert (undisturbed["profiles"], undisturbed["unprofiled"], undisturbed["curves"]) == (len(STORY), 0, 1)
    assert (undisturbed["unread"], undisturbed["running"]) == (0, 0)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_worker_killed_at_a_bad_moment_loses_and_doubles_nothing(
    home: Forking, undisturbed: dict[str, Any], story: str, moment: str
) -> None:
    home.run("import_conversations", story, "--scope", moment, "--source", "agent")
    die(home, MOMENTS[moment], 'call_command("consolidate")')
    assert consolidated(home, moment) == undisturbed


def test_two_workers_at_once_count_what_one_would(home: Forking, undisturbed: dict[str, Any], story: str) -> None:
    home.run("import_conversations", story, "--scope", "two", "--source", "agent")
    workers = [home.start("consolidate") for _ in range(2)]
    read = [re.search(r"episodes_read +(\d+)", worker.communicate(timeout=60)[0]) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0]
    assert sum(int(found[1]) for found in read if found) == len(STORY)
    assert consolidated(home, "two") == undisturbed


def test_every_stored_package_is_whole(home: Forking, undisturbed: dict[str, Any]) -> None:
    packages = list((home.data / "skills").rglob("*.zip"))
    assert len(packages) >= len(undisturbed["versions"])
    assert [zipfile.ZipFile(package).testzip() for package in packages] == [None] * len(packages)
