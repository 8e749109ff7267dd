"""The page of agents: a token shown once, with the texts that connect it; rotated and revoked by administrators."""

import io
import json
import re
import zipfile
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone, translation
from pytest_django import DjangoAssertNumQueries

from memories.models import Agent, AuditEntry
from memories.scanning.credentials import MASK
from memories.values.choices import Sensitivity
from memos_site.web.connecting import HARNESSES, PROSE, blocks, connection_texts, message_of
from tests.make import bearing, make_agent, make_skill
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
PAGE = "/agents/"
FORM: dict[str, Any] = {
    "name": "refund-agent",
    "clearance": "2",
    "permissions": ["read", "ingest"],
    "scopes": "project:shop",
}


@pytest.fixture
def administrator() -> Client:
    return signed_in("ada", group="administrator")


def token_in(page: str) -> str:
    [token] = re.findall(r'<pre id="token">(memos_[^<]+)</pre>', page)
    return str(token)


def works(token: str) -> bool:
    return bool(bearing(token).get("/api/v1/me").status_code == 200)


def test_a_new_agents_token_is_shown_once_and_works(administrator: Client) -> None:
    issued = administrator.post(PAGE, FORM)
    token = token_in(issued.content.decode())
    assert "no-store" in issued["Cache-Control"]
    told = bearing(token).get("/api/v1/me").json()
    assert (told["name"], told["scopes"], told["permissions"]) == ("refund-agent", ["project:shop"], ["ingest", "read"])
    assert token not in administrator.get(PAGE).content.decode()
    assert Agent.objects.filter(owner__username="ada").exists()


def test_every_text_is_filled_in_with_address_and_token(administrator: Client) -> None:
    page = administrator.post(PAGE, FORM).content.decode()
    texts = dict(re.findall(r'<details name="connect" id="([a-z-]+)">(.*?)</details>', page, re.DOTALL))
    assert set(texts) == set(HARNESSES)
    for name, text in texts.items():
        assert "YOUR_TOKEN" not in text
        assert "127.0.0.1:8000" not in text
        if name != "plugins":
            assert token_in(page) in text
            assert "http://testserver" in text


def test_before_there_is_a_token_its_place_is_named(administrator: Client) -> None:
    page = administrator.get(PAGE).content.decode()
    assert "YOUR_TOKEN" in page
    assert MASK not in page, "commands are pasted as they stand"
    for block in re.findall(r'<code class="language-json">(.*?)</code>', page, re.DOTALL):
        json.loads(unescape(block))


def test_what_a_person_may_not_do_no_agent_of_theirs_may(administrator: Client) -> None:
    for wrong in ({"clearance": "9"}, {"permissions": ["everything"]}, {"scopes": "no/slash"}, {"name": ""}):
        assert administrator.post(PAGE, FORM | wrong).status_code == 400
    assert not Agent.objects.exists()


def test_a_name_is_given_once(administrator: Client) -> None:
    make_agent("refund-agent")
    answer = administrator.post(PAGE, FORM)
    assert (answer.status_code, Agent.objects.count()) == (409, 1)
    assert "an agent of this name exists already" in answer.content.decode()


def test_it_may_be_held_to_its_sources_and_to_a_rate(administrator: Client) -> None:
    administrator.post(PAGE, FORM | {"sources": "refund-agent, shop bot", "requests_per_minute": "30"})
    made = Agent.objects.get()
    assert (made.sources, made.requests_per_minute) == (["refund-agent", "shop bot"], 30)
    administrator.post(PAGE, FORM | {"name": "free", "requests_per_minute": ""})
    assert Agent.objects.get(name="free").requests_per_minute is None
    wrong = administrator.post(PAGE, FORM | {"name": "other", "requests_per_minute": "-1"})
    assert wrong.status_code == 400


