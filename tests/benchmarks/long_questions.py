"""How much is found by questions that stand in a talk, beside thousands of shared rows that have nothing to do with it.

    .venv/bin/python -m tests.benchmarks.long_questions locomo.json chinese.json runs.jsonl [runs.jsonl ...]

LoCoMo's turns are claims of a scope for each dialogue, the Chinese passages those of one; what was said in recorded
runs (and in one dialogue) is shared by all. The shapes of a question are `shapes` and `chinese_shapes`. Half of the
dialogues and passages (`tuned`) may choose weights, the other half (`held out`) reports. One JSON line a figure,
recall@10, with that of BM25 over the asked scope alone beside it.
"""

import argparse
import json
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks.retrieval_quality import questions, said
from tests.benchmarks.store import empty_store, show

Json = dict[str, Any]
Texts = dict[str, str]  # of a scope, by id
SHARED, SHARED_DIALOGUE, TUNED = 2_500, "conv-43", ("conv-26", "conv-41")
HELD_OUT = "conv-30"
EACH, CHINESE, TURNS = 40, "cmrc", 24  # TURNS: of a long dialogue
BM25_K, BM25_B = 1.5, 0.75


class Asked(NamedTuple):
    """A question in a shape, with the ids of what answers it."""

    shape: str
    group: str
    scope: str
    text: str
    evidence: frozenset[str]


def english(dialogues: Sequence[Json]) -> Iterator[Asked]:
    for dialogue in dialogues:
        group = "tuned" if dialogue["id"] in TUNED else "held out"
        chance = random.Random(dialogue["id"])
        told = [(one["question"], evidence) for one, evidence in questions(dialogue)]
        for text, evidence in chance.sample(told, EACH):
            for shape, asked in shapes(text, evidence, told, dialogue, chance).items():
                yield Asked(f"en {shape}", group, dialogue["id"], asked, frozenset(evidence))


def shapes(text: str, evidence: set[str], told: Sequence[Any], dialogue: Json, chance: random.Random) -> Texts:
    """`dialogue`: after the two questions whose answers were said nearest, with these; its last turn names nobody."""
    turns = [turn["id"] for turn in dialogue["turns"]]
    lines = [f"{turn['speaker']}: {said(turn)}" for turn in dialogue["turns"]]
    at = turns.index(min(evidence, key=turns.index))
    others = [one for one in told if not one[1] & evidence]
    near = sorted(others, key=lambda one: abs(turns.index(min(one[1])) - at))[:2]
    before = [f"user: {one}\nassistant: {lines[turns.index(min(ids))].split(': ', 1)[1]}" for one, ids in near]
    speakers = "|".join({turn["speaker"] for turn in dialogue["turns"]})
    nameless = re.sub(rf"\b({speakers})('s)?", lambda found: "their" if found[2] else "they", text)
    start = chance.choice([n for n in range(len(lines) - TURNS) if not n <= at < n + TURNS])
    talk = [line.split(": ", 1)[1] for line in lines[start : start + 6]]
    chat = "\n".join(f"{('user', 'assistant')[n % 2]}: {line}" for n, line in enumerate(talk))
    return {
        "dialogue": "\n".join([*before, f"user: {nameless}"]),
        "last turn": nameless,
        "after talk": f"{chat}\nuser: {text}",
        "inside talk": f"{chat}\nuser: {talk[0]} {text} {talk[2]}",
        "long": "\n".join([*lines[start : start + TURNS], f"user: {text}"]),
        "plain": text,
    }


def chinese(told: Json) -> Iterator[Asked]:
    texts = {one["id"]: one["text"] for one in told["docs"]}
    by_passage: dict[str, list[str]] = defaultdict(list)
    for one in told["questions"]:
        by_passage[one["evidence"][0]].append(one["question"])
    for n, (id, asked) in enumerate(sorted(by_passage.items())):
        group = "held out" if n % 2 else "tuned"
        if len(asked) == 1 and n % 8 > 1:
            continue
        for text, former in zip(asked, [*asked[1:], asked[0]], strict=True):
            for shape, whole in chinese_shapes(text, former, id, texts).items():
                yield Asked(f"zh {shape}", group, CHINESE, whole, frozenset([id]))


def chinese_shapes(text: str, former: str, id: str, texts: Texts) -> Texts:
    """`dialogue`: after another question of the passage, whose subject (what both say) the last turn does not name."""
    chance = random.Random(text)
    parts = re.findall("[^。！？]{12,60}[。！？]", "".join(chance.sample(list(texts.values()), 3)))[:6]
    chat = "\n".join(f"{('user', 'assistant')[n % 2]}: {part}" for n, part in enumerate(parts))
    found = {"after talk": f"{chat}\nuser: {text}", "inside talk": f"{chat}\nuser: {parts[0]}{text}{parts[-1]}"}
    both = SequenceMatcher(None, text, former, autojunk=False).find_longest_match()
    if text != former and both.size > 1:
        subject = text[both.a : both.a + both.size]
        nameless = text.replace(subject, "它")
        before = f"user: {parts[1]}\nassistant: {parts[2]}\nuser: {former}\nassistant: {parts[3]}"
        found |= {"dialogue": f"{before}\nuser: {nameless}", "last turn": nameless}
    return found


