"""Webhooks in the form of a chat: what Slack, Teams and Feishu are sent, and when they took it."""

import json
from typing import Any

import pytest
from django.utils import timezone

from consolidation.models import Webhook, WebhookDelivery
from consolidation.models.webhooks import Format
from consolidation.webhooks import outbox
from memories.models import Proposal
from memories.values.choices import Permission
from memories.values.trust import SYSTEM
from memos_site.platform.environment import BASE_DIR
from tests.consolidation.webhook_server import Receiver, happen, hook, waiting
from tests.make import caller, make_memory
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
CHATS = [format for format in Format if format != Format.JSON]
TAKEN = {"slack": b"ok", "teams": b"1", "feishu": b'{"code":0,"data":{},"msg":"success","StatusCode":0}'}


def bodies(format: str) -> dict[str, Any]:
    row = hook(format=format)
    happen(error="<!channel> [a](b)", why="it fails too often: 2 of 9 uses ended well")
    outbox.collect(at=timezone.now())
    told = WebhookDelivery.objects.filter(webhook=row).values_list("event", "body")
    return {event: json.loads(body) for event, body in told}


def buttons(format: str, body: Any) -> list[tuple[str, str]]:
    """The words and addresses of a message's buttons, where that chat's documentation has them."""
    if format == "slack":
        return [(one["text"]["text"], one["url"]) for one in body["blocks"][-1]["elements"]]
    if format == "teams":
        [card] = body["attachments"]
        return [(one["title"], one["url"]) for one in card["content"]["actions"] if one["type"] == "Action.OpenUrl"]
    return [(one["text"]["content"], one["url"]) for one in body["card"]["elements"][-1]["actions"]]


@pytest.mark.parametrize("format", CHATS)
def test_each_message_has_three_buttons_that_open_pages_and_no_word_of_content(format: str, settings: Any) -> None:
    settings.SITE_URL = "https://memos.example.com"
    sent = bodies(format)
    assert len(sent) == 4
    reader = signed_in()
    for body in sent.values():
        told = buttons(format, body)
        assert len(told) == 3 and len({address for _, address in told}) == 3
        for _, address in told:
            assert address.startswith("https://memos.example.com/")
            assert reader.get(address.removeprefix("https://memos.example.com")).status_code == 200
        assert "net-30" not in json.dumps(body)
    assert Proposal.objects.open().count() == 1  # nothing was decided by opening all of them


def test_each_chat_is_documented() -> None:
    page = (BASE_DIR / "docs/agents/webhooks.md").read_text()
    assert [format for format in CHATS if f"| `{format}` |" not in page] == []


def test_slack_is_sent_blocks_of_plain_text_and_a_notification_that_calls_nobody() -> None:
    body = bodies("slack")["run_failed"]
    assert [block["type"] for block in body["blocks"]] == ["header", "section", "actions"]
    assert {block["text"]["type"] for block in body["blocks"][:2]} == {"plain_text"}
    assert "<!channel>" in body["blocks"][1]["text"]["text"]
    assert "&lt;!channel&gt;" in body["text"] and "<" not in body["text"]


def test_teams_is_sent_an_adaptive_card_whose_details_are_no_markdown() -> None:
    body = bodies("teams")["run_failed"]
    [attachment] = body["attachments"]
    assert (body["type"], attachment["contentType"]) == ("message", "application/vnd.microsoft.card.adaptive")
    card = attachment["content"]
    assert (card["type"], card["version"]) == ("AdaptiveCard", "1.4")
    assert [one["type"] for one in card["body"]] == ["TextBlock", *["RichTextBlock"] * 3]
    assert card["body"][-1]["inlines"] == [{"type": "TextRun", "text": "<!channel> [a](b)"}]


