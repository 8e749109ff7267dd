"""How much of what answers a question is found, through the public search function.

    .venv/bin/python -m tests.benchmarks.retrieval_quality locomo.json typed-recall.jsonl

A `.json` file holds dialogues [{id, turns [{id, session, date, speaker, text, caption}], questions [{question,
evidence, category}]}]: each session comes in as a conversation, and questions are asked in the dialogue's scope with
`unit: passage` (category 5, questions without an answer, is left out). A `.jsonl` file holds typed memories and queries
with the keys they should find and the trust they ask with. One JSON line a figure.
"""

import argparse
import json
import math
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any
from unittest import mock

from tests.benchmarks.store import empty_store, show
from tests.benchmarks.typed_recall import typed_recall

Json = dict[str, Any]
UNANSWERABLE = 5
DEPTHS = (5, 10, 20)
WORDS_ONLY = {"meaning": 0.0, "neighbours": (), "actor": 0.0}
MEANING_ONLY = {"words": 0.0, "neighbours": (), "actor": 0.0}
VARIANTS: dict[str, Mapping[str, Any]] = {"words only": WORDS_ONLY, "meaning only": MEANING_ONLY, "full": {}}


@dataclass(frozen=True)
class Answered:
    dialogue: str
    category: int
    shares_no_word: bool
    recall: dict[int, float]
    ndcg: float


def said(turn: Json) -> str:
    return f"{turn['text']} {turn['caption']}" if turn.get("caption") else str(turn["text"])


def bring_in(dialogue: Json) -> None:
    """Each session as a conversation that took place then."""
    from memories.intake import episodes
    from memories.intake.reports import conversation
    from memories.values.trust import everything

    for session, turns in groupby(dialogue["turns"], key=lambda turn: turn["session"]):
        told = list(turns)
        at = datetime.strptime(told[0]["date"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        messages = [
            {"role": "user", "name": turn["speaker"], "ref": turn["id"], "content": said(turn)} for turn in told
        ]
        body = {"messages": messages, "id": f"session-{session}", "scope": dialogue["id"], "source": "bench"}
        draft = conversation.parse({**body, "timestamp": at.isoformat()})
        episodes.conversation(draft, trust=everything(), at=at)


def questions(dialogue: Json) -> Iterator[tuple[Json, set[str]]]:
    """Those that can be answered, with the turns that do."""
    turns = {turn["id"] for turn in dialogue["turns"]}
    for question in dialogue["questions"]:
        named = {part for text in question["evidence"] for part in re.split(r"[;,\s]+", text)}
        if question["category"] != UNANSWERABLE and named & turns:
            yield question, named & turns


def refs_found(text: str, scope: str, *, at: datetime) -> list[str | None]:
    from memories import search
    from memories.values.trust import everything

    asked = search.check({"query": text, "scopes": [scope], "unit": "passage", "limit": max(DEPTHS)})
    return [result.passages[0].ref for result in search.search(asked, trust=everything(), at=at).results]


def answered(dialogue: Json, *, at: datetime, alone: Mapping[str, bool]) -> Iterator[Answered]:
    for question, evidence in questions(dialogue):
        found = refs_found(question["question"], dialogue["id"], at=at)
        recall = {depth: len(evidence & set(found[:depth])) / len(evidence) for depth in DEPTHS}
        lonely = alone[question["question"]]
        yield Answered(dialogue["id"], question["category"], lonely, recall, ndcg(found[:10], evidence))


def ndcg(found: Sequence[str | None], evidence: set[str]) -> float:
    gain = sum(1 / math.log2(2 + place) for place, ref in enumerate(found) if ref in evidence)
    return gain / sum(1 / math.log2(2 + place) for place in range(min(10, len(evidence))))


def without_shared_words(dialogue: Json) -> dict[str, bool]:
    """Of each question whether it shares no word with what answers it."""
    from django.db import connection

    text = {turn["id"]: said(turn) for turn in dialogue["turns"]}
    alone = {}
    with connection.cursor() as cursor:
        for question, evidence in questions(dialogue):
            words = " ".join(text[ref] for ref in evidence)
            both = "tsvector_to_array(to_tsvector('english', %s))"
            cursor.execute(f"SELECT NOT {both} && {both}", [question["question"], words])
            alone[question["question"]] = cursor.fetchone()[0]
    return alone


def means(name: str, rows: Sequence[Answered]) -> None:
    for depth in DEPTHS:
        show(f"{name}: recall@{depth}", sum(row.recall[depth] for row in rows) / len(rows), "share", n=len(rows))
    show(f"{name}: nDCG@10", sum(row.ndcg for row in rows) / len(rows), "share", n=len(rows))


def recall_of(name: str, rows: Sequence[Answered]) -> None:
    show(f"{name}: recall@10", sum(row.recall[10] for row in rows) / len(rows), "share", n=len(rows))


def dialogues(path: Path) -> None:
    from django.conf import settings

    told = json.loads(path.read_text())
    for dialogue in told:
        bring_in(dialogue)
    at = datetime.now(UTC)
    alone = {dialogue["id"]: without_shared_words(dialogue) for dialogue in told}
    rows: list[Answered] = []
    for variant, weights in VARIANTS.items():
        with mock.patch.object(settings, "SEARCH_WEIGHTS", {**settings.SEARCH_WEIGHTS, **weights}):
            began = time.perf_counter()
            rows = [row for each in told for row in answered(each, at=at, alone=alone[each["id"]])]
            took = (time.perf_counter() - began) * 1000 / len(rows)
        means(variant, rows)
        show(f"{variant}: one search", took, "ms")
    groups: dict[str, list[Answered]] = defaultdict(list)
    for row in rows:
        for group in (f"category {row.category}", row.dialogue, *["sharing no word"] * row.shares_no_word):
            groups[group].append(row)
    for group in sorted(groups):
        recall_of(f"full, {group}", groups[group])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    first, *others = parser.parse_args().paths
    with empty_store():
        (typed_recall if first.suffix == ".jsonl" else dialogues)(first)
    for path in others:  # each in a process of its own: settings name one store for the life of a process
        subprocess.run([sys.executable, "-m", "tests.benchmarks.retrieval_quality", path], check=True)


if __name__ == "__main__":
    main()
