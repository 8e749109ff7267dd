"""How many harmless sentences are taken for dismissed ones, through the public store of claims.

    .venv/bin/python -m tests.benchmarks.resemblance locomo.json [--seeds 3] [--shared] [--pairs]

The file holds dialogues [{id, turns [{text}]}]. Of their turns that ask nothing and fit a line, 50 are stored and
dismissed; the others are stored after them, each under a key of its own. Counted are those that are marked as
resembling a dismissed one, and those that are suppressed. `--shared`: dismissed in five projects, the others stored
where every scope reads them; there nothing is suppressed, but withheld. `--pairs` shows them, to be judged by hand.
One JSON line a figure.
"""

import argparse
import json
import random
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.benchmarks.store import empty_store, show

DISMISSED, LONGEST, PROJECTS = 50, 178, 5


def sentences(path: Path) -> list[str]:
    dialogues = json.loads(path.read_text())
    turns = [turn["text"].strip() for dialogue in dialogues for turn in dialogue["turns"]]
    return list(dict.fromkeys(text for text in turns if text and "?" not in text and len(text) <= LONGEST))


def measure(texts: list[str], seed: int, *, shared: bool, pairs: bool) -> None:
    from memories.intake.claims import store
    from memories.intake.reports.claims import read
    from memories.models import Tombstone
    from memories.values.trust import SYSTEM, everything

    at = datetime.now(UTC)
    chosen = random.Random(seed).sample(texts, DISMISSED)
    said = chosen + [text for text in texts if text not in set(chosen)]
    marked: list[tuple[str, Any]] = []
    suppressed, started = [], 0.0
    for number, text in enumerate(said):
        scope = scope_of(seed, number, shared=shared)
        body = {"key": f"line-{seed}-{number}", "category": "fact", "content": text, "source": "chat", "scope": scope}
        stored = store(read(body), trust=everything(), at=at)
        if number < DISMISSED:
            if stored.created and stored.memory:
                stored.memory.dismiss(by=SYSTEM, why="wrong", at=at)
            started = time.perf_counter()
        elif stored.suppressed or (stored.memory and stored.memory.withheld_from):
            suppressed.append((text, stored.memory.content if stored.memory and stored.suppressed else ""))
        elif stored.memory and stored.memory.resembles:
            marked.append((text, stored.memory.resembles))
    count = len(said) - DISMISSED
    spent = time.perf_counter() - started
    show("resembles a dismissed one", len(marked) / count, "share", n=count, seed=seed)
    show("suppressed or withheld", len(suppressed), "sentences", n=count, seed=seed)
    show("a store beside 50 dismissed ones", 1000 * spent / count, "ms", seed=seed)
    if pairs:
        show_pairs(marked, suppressed)
    Tombstone.objects.all().delete()


def scope_of(seed: int, number: int, *, shared: bool) -> str:
    """Where a sentence is stored."""
    if not shared:
        return f"seed-{seed}"
    return f"seed-{seed}-{number % PROJECTS}" if number < DISMISSED else ""


def show_pairs(marked: list[tuple[str, Any]], suppressed: list[tuple[str, str]]) -> None:
    from memories.models import Memory, Tombstone

    content: dict[Any, str] = dict(Memory.objects.values_list("pk", "content"))
    dismissed = {pk: content[memory] for pk, memory in Tombstone.objects.values_list("pk", "memory_id")}
    for text, stone in marked:
        show("resembles", 1, "sentence", text=text, dismissed=dismissed[stone])
    for text, other in suppressed:
        show("suppressed", 1, "sentence", text=text, dismissed=other)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--shared", action="store_true", help="store beside dismissals of projects, for all scopes")
    parser.add_argument("--pairs", action="store_true", help="show what was marked and what it is like")
    asked = parser.parse_args()
    texts = sentences(asked.path)
    with empty_store():
        for seed in range(asked.seeds):
            measure(texts, seed, shared=asked.shared, pairs=asked.pairs)


if __name__ == "__main__":
    main()
