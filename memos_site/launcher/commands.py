"""The daily verbs for scripts and CI: `memos context | search | store | outcome | skills sync`.

Answers are texts for a prompt or a terminal, with --json the server's whole answer. What is refused stands on stderr,
with 1 as the exit code.
"""

import argparse
import json
import os
import runpy
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx

from .client import Memos, MemosError
from .credentials import config, url_and_token

Json = dict[str, Any]
SOURCE = "memos-cli"
CATEGORIES = ("preference", "pattern", "fact", "contact", "workflow")
OUTCOMES = ("success", "failure", "partial")


def run(words: Sequence[str], *, scripts: Path) -> int:
    """The exit code of a command. `scripts`: the folder of memos_sync.py."""
    options = _parser().parse_args(words)
    try:
        url, token = url_and_token(options.url)
        if not token:
            sys.stderr.write(f"memos: no token for {url}: set MEMOS_TOKEN, or `memos connect` an agent\n")
            return 1
        if options.command == "skills":
            return _sync(options, url, token, scripts)
        with Memos(url, token) as client:
            answer = options.work(client, options)
    except (MemosError, httpx.HTTPError, httpx.InvalidURL, ValueError, OSError) as error:  # files may be closed to us
        sys.stderr.write(f"memos: {str(error) or type(error).__name__}\n")
        return 1
    text = json.dumps(answer, ensure_ascii=False, indent=2) if options.json else options.text(answer)
    sys.stdout.write(f"{text}\n" if text else "")
    return 0


def _text_or_input(text: str) -> str:
    """The text, or with `-` what comes on standard input."""
    return sys.stdin.read().strip() if text == "-" else text


def _place(options: argparse.Namespace) -> Json:
    return {"scopes": options.scope} if options.scope else {}


def _context(client: Memos, options: argparse.Namespace) -> Json:
    return dict(client.context(_text_or_input(options.task), source=options.source, **_place(options)))


def _search(client: Memos, options: argparse.Namespace) -> Json:
    more = {"limit": options.limit, "include_candidates": options.candidates}
    return dict(client.search(_text_or_input(options.query), **more, **_place(options)))


def _store(client: Memos, options: argparse.Namespace) -> Json:
    scope = {} if options.scope is None else {"scope": options.scope}
    content = _text_or_input(options.content)
    return dict(client.store(options.key, content, category=options.category, source=options.source, **scope))


def _outcome(client: Memos, options: argparse.Namespace) -> Json:
    episode = options.episode
    if options.thread:
        episodes = client.call(f"episodes?{httpx.QueryParams({'thread_id': episode})}")["results"]
        if not episodes:
            raise ValueError(f"no episode of the thread {episode!r}")
        episode = episodes[0]["id"]
    note = {"note": options.note} if options.note else {}
    return dict(client.outcome(episode, options.status, source=options.source, **note))


def _result_lines(answer: Json) -> str:
    """A line for each memory found: relevance, id, text."""
    return "\n".join(
        f"{result['relevance'] or 0:.2f}  {memory['id']}  {_line(result)}"
        for result in answer["results"]
        if (memory := result["memory"])
    )


def _line(result: Json) -> str:
    memory = result["memory"]
    text = memory.get("content") or " | ".join(passage["text"] for passage in result["passages"])
    return " ".join(str(text).split())[:300]


def _claim_line(answer: Json) -> str:
    """What became of the claim, in a line."""
    if answer.get("suppressed"):
        return "suppressed: people dismissed or forgot it"
    memory = answer.get("memory") or {}
    verb = "stored" if answer.get("created") else "proposed" if answer.get("proposal") else "known"
    return f"{verb}: {memory.get('id', '')} {memory.get('status', '')}".rstrip()


def _sync(options: argparse.Namespace, url: str, token: str, scripts: Path) -> int:
    """Bring folders of skills up to date: the one that is named, else those of the agents that are connected."""
    folders = [options.folder] if options.folder else sorted(set((config().get("skills") or {}).values()))
    if not folders:
        sys.stderr.write("memos: name a folder, such as ~/.claude/skills, or `memos connect` an agent\n")
        return 1
    os.environ.update(MEMOS_URL=url, MEMOS_TOKEN=token)
    script = runpy.run_path(str(scripts / "memos_sync.py"))
    for folder in folders:
        path = Path(folder).expanduser()
        path.mkdir(parents=True, exist_ok=True)
        script["sync"](path, options.scope or "")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="memos")
    commands = parser.add_subparsers(dest="command", required=True)

    def command(
        name: str, help: str, work: Callable[..., Json], text: Callable[[Json], str]
    ) -> argparse.ArgumentParser:
        subparser = commands.add_parser(name, help=help, description=help)
        subparser.set_defaults(work=work, text=text)
        subparser.add_argument("--url", help="of the server; else MEMOS_URL, else what `memos connect` wrote")
        subparser.add_argument("--json", action="store_true", help="the whole answer")
        return subparser

    context_command = command(
        "context", "what is known that fits a task, for a prompt", _context, lambda answer: answer["block"]
    )
    context_command.add_argument("task", help="in any words; - reads standard input")
    search_command = command("search", "search everything that was learned and that happened", _search, _result_lines)
    search_command.add_argument("query", help="in any words; - reads standard input")
    search_command.add_argument("--limit", type=int, default=10)
    search_command.add_argument("--candidates", action="store_true", help="also what nobody has confirmed")
    for read_command in (context_command, search_command):
        read_command.add_argument("--scope", action="append", help="may be given several times")
    store_command = command("store", "store a statement under a key; people decide what holds", _store, _claim_line)
    store_command.add_argument("key")
    store_command.add_argument("content", help="- reads standard input")
    store_command.add_argument("--category", choices=CATEGORIES, default="fact")
    store_command.add_argument("--scope")
    outcome_command = command(
        "outcome", "say how an episode ended", _outcome, lambda answer: answer.get("outcome") or "reported"
    )
    outcome_command.add_argument("episode", help="its id, or with --thread the thread's")
    outcome_command.add_argument("status", choices=OUTCOMES)
    outcome_command.add_argument("--thread", action="store_true", help="`episode` names a thread: its latest episode")
    outcome_command.add_argument("--note")
    for write_command in (context_command, store_command, outcome_command):
        write_command.add_argument("--source", default=os.environ.get("MEMOS_SOURCE", SOURCE))
    skills = commands.add_parser("skills", help="folders of published skills").add_subparsers(
        dest="verb", required=True
    )
    sync_command = skills.add_parser("sync", help="download what is new or changed, remove what was retired")
    sync_command.add_argument("folder", nargs="?", help="without one: the folders of the agents that are connected")
    sync_command.add_argument("--scope")
    sync_command.add_argument("--url")
    return parser