def shared_answers(dialogues: Sequence[Json]) -> Iterator[Asked]:
    """What shared rows alone can answer, asked in a scope that has nothing to do with it."""
    for dialogue in dialogues:
        if dialogue["id"] == SHARED_DIALOGUE:
            told = [(one["question"], evidence) for one, evidence in questions(dialogue)]
            for n, (text, evidence) in enumerate(random.Random(1).sample(told, 2 * EACH)):
                group, scope = ("held out", HELD_OUT) if n % 2 else ("tuned", TUNED[0])
                yield Asked(
                    "en of shared rows", group, scope, text, frozenset(f"{SHARED_DIALOGUE} {id}" for id in evidence)
                )


def shared_rows(dialogues: Sequence[Json], paths: Sequence[Path]) -> Texts:
    """A dialogue of people's small talk, the rest work."""
    told = (one for one in dialogues if one["id"] == SHARED_DIALOGUE)
    talk = {f"{SHARED_DIALOGUE} {turn['id']}": said(turn) for one in told for turn in one["turns"]}
    work: dict[str, None] = {}
    for path in paths:
        for line in path.read_text().splitlines():
            messages = [one for one in json.loads(line)["messages"] if isinstance(one.get("content"), str)]
            lines = (one["content"].split("\n")[0] for one in messages if one["role"] in ("user", "assistant"))
            work |= dict.fromkeys(line for line in lines if 40 < len(line) < 400)
    rest = random.Random(SHARED).sample(list(work), SHARED - len(talk))
    return talk | {f"work {n}": text for n, text in enumerate(rest)}


def fill(scopes: Mapping[str, Texts]) -> dict[str, str]:
    """Write confirmed claims; answers the id of each by that of its memory."""
    from memories.models.passage import of_memories, write
    from memories.values.choices import Status
    from tests.make import make_memory

    rows = [(scope, id, text) for scope, texts in scopes.items() for id, text in texts.items()]
    random.Random(1).shuffle(rows)
    memories = [make_memory(text, scope=scope, status=Status.CONFIRMED) for scope, _, text in rows]
    write(of_memories(memories))
    return {str(memory.pk): id for memory, (_, id, _) in zip(memories, rows, strict=True)}


def found(asked: Asked, ids: Mapping[str, str], at: datetime) -> list[str]:
    from memories import search
    from memories.values.trust import everything

    request = search.check({"query": asked.text, "scopes": [asked.scope]})
    return [ids[str(one.memory.pk)] for one in search.find(request, trust=everything(), at=at).results]


class Bm25:
    """Over the words of one scope, and the character bigrams of Chinese: what a plain index of it alone finds."""

    def __init__(self, texts: Texts) -> None:
        self.ids, self.counts = list(texts), [Counter(self.words(text)) for text in texts.values()]
        self.lengths = [sum(count.values()) for count in self.counts]
        self.mean = sum(self.lengths) / len(texts)
        self.holding = Counter(word for count in self.counts for word in count)

    @staticmethod
    def words(text: str) -> list[str]:
        from memories.claims.words import english
        from memories.values.search_words import bigrams

        return [*english().stemWords(re.findall("[a-z0-9]+", text.lower())), *bigrams(text)]

    def best(self, text: str, most: int = 10) -> list[str]:
        asked = {
            word: math.log(1 + (len(self.ids) - n + 0.5) / (n + 0.5))
            for word in set(self.words(text))
            if (n := self.holding[word])
        }
        scores = []
        for count, length in zip(self.counts, self.lengths, strict=True):
            room = BM25_K * (1 - BM25_B + BM25_B * length / self.mean)
            scores.append(
                sum(idf * count[w] * (BM25_K + 1) / (count[w] + room) for w, idf in asked.items() if w in count)
            )
        return [self.ids[n] for n in sorted(range(len(scores)), key=lambda n: -scores[n])[:most]]


def recall(found: Sequence[str], evidence: frozenset[str]) -> float:
    return len(evidence & set(found[:10])) / len(evidence)


def report(asked: Sequence[Asked], ids: Mapping[str, str], scopes: Mapping[str, Texts]) -> None:
    at, plain = datetime.now(UTC), {scope: Bm25(texts) for scope, texts in scopes.items()}
    rows: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for one in asked:
        pair = recall(found(one, ids, at), one.evidence), recall(plain[one.scope].best(one.text), one.evidence)
        rows[f"{one.shape}, {one.group}"].append(pair)
    for name, pairs in rows.items():
        mine, bm25 = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
        show(f"{name}: recall@10", mine, "share", bm25=round(bm25, 4), n=len(pairs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("locomo", type=Path)
    parser.add_argument("chinese", type=Path)
    parser.add_argument("runs", nargs="+", type=Path)
    given = parser.parse_args()
    dialogues, passages = json.loads(given.locomo.read_text()), json.loads(given.chinese.read_text())
    asked = [one for one in dialogues if one["id"] != SHARED_DIALOGUE]
    scopes = {one["id"]: {turn["id"]: f"{turn['speaker']}: {said(turn)}" for turn in one["turns"]} for one in asked}
    scopes[CHINESE] = {one["id"]: one["text"] for one in passages["docs"]}
    with empty_store():
        ids = fill(scopes | {"": shared_rows(dialogues, given.runs)})
        report([*english(asked), *shared_answers(dialogues), *chinese(passages)], ids, scopes)


if __name__ == "__main__":
    main()