def test_feishu_is_sent_a_card_whose_title_holds_the_keyword() -> None:
    body = bodies("feishu")["skill_harms"]
    assert body["msg_type"] == "interactive"
    assert body["card"]["header"]["title"] == {
        "tag": "plain_text",
        "content": "Memos: A skill fails too often, harms, or has no effect",
    }
    text = body["card"]["elements"][0]["text"]
    assert text["tag"] == "plain_text" and "2 of 9 uses ended well" in text["content"]


def test_a_chat_is_told_in_the_language_of_the_workspace(settings: Any) -> None:
    settings.LANGUAGE_CODE = "zh-hans"
    told = bodies("feishu")
    assert "失败过多：9 次使用中 2 次成功" in told["skill_harms"]["card"]["elements"][0]["text"]["content"]
    body = told["run_failed"]
    assert body["card"]["header"]["title"]["content"] == "Memos: 一项后台任务失败了"
    assert [words for words, _ in buttons("feishu", body)] == ["打开该任务", "全部任务", "收件箱"]


@pytest.mark.parametrize("format", CHATS)
def test_a_message_that_a_chat_took_is_delivered(format: str, receiver: Receiver) -> None:
    delivery = waiting(receiver.url, format=format)
    receiver.answers, receiver.says = [200], TAKEN[format]
    assert outbox.send_due() == 1
    delivery.refresh_from_db()
    assert (delivery.status, delivery.error) == ("delivered", "")
    [(headers, body)] = receiver.received
    assert (headers["content-type"], body.decode()) == ("application/json", delivery.body)


@pytest.mark.parametrize(
    ("format", "says", "error"),
    [
        ("feishu", b'{"code":19024,"msg":"Key Words Not Found"}', "Feishu refused it: 19024 Key Words Not Found"),
        ("feishu", b"<html>proxy</html>", "answered with something else than Feishu's JSON"),
        ("feishu", b"[]", "answered with something else than Feishu's JSON"),
        (
            "teams",
            b"Webhook message delivery failed with error: endpoint returned HTTP error 429",
            "Teams refused it: Webhook message delivery failed with error: endpoint returned HTTP error 429",
        ),
    ],
)
def test_a_refusal_in_an_answer_of_success_is_tried_again(
    format: str, says: bytes, error: str, receiver: Receiver
) -> None:
    delivery = waiting(receiver.url, format=format)
    receiver.answers, receiver.says = [200], says
    outbox.send_due()
    delivery.refresh_from_db()
    assert (delivery.status, delivery.answered, delivery.error) == ("waiting", 200, error)


def test_the_address_of_a_chat_is_a_secret_and_needs_no_other() -> None:
    admin = signed_in("root", group="administrator")
    address = "https://hooks.slack.com/services/T01/B01/wq7example"
    fields = {"name": "chat", "url": address, "events": ["run_failed"], "clearance": 1, "format": "slack"}
    made = admin.post("/admin/consolidation/webhook/add/", fields, follow=True)
    row = Webhook.objects.get()
    assert (row.format, row.url) == ("slack", address)
    shown = made.content.decode() + admin.get(f"/admin/consolidation/webhook/{row.pk}/change/").content.decode()
    answer = caller(permissions=Permission.values).get("/api/v1/webhooks")
    assert (answer.json()["results"][0]["url"], answer.json()["results"][0]["format"]) == (
        "https://hooks.slack.com/…",
        "slack",
    )
    for text in (shown, answer.content.decode()):
        assert "hooks.slack.com" in text and "wq7example" not in text and row.secret not in text


@pytest.mark.parametrize("format", CHATS)
def test_a_lesson_that_does_not_help_is_called_a_lesson(format: str) -> None:
    row, now = hook(format=format), timezone.now()
    facts: Any = {"by": SYSTEM, "why": "no matter", "at": now, "sensitivity": 1}
    Proposal.objects.propose(Proposal.Kind.FAILING, make_memory("Refuse first"), {"verb": "demote"}, **facts)
    outbox.collect(at=now)
    body = WebhookDelivery.objects.get(webhook=row, event="skill_harms").body
    assert "A lesson does not help" in body and "Skill:" not in body and "no matter" in body
