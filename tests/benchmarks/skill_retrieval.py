"""How often a search with the opening of a run finds the right skill first, on runs that the skills were not made of.

    .venv/bin/python -m tests.benchmarks.skill_retrieval DATA [--only airline] [--misses]

DATA and the splits are those of tests.benchmarks.guidance. A skill is right when its effects are those with which a run
of the same task ended well. `first` and `in_three`: the share of the openings of which the first or one of the first
three results is right; `exists`: of which any skill of the store is; `selected`: of which the first of the selection
is; `first_of_titles`: as `first`, where descriptions are their first sentence alone: what the words about when to use a
skill are worth; `context`: of which the context of an agent, were all skills published, names a right skill, and
`context_names`: how many it names. `by_title`: the share of the skills that come first where their title is asked for.
One JSON line a corpus.
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.benchmarks.guidance import is_write, learn, loaded, opening, splits, write_set
from tests.benchmarks.store import empty_store

Json = dict[str, Any]
Effects = frozenset[str]
LONGEST = 4_000  # characters of an opening
DEPTH = 3
FIGURES = ("exists", "first", "in_three", "selected", "context", "context_names", "first_of_titles")


@dataclass(frozen=True)
class Opening:
    """What a user says first, and the sets of effects that were right."""

    text: str
    right: set[Effects]


def openings(runs: Iterable[Json], good: dict[str, set[Effects]]) -> list[Opening]:
    found = ((opening(run)[-1]["content"], good[str(run["task_id"])]) for run in runs)
    return [Opening(text[:LONGEST], right) for text, right in found if right]


def skills(scope: str, domain: str) -> dict[Any, Effects]:
    from memories.models import Memory

    rows = Memory.objects.live().filter(scope=scope, type="competence")
    return {row.pk: frozenset(tool for tool in row.payload["effects"] if is_write(tool, domain)) for row in rows}


def found(text: str, scope: str, known: dict[Any, Effects]) -> tuple[list[Effects], list[Effects]]:
    """The effects of the first skills, the best first, and of the selected ones."""
    from memories import search
    from memories.values.trust import everything

    body = {"query": text, "types": ["competence"], "scopes": [scope], "include_candidates": True, "limit": DEPTH}
    answer = search.search(search.check(body), trust=everything(), at=datetime.now(UTC))
    selected = answer.selection.selected if answer.selection else []
    told = [result.memory.pk for result in answer.results]
    return [known[pk] for pk in told if pk in known], [known[pk] for pk in selected if pk in known]


def publish(scope: str) -> None:
    """As far as a context asks."""
    from memories.models import Memory

    for memory in Memory.objects.filter(scope=scope, type="competence"):
        memory.payload["skill"] = {"name": "skill", "version": 1, "path": "skill.zip"}
        memory.status = "confirmed"
        memory.save(update_fields=["payload", "status"])


def named_in_context(text: str, scope: str, known: dict[Any, Effects]) -> list[Effects]:
    from memories.search import context
    from memories.values.trust import everything

    asked = context.check({"task": text, "scope": scope, "limit": 5})
    items = context.assemble(asked, trust=everything(), at=datetime.now(UTC)).items
    return [known[item.memory.pk] for item in items if item.memory.pk in known]


def keep_titles(scope: str) -> None:
    from memories.models import Memory, Passage

    for memory in Memory.objects.filter(scope=scope, type="competence"):
        memory.content = memory.content.split(". ")[0]
        memory.save(update_fields=["content"])
        Passage.objects.rewrite(memory)


def measure(domain: str, scope: str, asked: list[Opening], *, misses: bool) -> Counter[str]:
    from django.db import transaction

    known = skills(scope, domain)
    counts = Counter(asked=len(asked))
    for one in asked:
        told, selected = found(one.text, scope, known)
        counts["selected"] += is_right(selected[:1], one)
        counts["exists"] += bool(one.right & set(known.values()))
        counts["first"] += is_right(told[:1], one)
        counts["in_three"] += is_right(told, one)
        if misses and not is_right(told[:1], one):
            wanted = " or ".join(map(spelled, one.right))
            sys.stderr.write(f"{scope}: {wanted}; first is {spelled(*told[:1])}: {one.text[:120]!r}\n")
    for title, effects in titles(scope, known):
        counts["titles"] += 1
        counts["by_title"] += found(title, scope, known)[0][:1] == [effects]
    with transaction.atomic():
        publish(scope)
        named = [named_in_context(one.text, scope, known) for one in asked]
        counts["context"] = sum(is_right(told, one) for told, one in zip(named, asked, strict=True))
        counts["context_names"] = sum(map(len, named))
        transaction.set_rollback(True)
    with transaction.atomic():
        keep_titles(scope)
        counts["first_of_titles"] = sum(is_right(found(one.text, scope, known)[0][:1], one) for one in asked)
        transaction.set_rollback(True)
    return counts


def titles(scope: str, known: dict[Any, Effects]) -> list[tuple[str, Effects]]:
    from memories.models import Memory

    rows = Memory.objects.filter(pk__in=known, scope=scope).order_by("pk").values_list("pk", "content")
    return [(content.split(". ")[0], known[pk]) for pk, content in rows]


def is_right(told: list[Effects], one: Opening) -> bool:
    return any(effects in one.right for effects in told)


def spelled(effects: Effects | None = None) -> str:
    return "no skill" if effects is None else "+".join(sorted(effects)) or "no action"


def corpus(domain: str, path: Path, *, misses: bool) -> Json:
    runs = loaded(path, domain)
    good: dict[str, set[Effects]] = defaultdict(set)
    for run in runs:
        if run["outcome"] == "success":
            good[str(run["task_id"])].add(write_set(run, domain))
    figures: Json = {"corpus": domain}
    for name, learned, asked in splits(runs, domain):
        counts: Counter[str] = Counter()
        for n, (part, held_out) in enumerate(zip(learned, asked, strict=True)):
            scope = f"{domain}-{name.replace(', ', '-').replace(' ', '-')}-{n}"
            learn(part, scope)
            counts += measure(domain, scope, openings(held_out, good), misses=misses)
        total = counts.pop("asked")
        titles = counts.pop("titles")
        shares = {what: round(counts[what] / total, 3) for what in FIGURES}
        figures[name] = {"openings": total, **shares, "by_title": round(counts["by_title"] / titles, 3)}
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", action="append", help="airline, retail or telecom")
    parser.add_argument("--misses", action="store_true", help="write openings with another skill first to stderr")
    given = parser.parse_args()
    paths = {"airline": given.data / "airline-runs.jsonl"}
    paths |= {name: given.data / "runs" / f"{name}-runs.jsonl" for name in ("retail", "telecom")}
    with empty_store():
        for domain, path in paths.items():
            if not given.only or domain in given.only:
                sys.stdout.write(json.dumps(corpus(domain, path, misses=given.misses)) + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