@pytest.mark.parametrize(
    ("limit", "english", "chinese"),
    [
        (0, "Empty: the default of this installation, 0: no limit.", "留空：使用此安装的默认值 0，即不限。"),
        (1200, "Empty: the default of this installation, 1200.", "留空：使用此安装的默认值 1200。"),
    ],
)
def test_what_an_empty_rate_means_is_said_beside_it(
    administrator: Client, settings: Any, limit: int, english: str, chinese: str
) -> None:
    settings.RATE_LIMIT_PER_MINUTE = limit
    hint = re.compile(r'<p class="hint" id="about-calls">\s*(.*?)\s*</p>')
    assert hint.findall(administrator.get(PAGE).content.decode()) == [english]
    refused = administrator.post(PAGE, FORM | {"requests_per_minute": "-1"}).content.decode()
    assert hint.findall(refused) == [english]
    assert 'aria-describedby="about-calls wrong-calls"' in refused
    administrator.post("/language/", {"language": "zh-hans"})
    assert hint.findall(administrator.get(PAGE).content.decode()) == [chinese]


def test_it_expires_when_it_is_said_to(administrator: Client) -> None:
    administrator.post(PAGE, FORM | {"expires": "30"})
    expires_at = Agent.objects.get().expires_at
    assert expires_at is not None
    assert timedelta(days=29) < expires_at - timezone.now() < timedelta(days=31)


def test_a_rotated_token_takes_the_place_of_the_former_one(administrator: Client) -> None:
    agent, former = make_agent("refund-agent", scopes=["project:shop"])
    page = administrator.post(f"/agents/{agent.pk}/rotate/").content.decode()
    token = token_in(page)
    assert (works(former), works(token)) == (False, True)
    assert bearing(token).get("/api/v1/me").json()["scopes"] == ["project:shop"]
    assert AuditEntry.objects.get(action="rotate").label == "refund-agent"


def test_a_revoked_token_is_refused_and_cannot_be_rotated(administrator: Client) -> None:
    agent, token = make_agent("refund-agent")
    administrator.post(f"/agents/{agent.pk}/revoke/")
    assert not works(token)
    again = administrator.post(f"/agents/{agent.pk}/rotate/", follow=True).content.decode()
    assert "is already revoked" in again
    assert 'id="token"' not in again


@pytest.mark.parametrize(("group", "seen"), [("reviewer", 200), ("viewer", 403)])
def test_others_give_and_take_no_tokens(group: str, seen: int) -> None:
    agent, token = make_agent("refund-agent")
    client = signed_in(group=group)
    page = client.get(PAGE)
    assert (page.status_code, b"New agent" in page.content) == (seen, False)
    for path in (PAGE, f"/agents/{agent.pk}/rotate/", f"/agents/{agent.pk}/revoke/"):
        assert client.post(path, FORM).status_code == 403
    assert works(token)


def test_an_agent_that_sees_more_than_the_person_is_not_listed() -> None:
    make_agent("secret-agent", clearance=Sensitivity.HYPER)
    assert "secret-agent" not in signed_in().get(PAGE).content.decode()


