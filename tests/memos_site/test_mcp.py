"""MCP as clients meet it: the official client over real HTTP, in the protocol without handshake and in the one with."""

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import timezone

from memories.models import Agent, Memory
from tests.make import ANNA, make_agent, make_memory, make_skill
from tests.memos_site.calling import NAMES, good_calls
from tests.memos_site.mcp_client import session

if TYPE_CHECKING:
    from mcp import Client

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
MODES = ["2026-07-28", "legacy"]
ALL = {"X-Memos-Tools": "all"}
SHORT = {"context", "memory_query", "memory_store", "check_before_write", "skill_search", "skill_get"}


def text_of(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


@pytest.mark.parametrize(
    ("mode", "version"), [("2026-07-28", "2026-07-28"), ("auto", "2026-07-28"), ("legacy", "2025-11-25")]
)
def test_a_client_learns_who_it_speaks_to(live_server: Any, mode: str, version: str) -> None:
    async def work(client: "Client") -> tuple[str, bool]:
        await client.list_tools()
        return client.protocol_version, "check_before_write" in (client.instructions or "")

    told = session(live_server.url, make_agent()[1], work, mode=mode)
    assert told == (version, mode != "2026-07-28")  # without asking who it is, a client is told nothing


@pytest.mark.parametrize("mode", MODES)
def test_the_tools_are_listed_with_their_hints(live_server: Any, mode: str) -> None:
    async def work(client: "Client") -> Any:
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in session(live_server.url, make_agent()[1], work, mode=mode, **ALL)}
    assert set(tools) == NAMES
    assert tools["memory_query"].annotations.read_only_hint is True
    assert tools["memory_delete"].annotations.destructive_hint is True
    assert tools["memory_query"].input_schema["required"] == ["text"]


@pytest.mark.parametrize("mode", MODES)
def test_a_coding_agent_is_shown_a_short_table_of_at_most_2000_tokens(live_server: Any, mode: str) -> None:
    async def work(client: "Client") -> Any:
        return (await client.list_tools()).tools

    tools = session(live_server.url, make_agent()[1], work, mode=mode)
    assert {tool.name for tool in tools} - {"check_before_end"} == SHORT
    assert max(len(tool.input_schema["properties"]) for tool in tools) <= 6
    assert all(set(tool.input_schema.get("required", [])) <= set(tool.input_schema["properties"]) for tool in tools)
    text = json.dumps([tool.model_dump(by_alias=True, exclude_none=True) for tool in tools])
    assert len(text) / 4 <= 2_000  # about four characters are a token


@pytest.mark.parametrize("mode", MODES)
def test_every_tool_is_called(live_server: Any, mode: str) -> None:
    agent, token = make_agent()
    calls = good_calls(agent.trust.actor.identity)

    async def work(client: "Client") -> dict[str, Any]:
        return {name: await client.call_tool(name, arguments) for name, arguments in calls.items()}

    results = session(live_server.url, token, work, mode=mode)
    assert set(results) == NAMES
    for name, result in results.items():
        assert not result.is_error, (name, text_of(result))
        assert 0 < len(text_of(result)) <= 4_000, name
    assert Memory.objects.filter(key="k", content="Ben prefers mail").exists()
    assert not Memory.objects.filter(key="slip").exists()


