"""What is not as it should be after a whole session of an agent."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from memories.intake import episodes
from memories.models import Episode, Event
from tests.agents.harnesses import MENDED, PROMPT, TEST, Session
from tests.agents.protocols import LAST_WORDS
from tests.consolidation.experience import consolidated

KNOWN = "The tests of this repository run with python3 test_add.py, never with pytest"
PATIENT = {"MEMOS_DEADLINE": "30"}  # six agents at once on a small machine


def faults(session: Session, homes: Path) -> Iterator[str]:
    """What is not as it should be, each in a sentence."""
    agent, sent = session.agent, [json.dumps(body) for _path, body in session.requests]
    yield from faults_of_work(session)
    if "NOT " in session.connected:
        yield f"connect: {session.connected}"
    if not any(KNOWN in text and LAST_WORDS not in text for text in sent):
        yield "what is known did not stand before the prompt"
    if not any(text.count(KNOWN) > 1 for text in sent):  # before the prompt, and as its answer
        yield "the tool of MCP did not answer"
    if agent.query not in session.offered and not any(agent.query in one for one in named(session)):
        yield f"the tools of MCP were not offered: {sorted(session.offered)}"
    if "book-flight" not in "".join(sent):
        yield "the agent does not know the skill"
    if (homes / agent.name / ".memos" / "counts" / "dropped").exists():
        yield "reports were dropped"
    yield from faults_of_episodes(session)


def named(session: Session) -> list[str]:
    """What the agent tells its model before the first word: Qwen Code only names the tools of MCP there."""
    first = (body for path, body in session.requests if path.endswith("/completions"))
    return [json.dumps(message) for body in first for message in body["messages"] if message["role"] == "system"]


def faults_of_work(session: Session) -> Iterator[str]:
    if set(session.returned) != {0} or session.wanted not in session.file:
        yield f"the session failed: {session.returned} {session.printed[-500:]}"


def faults_of_episodes(session: Session) -> Iterator[str]:
    agent = session.agent
    found = list(Episode.objects.filter(source=agent.source).exclude(thread_id__startswith="memos-connect"))
    if len(found) != 1:
        yield f"its sessions are {len(found)} episodes"
        return
    if found[0].outcome is not None:
        yield f"the hook decided the outcome: {found[0].outcome}"
    events = list(Event.objects.filter(episode=found[0]).order_by("position"))
    calls = [event.ok for event in events if event.kind == "tool_call"]
    passed = session.wanted == MENDED
    if calls != [False, *([True] if agent.read[0] else []), True, passed, True]:
        yield f"the calls arrived as {calls}"
    tests = [
        (event.result or {}).get("exit_code")
        for event in events
        if isinstance(event.args, dict) and TEST in event.args.values()
    ]
    if tests != [1, 0 if passed else 1]:
        yield f"the tests ended with {tests}"
    said = [(event.role, event.text.strip('"')) for event in events if event.role]
    resumed = [("user", "Thanks"), ("assistant", LAST_WORDS)] if len(agent.sessions) > 1 else []
    if said != [("user", PROMPT), ("assistant", LAST_WORDS), *resumed]:
        yield f"what was said arrived as {said}"


def outcomes_when_read() -> dict[str, tuple[str | None, str | None]]:
    """By source, how its session ended and who says so, after consolidation has read it."""
    later = timezone.now() + timedelta(days=1)
    episodes.close_silent(at=later)
    consolidated(at=later)
    rows = Episode.objects.exclude(thread_id__startswith="memos-connect")
    return {one.source: (one.outcome, one.outcome_source) for one in rows}