def test_the_list_says_what_each_may_and_costs_the_same_for_many(
    administrator: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(20):
        make_agent(f"agent-{number}", scopes=["project:shop"])
    with django_assert_max_num_queries(12):
        page = administrator.get(PAGE).content.decode()
    assert page.count("project:shop") >= 20


def test_the_page_of_an_agent_counts_its_requests_and_shows_how_to_connect_it(administrator: Client) -> None:
    agent, token = make_agent("refund-agent", scopes=["project:shop"])
    for _ in range(3):
        assert works(token)
    page = administrator.get(f"/agents/{agent.pk}/").content.decode()
    assert re.search(r"Requests</dt>\s*<dd>3</dd>", page)
    assert "curl -sS http://testserver/api/v1/me" in page
    assert "project:shop" in page
    listed = administrator.get(PAGE).context["page"].rows
    assert [row.calls_today for row in listed] == [3]


def test_an_agent_above_the_reader_has_no_page(administrator: Client) -> None:
    agent, _ = make_agent("secret-agent", clearance=Sensitivity.HYPER)
    assert signed_in().get(f"/agents/{agent.pk}/").status_code == 404
    assert signed_in("vera", group="viewer").get(f"/agents/{agent.pk}/").status_code == 403
    assert administrator.get(f"/agents/{agent.pk}/").status_code == 200


def test_agents_that_may_call_no_more_have_a_tab_of_their_own(administrator: Client) -> None:
    make_agent("refund-agent")
    make_agent("old-agent", expires_at=timezone.now() - timedelta(days=1))
    answer = administrator.get(PAGE)
    assert [row.name for row in answer.context["page"].rows] == ["refund-agent"]
    assert [tab.count for tab in answer.context["tabs"]] == [1, 1]
    assert [row.name for row in administrator.get(f"{PAGE}?ended=1").context["page"].rows] == ["old-agent"]
    assert not administrator.get(f"{PAGE}?q=nobody").context["page"].rows


def test_the_page_of_a_new_agent_shows_by_itself_what_arrives(administrator: Client) -> None:
    page = administrator.post(PAGE, FORM).content.decode()
    [address] = re.findall(r'hx-get="(/agents/[0-9a-f-]+/arrivals/)"', page)
    assert "django_htmx" in page or "htmx.min.js" in page, "the script that asks for it"
    waiting = administrator.get(address).content.decode()
    assert ("Nothing was reported" in waiting, "Waiting for the first report" in waiting) == (True, True)
    assert "Waiting for the first report" in administrator.get("/agents/first-report/").content.decode()
    call = {"source": "claude-code", "thread_id": "s1", "tool_name": "Bash", "ok": False}
    assert bearing(token_in(page)).post("/api/v1/tool-outputs", call, format="json").status_code == 201
    arrived = administrator.get(address).content.decode()
    assert ("claude-code" in arrived, "<code>Bash</code>" in arrived, "failed" in arrived) == (True, True, True)
    assert "Nothing was reported" not in arrived
    for shown in (arrived, administrator.get("/agents/first-report/").content.decode()):
        assert ("claude-code has reported" in shown, "Waiting" in shown) == (True, False)
    assert signed_in("eve", group="viewer").get(address).status_code in (403, 404)


def test_what_stands_around_the_code_is_told_in_the_readers_language() -> None:
    for name in HARNESSES:
        assert {message_of(text) for text, is_code in blocks(name) if not is_code} <= {*PROSE}, name
    with translation.override("zh-hans"):
        texts = connection_texts(url="http://testserver")
    assert "把钩子、工具和技能写入" in texts[0].html
    assert "memos_connect.py connect claude" in texts[0].html
    assert [text.title for text in texts[-2:]] == ["自己的插件或提示词", "技能"]


def test_a_plugin_holds_hooks_tools_and_what_the_agent_may_see_and_no_token(administrator: Client) -> None:
    make_skill("seen", scope="project:shop")
    make_skill("unseen", scope="project:other")
    agent, token = make_agent("refund-agent", scopes=["project:shop"])
    page = administrator.get(f"/agents/{agent.pk}/").content.decode()
    for name, root in (("claude", "${CLAUDE_PLUGIN_ROOT}"), ("gemini", "${extensionPath}")):
        address = f"/agents/{agent.pk}/memos-{name}.zip"
        assert address in page
        with zipfile.ZipFile(io.BytesIO(administrator.get(address).content)) as archive:
            files = {path: archive.read(path).decode() for path in archive.namelist()}
        assert {path for path in files if path.startswith("skills/")} == {"skills/seen/SKILL.md"}
        for hooks in json.loads(files["hooks/hooks.json"])["hooks"].values():
            assert hooks[0]["hooks"][0]["command"].startswith(f'python3 "{root}/memos_hook.py" ')
        assert f"{root}/memos_mcp.py" in files[".mcp.json" if name == "claude" else "gemini-extension.json"]
        assert token not in "".join(files.values())


def test_plugins_are_made_for_reviewers_of_agents_that_they_see(administrator: Client) -> None:
    agent, _ = make_agent("refund-agent", scopes=["project:shop"])
    assert administrator.get(f"/agents/{agent.pk}/memos-vim.zip").status_code == 404
    viewer = signed_in("vera", group="viewer")
    assert viewer.get(f"/agents/{agent.pk}/memos-claude.zip").status_code == 403