@pytest.mark.parametrize("mode", MODES)
def test_a_skill_is_read_as_resource_and_as_prompt(live_server: Any, mode: str) -> None:
    for scope in ("", "project:shop"):
        make_skill(scope=scope)
    make_skill("rename-file", published=False)

    async def work(client: "Client") -> tuple[Any, ...]:
        resources = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        prompts = (await client.list_prompts()).prompts
        read = [await client.read_resource(str(resource.uri)) for resource in resources]
        got = await client.get_prompt(prompts[1].name, {"task": "Fly Ben to Rome"})
        return resources, templates, prompts, read, got

    resources, templates, prompts, read, got = session(live_server.url, make_agent()[1], work, mode=mode)
    addresses = ["skill://_/book-flight/SKILL.md", "skill://project%3Ashop/book-flight/SKILL.md"]
    assert [str(resource.uri) for resource in resources] == addresses
    assert templates[0].uri_template == "skill://{scope}/{name}/SKILL.md"
    assert all(answer.contents[0].text.startswith("---\nname: book-flight") for answer in read)
    assert [prompt.name for prompt in prompts] == ["book-flight@", "book-flight@project:shop"]
    assert "name: book-flight" in got.messages[0].content.text
    assert got.messages[0].content.text.endswith("Task: Fly Ben to Rome")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("memory_query", {}, '"pointer":"/text"'),
        ("memory_get", {"key": "nothing"}, '"status":404'),
        ("memory_delete", {"key": "theirs"}, '"status":403'),
        ("ingest_outcome", {"source": "s", "target_record_id": "7", "outcome_status": "x"}, "/target_record_id"),
    ],
)
def test_what_a_model_can_mend_is_an_error_of_the_tool(
    live_server: Any, mode: str, tool: str, arguments: Json, says: str
) -> None:
    make_memory("Not this agent's", key="theirs", status="applied")

    async def work(client: "Client") -> Any:
        return await client.call_tool(tool, arguments)

    result = session(live_server.url, make_agent()[1], work, mode=mode)
    assert result.is_error
    assert says in text_of(result)


def test_a_tool_without_its_permission_is_not_listed_and_says_so_when_called(live_server: Any) -> None:
    async def work(client: "Client") -> tuple[Any, Any]:
        return (await client.list_tools()).tools, await client.call_tool("memory_query", {"text": "Acme"})

    tools, result = session(live_server.url, make_agent(permissions=["report"])[1], work, **ALL)
    assert {tool.name for tool in tools} == {"ingest_outcome", "report_skill_use"}
    assert json.loads(text_of(result))["detail"] == "memory_query needs the permission read"


@pytest.mark.parametrize("mode", MODES)
def test_an_unknown_tool_is_an_error_of_the_protocol(live_server: Any, mode: str) -> None:
    from mcp.shared.exceptions import MCPError

    async def work(client: "Client") -> None:
        with pytest.raises(MCPError, match="Unknown tool: memory_promote"):
            await client.call_tool("memory_promote", {})
        with pytest.raises(MCPError, match="Resource not found"):
            await client.read_resource("skill://_/nothing/SKILL.md")
        with pytest.raises(MCPError, match="Unknown prompt: nothing"):
            await client.get_prompt("nothing")

    session(live_server.url, make_agent()[1], work, mode=mode)


def revoked(token: str) -> str:
    Agent.objects.get(prefix=token.split("_")[1]).revoke(by=ANNA, at=timezone.now())
    return token


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("who", ["nobody", "a stranger", "a revoked token", "a page of another site"])
def test_who_may_not_come_in_does_not(live_server: Any, mode: str, who: str) -> None:
    token = make_agent()[1]
    tokens = {"nobody": "", "a stranger": f"{token}x", "a revoked token": revoked(make_agent()[1])}
    headers = {"Origin": "https://elsewhere.example"} if who == "a page of another site" else {}
    reason = {"nobody": "credentials", "a page of another site": "is not this site"}.get(who, "token is not valid")

    async def work(client: "Client") -> None:
        await client.list_tools()

    with pytest.raises(Exception) as refused:  # or a group, as the client's tasks raise it
        session(live_server.url, tokens.get(who, token), work, mode=mode, **headers)
    assert reason in "".join(str(error) for error in leaves(refused.value))


def leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in leaves(inner)]
    return [error]


def test_the_site_itself_may_come_in_from_a_browser(live_server: Any) -> None:
    async def work(client: "Client") -> int:
        return len((await client.list_tools()).tools)

    assert session(live_server.url, make_agent()[1], work, Origin=live_server.url, **ALL) == len(NAMES)


def test_a_long_answer_goes_on_with_next(live_server: Any) -> None:
    content = "".join(f"line {number}\n" for number in range(1_000))
    memory = make_memory(content, status="confirmed", hold="floor")

    async def work(client: "Client") -> str:
        pieces, arguments = [], {"id": str(memory.pk)}
        while True:
            piece, rest = (await client.call_tool("memory_get", arguments)).content
            pieces.append(piece.text)  # type: ignore[union-attr]
            following = json.loads(rest.text).get("next")  # type: ignore[union-attr]
            if following is None:
                return "".join(pieces)
            arguments["next"] = following

    assert session(live_server.url, make_agent()[1], work) == content
