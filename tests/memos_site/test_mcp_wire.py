"""MCP as bytes: what JSON-RPC and the headers of 2026-07-28 demand, and what clients of the handshake get."""

import base64
from typing import Any

import pytest

from memos_site.api.tools import TOOLS
from tests.make import make_agent, make_skill
from tests.memos_site.mcp_client import MODERN, modern, post

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]


@pytest.fixture
def bearer() -> dict[str, str]:
    return {"Authorization": f"Bearer {make_agent()[1]}"}


def test_a_modern_answer_is_complete_says_who_answers_and_how_long_it_keeps(
    live_server: Any, bearer: dict[str, str]
) -> None:
    body, headers = modern("tools/list")
    status, answered, answer = post(live_server.url, body, **headers, **bearer)
    result = answer["result"]
    assert (status, answered["Content-Type"], answer["id"]) == (200, "application/json", 1)
    assert (result["resultType"], result["cacheScope"]) == ("complete", "private")
    assert result["ttlMs"] > 0
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "memos"
    assert "Mcp-Session-Id" not in answered


def test_discovery_names_the_versions(live_server: Any, bearer: dict[str, str]) -> None:
    body, headers = modern("server/discover")
    _, _, answer = post(live_server.url, body, **headers, **bearer)
    assert answer["result"]["supportedVersions"] == ["2026-07-28", "2025-11-25", "2025-06-18"]
    assert set(answer["result"]["capabilities"]) == {"tools", "resources", "prompts"}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"Mcp-Method": "tools/list"}, -32020),
        ({"Mcp-Method": None}, -32020),
        ({"Mcp-Name": "memory_get"}, -32020),
        ({"Mcp-Name": None}, -32020),
        ({"Mcp-Name": "=?base64?%%%?="}, -32020),
        ({"MCP-Protocol-Version": "2025-11-25"}, -32020),
        ({"MCP-Protocol-Version": None}, -32020),
    ],
)
def test_headers_must_say_what_the_message_says(
    live_server: Any, bearer: dict[str, str], change: dict[str, str | None], code: int
) -> None:
    body, headers = modern("tools/call", name="memory_query", arguments={"text": "Acme"})
    sent = {name: value for name, value in {**headers, **change}.items() if value is not None}
    status, _, answer = post(live_server.url, body, **sent, **bearer)
    assert (status, answer["error"]["code"], answer["id"]) == (400, code, 1)


def test_a_name_may_come_in_base64(live_server: Any, bearer: dict[str, str]) -> None:
    make_skill()
    body, headers = modern("resources/read", uri="skill://_/book-flight/SKILL.md")
    encoded = base64.b64encode(headers["Mcp-Name"].encode()).decode()
    status, _, answer = post(live_server.url, body, **headers | {"Mcp-Name": f"=?base64?{encoded}?="}, **bearer)
    assert (status, answer["result"]["contents"][0]["mimeType"]) == (200, "text/markdown")


def test_a_version_that_is_not_spoken_is_told_which_are(live_server: Any, bearer: dict[str, str]) -> None:
    body, headers = modern("tools/list")
    body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "1900-01-01"
    for sent in (body, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}):
        asked = headers | {"MCP-Protocol-Version": "1900-01-01"}
        status, _, answer = post(live_server.url, sent, **asked, **bearer)
        assert (status, answer["error"]["code"]) == (400, -32022)
        assert answer["error"]["data"]["supported"][0] == MODERN


@pytest.mark.parametrize("missing", ["protocolVersion", "clientCapabilities"])
def test_a_modern_request_declares_itself(live_server: Any, bearer: dict[str, str], missing: str) -> None:
    body, headers = modern("tools/list")
    del body["params"]["_meta"][f"io.modelcontextprotocol/{missing}"]
    status, _, answer = post(live_server.url, body, **headers, **bearer)
    assert (status, answer["error"]["code"]) == (400, -32602)
    assert missing in answer["error"]["message"]


