"""What is learned from recorded runs: every SKILL.md in a folder, and how many held-out successes the skills cover.

    python -m tests.benchmarks.skills_written RUNS.jsonl FOLDER [--no-folds]

Imports the runs into a fresh store through the real pipeline and consolidates. Five folds by thread, each in a scope of
its own: learned from four, measured on the successes of the fifth. A run is covered when its effects are those of one
skill or the union of those of several. Prints one JSON line.
"""

import argparse
import json
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.benchmarks.store import empty_store

FOLDS = 5
WHOLE = "whole"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--no-folds", action="store_true")
    options = parser.parse_args()
    lines = [json.loads(line) for line in options.runs.open(encoding="utf-8")]
    with empty_store() as store:
        scopes = [WHOLE] if options.no_folds else [WHOLE, *map(str, range(FOLDS))]
        _import(lines, scopes, store)
        measured = {"runs": options.runs.name, "skills": _write(options.folder), "coverage": _coverage(lines, scopes)}
    sys.stdout.write(json.dumps(measured, ensure_ascii=False) + "\n")


def _fold(line: dict[str, Any]) -> str:
    return str(zlib.crc32(str(line.get("thread_id") or line["id"]).encode()) % FOLDS)


def _import(lines: Iterable[dict[str, Any]], scopes: Iterable[str], store: Path) -> None:
    """Scope `whole` holds every run, scope k all but those of fold k."""
    from django.core.management import call_command
    from django.utils import timezone

    from consolidation.consolidation_run import consolidate
    from consolidation.models import Run

    for scope in scopes:
        part = store / f"{scope}.jsonl"
        kept = (line for line in lines if _fold(line) != scope)
        part.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
        call_command("import_conversations", str(part), scope=scope, source="bench", stdout=sys.stderr)
    done = consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=timezone.now())
    assert done is not None and done.status == Run.Status.SUCCEEDED, done and done.error


def _write(folder: Path) -> int:
    """Each skill of the whole as a file, numbered by its successes."""
    from skills.models import SkillVersion

    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        old.unlink()
    rows = SkillVersion.objects.filter(skill__scope=WHOLE, status="proposed").select_related("skill")
    for n, row in enumerate(rows.order_by("-skill__memory__performance__successes", "skill__name"), 1):
        (folder / f"{n:02d}-{row.skill.name}.md").write_text(row.skill_md, encoding="utf-8")
    return len(rows)


def _coverage(lines: Iterable[dict[str, Any]], scopes: list[str]) -> dict[str, Any]:
    """Of the successes that each fold left out: how many there are, and the share that the skills of the fold cover."""
    from consolidation.learning.effects.effects import effects
    from consolidation.pipelines import recorded
    from consolidation.pipelines.tool_rules import tool_rules
    from memories.models import Episode
    from skills.models import Skill

    folds = {str(line["id"]): _fold(line) for line in lines}
    episodes = list(Episode.objects.filter(scope=WHOLE, outcome="success").select_related("memory"))
    runs = [(effects(run, tool_rules([episode])), episode) for run, episode in recorded.calls_of(episodes) if run.steps]
    total = covered = 0
    for scope in scopes[1:]:
        known = [frozenset(skill.memory.payload["effects"]) for skill in Skill.objects.filter(scope=scope)]
        held_out = [done for done, episode in runs if folds[str(episode.external_id)] == scope]
        total += len(held_out)
        covered += sum(_covers(known, done) for done in held_out)
    return {"held_out": total, "covered": round(covered / total, 4) if total else None}


def _covers(known: Iterable[frozenset[str]], done: frozenset[str]) -> bool:
    parts = [effects for effects in known if effects <= done]
    return done in parts or (bool(done) and frozenset().union(*parts) == done)


if __name__ == "__main__":
    main()
