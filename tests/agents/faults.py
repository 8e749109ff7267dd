"""What is not as it should be after a whole session of an agent."""

import json
from collections.abc import Iterator
from pathlib import Path

from memories.models import Episode, Event
from tests.agents.harnesses import PROMPT, TEST, Agent, Session
from tests.agents.protocols import LAST_WORDS

KNOWN = "The tests of this repository run with python3 test_add.py, never with pytest"
PATIENT = {"MEMOS_DEADLINE": "30"}  # six agents at once on a small machine


def faults(session: Session, homes: Path) -> Iterator[str]:
    """What is not as it should be, each in a sentence."""
    agent, sent = session.agent, [json.dumps(body) for _path, body in session.requests]
    if set(session.returned) != {0} or "a + b" not in session.file:
        yield f"the session failed: {session.returned} {session.printed[-500:]}"
    if "NOT " in session.connected:
        yield f"connect: {session.connected}"
    if not any(KNOWN in text and LAST_WORDS not in text for text in sent):
        yield "what is known did not stand before the prompt"
    if not any(text.count(KNOWN) > 1 for text in sent):  # before the prompt, and as its answer
        yield "the tool of MCP did not answer"
    if agent.lists_mcp_tools and agent.query not in session.offered:
        yield f"the tools of MCP were not offered: {sorted(session.offered)}"
    if "book-flight" not in "".join(sent):
        yield "the agent does not know the skill"
    if (homes / agent.name / ".memos" / "counts" / "dropped").exists():
        yield "reports were dropped"
    yield from faults_of_episodes(agent)


def faults_of_episodes(agent: Agent) -> Iterator[str]:
    episodes = list(Episode.objects.filter(source=agent.source).exclude(thread_id__startswith="memos-connect"))
    if len(episodes) != 1:
        yield f"its sessions are {len(episodes)} episodes"
        return
    if episodes[0].outcome is not None:
        yield f"the hook decided the outcome: {episodes[0].outcome}"
    events = list(Event.objects.filter(episode=episodes[0]).order_by("position"))
    calls = [event.ok for event in events if event.kind == "tool_call"]
    if calls != [True, False, *([True] if agent.read[0] else []), True, True]:
        yield f"the calls arrived as {calls}"
    tests = [
        (event.result or {}).get("exit_code")
        for event in events
        if isinstance(event.args, dict) and TEST in event.args.values()
    ]
    if tests != [1, 0]:
        yield f"the tests ended with {tests}"
    said = [(event.role, event.text.strip('"')) for event in events if event.role]
    resumed = [("user", "Thanks"), ("assistant", LAST_WORDS)] if len(agent.sessions) > 1 else []
    if said != [("user", PROMPT), ("assistant", LAST_WORDS), *resumed]:
        yield f"what was said arrived as {said}"