@pytest.mark.parametrize("method", ["ping", "initialize/again", "subscriptions/listen"])
def test_an_unknown_method_is_404_and_says_so(live_server: Any, bearer: dict[str, str], method: str) -> None:
    body, headers = modern(method)
    status, _, answer = post(live_server.url, body, **headers, **bearer)
    assert (status, answer["error"]["code"]) == (404, -32601)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "a\\u0000"}', -32700),
        (b"7", -32600),
        (b"[]", -32600),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
        (b'{"id": 1, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1}', -32600),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32602),
    ],
)
def test_what_is_no_message_is_refused(live_server: Any, bearer: dict[str, str], body: bytes, code: int) -> None:
    status, _, answer = post(live_server.url, body, **bearer)
    assert (status, answer["jsonrpc"], answer["error"]["code"]) == (400, "2.0", code)


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18"])
def test_the_handshake_needs_no_session(live_server: Any, bearer: dict[str, str], version: str) -> None:
    def ask(method: str, **params: Any) -> tuple[int, Json]:
        message = {"jsonrpc": "2.0", "id": "a", "method": method, "params": params}
        status, answered, answer = post(live_server.url, message, **bearer, **{"MCP-Protocol-Version": version})
        assert "Mcp-Session-Id" not in answered
        return status, answer

    status, answer = ask(
        "initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "c", "version": "1"}
    )
    assert (status, answer["result"]["protocolVersion"]) == (200, version)
    assert answer["result"]["serverInfo"]["name"] == "memos"
    assert post(live_server.url, {"jsonrpc": "2.0", "method": "notifications/initialized"}, **bearer)[::2] == (202, {})
    assert ask("ping") == (200, {"jsonrpc": "2.0", "id": "a", "result": {}})
    assert set(ask("tools/list")[1]["result"]) == {"tools"}
    assert ask("tools/list", cursor="garbage")[1]["error"]["code"] == -32602
    assert ask("server/discover")[1]["error"]["code"] == -32601
    for nothing in ("_/nothing", "_/%00", "%00/nothing", "%ff/nothing"):
        assert ask("resources/read", uri=f"skill://{nothing}/SKILL.md")[1]["error"]["code"] == -32002


def test_another_version_of_the_handshake_is_offered_the_latest(live_server: Any, bearer: dict[str, str]) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2024-11-05"}}
    assert post(live_server.url, message, **bearer)[2]["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
@pytest.mark.parametrize("accept", ["text/event-stream", "application/json", "text/html"])
def test_only_post_is_answered(live_server: Any, bearer: dict[str, str], method: str, accept: str) -> None:
    status, headers, _ = post(live_server.url, b"", method=method, Accept=accept, **bearer)
    assert (status, headers["Allow"]) == (405, "POST")


def test_the_address_or_a_header_asks_for_every_tool(live_server: Any, bearer: dict[str, str]) -> None:
    body, headers = modern("tools/list")

    def listed(path: str = "/mcp", **more: str) -> int:
        return len(post(live_server.url, body, path=path, **headers, **bearer, **more)[2]["result"]["tools"])

    few, every = listed(), listed("/mcp?tools=all")
    assert (few, every, listed(**{"X-Memos-Tools": "all"})) == (listed("/mcp?tools=short"), len(TOOLS), every)
    assert few < every
    status, _, answer = post(live_server.url, body, path="/mcp?tools=some", **headers, **bearer)
    assert (status, answer["error"]["data"]["detail"]) == (400, "tools: must be short or all")


@pytest.mark.parametrize("resource", ["", "/mcp"])
def test_who_asks_how_to_sign_in_is_told_that_it_is_a_bearer_token(live_server: Any, resource: str) -> None:
    path = f"/.well-known/oauth-protected-resource{resource}"
    status, _, answer = post(live_server.url, b"", method="GET", path=path)
    assert (status, answer["resource"]) == (200, f"{live_server.url}{resource or '/'}")
    assert (answer["bearer_methods_supported"], "authorization_servers" in answer) == (["header"], False)


def test_no_token_is_401_and_says_which_scheme(live_server: Any) -> None:
    body, headers = modern("tools/list")
    status, answered, answer = post(live_server.url, body, **headers)
    assert (status, answered["WWW-Authenticate"]) == (401, 'Bearer realm="memos"')
    assert answer["error"]["data"]["code"] == "unauthenticated"


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "null", "http://localhost:1"])
def test_a_foreign_origin_is_403_before_anything_is_read(live_server: Any, bearer: dict[str, str], origin: str) -> None:
    body, headers = modern("tools/list")
    status, _, answer = post(live_server.url, body, **headers, **bearer, Origin=origin)
    assert (status, answer["error"]["code"], answer["id"]) == (403, -32600, None)


def test_too_many_calls_are_told_when_to_come_again(live_server: Any) -> None:
    bearer = {"Authorization": f"Bearer {make_agent(requests_per_minute=1)[1]}"}
    body, headers = modern("tools/list")
    assert post(live_server.url, body, **headers, **bearer)[0] == 200
    status, answered, answer = post(live_server.url, body, **headers, **bearer)
    assert (status, answer["error"]["data"]["code"]) == (429, "throttled")
    assert int(answered["Retry-After"]) > 0


def test_a_host_that_is_not_ours_is_a_problem_and_no_page(live_server: Any, bearer: dict[str, str]) -> None:
    body, headers = modern("tools/list")
    status, answered, _ = post(live_server.url, body, **headers, **bearer, Host="rebound.example")
    assert (status, answered["Content-Type"]) == (400, "application/problem+json")
