"""How many ordinary sentences the scan takes for an order to a model, or for a credential, and what a scan costs.

    .venv/bin/python -m tests.benchmarks.false_alarms DATA [DATA/runs ...] [--show 20]

Every `*.jsonl` and `*.json` file of the folders is read: recorded runs by who speaks (`system` is left out: a policy is
an order to a model), other files text by text. Each different sentence counts once. `values`: the arguments and results
of tools, value by value, that would be masked. One JSON line a figure.
"""

import argparse
import json
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memories.scanning import credentials, prompt_injection

Json = Any
SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])|\n")
NAMES = ("text", "question", "caption", "summary")  # of what is text in files that hold no runs
SCANNED = 2_000  # characters of the texts whose scan is timed


def texts_of_run(run: Json) -> Iterator[tuple[str, str]]:
    """Who speaks, and what."""
    for message in run["messages"]:
        role, content = message["role"], message.get("content")
        if role != "system" and isinstance(content, str):
            yield role, content
        for call in message.get("tool_calls") or []:
            yield "call", "\n".join(strings(_parsed(call["function"]["arguments"])))


def values_of_run(run: Json) -> Iterator[str]:
    """Arguments and results, value by value."""
    for message in run["messages"]:
        for call in message.get("tool_calls") or []:
            yield from strings(_parsed(call["function"]["arguments"]))
        if message["role"] == "tool":
            yield from strings(_parsed(message["content"]))


def strings(value: Json) -> Iterator[str]:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)
    elif value is not None:
        yield str(value)


def texts_of_document(value: Json) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        yield from (("text", value[name]) for name in NAMES if isinstance(value.get(name), str))
        value = [inner for name, inner in value.items() if name not in NAMES]
    if isinstance(value, list):
        for inner in value:
            yield from texts_of_document(inner)


def sentences(texts: Iterator[tuple[str, str]]) -> dict[str, set[str]]:
    by_speaker: dict[str, set[str]] = defaultdict(set)
    for speaker, text in texts:
        by_speaker[speaker] |= {part.strip() for part in SENTENCE.split(text)} - {""}
    return by_speaker


def measure(path: Path, shown: int) -> None:
    raw = path.read_text(encoding="utf-8")
    documents = [json.loads(line) for line in raw.splitlines()] if path.suffix == ".jsonl" else [json.loads(raw)]
    runs = [document for document in documents if "messages" in document]
    texts = [text for run in runs for text in texts_of_run(run)] or list(texts_of_document(documents))
    for speaker, said in sentences(iter(texts)).items():
        taken = sorted(sentence for sentence in said if prompt_injection.is_in(sentence))
        masked = sorted(sentence for sentence in said if credentials.is_in(sentence))
        show(path, f"{speaker}: taken for an order", taken, len(said), shown)
        show(path, f"{speaker}: with a credential", masked, len(said), shown)
    values = {value for run in runs for value in values_of_run(run)}
    if values:
        show(path, "values masked", sorted(value for value in values if credentials.is_in(value)), len(values), shown)
    time_scan("".join(text for _, text in texts), path)


def time_scan(text: str, path: Path) -> None:
    """The fastest of three rounds over up to 200 pieces of the file."""
    pieces = [text[at : at + SCANNED] for at in range(0, min(len(text), 200 * SCANNED), SCANNED)]
    for name, scan in (("orders", prompt_injection.is_in), ("credentials", credentials.is_in)):
        best = min(_seconds(scan, pieces) for _ in range(3)) / max(1, len(pieces))
        print(json.dumps({"file": path.stem, "what": f"scan of {SCANNED} characters, {name}", "us": round(best * 1e6)}))


def show(path: Path, what: str, some: list[str], all_of_them: int, shown: int) -> None:
    share = len(some) / all_of_them
    print(json.dumps({"file": path.stem, "what": what, "share": round(share, 5), "n": len(some), "of": all_of_them}))
    for sentence in some[:shown]:
        print(f"    {sentence[:200]}")


def _parsed(text: Any) -> Json:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


def _seconds(scan: Any, pieces: list[str]) -> float:
    begun = time.process_time()
    for piece in pieces:
        scan(piece)
    return time.process_time() - begun


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--show", type=int, default=0)
    arguments = parser.parse_args()
    for folder in arguments.folders:
        for one in sorted([*folder.glob("*.jsonl"), *folder.glob("*.json")]):
            measure(one, arguments.show)
