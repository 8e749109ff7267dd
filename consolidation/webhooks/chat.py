"""What happened, as a message that the incoming hooks of Slack, Microsoft Teams and Feishu take.

It names rows without their content, as the JSON of other webhooks does. Its three buttons open pages, on which a person
decides after signing in; no address of it decides. All texts are sent as plain text: nothing that an agent named
becomes a link or a mention. The words are in the language of the workspace (LANGUAGE_CODE).
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, override

from consolidation.models.runs import TITLES
from consolidation.models.webhooks import Format, WebhookEvent
from memories.values.links import site_page

MOST_LETTERS = 150  # of a title, which Slack bounds; details are bounded where they are made
WHY_IT_FAILS = [  # as memories/models/performance.py and guidance/offer_benefit.py write it
    gettext_noop("it fails too often: %(good)s of %(all)s uses ended well"),
    gettext_noop(
        "%(well)s of %(runs)s runs that were offered this skill ended well, and %(others)s of %(withheld)s from which "
        "it was withheld"
    ),
    gettext_noop(
        "%(well)s of %(runs)s runs that were offered this lesson ended well, and %(others)s of %(withheld)s from which "
        "it was withheld"
    ),
]
CARD = "application/vnd.microsoft.card.adaptive"


@dataclass(frozen=True)
class Message:
    """`buttons`: words and address; the first one opens what the message is about."""

    title: str
    details: str
    buttons: tuple[tuple[str, str], ...]


def message(format: str, kind: WebhookEvent, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body for a chat: what an event says, in the form of that chat."""
    with override(settings.LANGUAGE_CODE):
        return FORMS[Format(format)](_written(kind, data))


def refusal(format: str, body: bytes) -> str:
    """Why a chat took nothing, though its answer has a status of success; '' where it took the message.

    Feishu says so by a `code` other than 0, and former connectors of Teams by a sentence.
    """
    text = body.decode(errors="replace").strip()
    if format == Format.FEISHU:
        try:
            reply = json.loads(text)
            code = reply.get("code", reply.get("StatusCode", 0))
        except (ValueError, AttributeError):
            return "answered with something else than Feishu's JSON"
        return f"Feishu refused it: {code} {str(reply.get('msg', ''))[:200]}".strip() if code else ""
    if format == Format.TEAMS and "failed with error" in text:
        return f"Teams refused it: {text[:200]}"
    return ""


def _written(kind: WebhookEvent, data: Mapping[str, Any]) -> Message:
    scope = _("Scope: %(scope)s") % {"scope": data.get("scope") or _("none")}
    inbox = (_("Inbox"), site_page("inbox"))
    if kind == WebhookEvent.RUN_FAILED:
        what = _("Run: %(kind)s") % {"kind": TITLES.get(data["kind"], data["kind"])}
        buttons = ((_("Open the run"), site_page("run", data["run_id"])), (_("All runs"), site_page("runs")), inbox)
        return Message(_("A background run failed"), "\n".join([what, scope, data["error"]]), buttons)
    opened = site_page("memory", data["memory_id"])
    if kind == WebhookEvent.CANDIDATE_CREATED:
        evidence = (_("Its evidence"), site_page("evidence", data["memory_id"]))
        return Message(_("A new candidate memory"), scope, ((_("Open the memory"), opened), evidence, inbox))
    skill = _("Skill: %(name)s") % {"name": data["name"]}
    first, others = (_("Open the skill"), opened), (_("All skills"), site_page("skills"))
    if kind == WebhookEvent.SKILL_PUBLISHED:
        version = _("Version %(number)s") % {"number": data["version"]}
        return Message(_("A skill was published"), "\n".join([skill, version, scope]), (first, others, inbox))
    failing = (_("Failing skills"), site_page("inbox", kind="failing"))
    if data["name"] is None:  # a lesson, which has none
        buttons = ((_("Open the memory"), opened), failing, inbox)
        return Message(_("A lesson does not help"), "\n".join([scope, _why(data["why"])]), buttons)
    details = "\n".join([skill, scope, _why(data["why"])])
    return Message(_("A skill fails too often, harms, or has no effect"), details, (first, failing, inbox))


def _why(text: str) -> str:
    """Why a skill fails, as it is stored in English, in the language of the message."""
    for known in WHY_IT_FAILS:
        pattern = re.sub(r"%\\\((\w+)\\\)s", r"(?P<\1>\\d+)", re.escape(known))
        if match := re.fullmatch(pattern, text):
            return _(known) % match.groupdict()
    return text


def _slack(message: Message) -> dict[str, Any]:
    """The text alone stands in notifications. It is markup: `<!channel>` there would call everybody."""
    text = f"Memos: {message.title}\n{message.details}"
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, entity)
    buttons = [
        {"type": "button", "action_id": f"open-{n}", "text": {"type": "plain_text", "text": words}, "url": url}
        for n, (words, url) in enumerate(message.buttons)
    ]
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": message.title[:MOST_LETTERS]}},
        {"type": "section", "text": {"type": "plain_text", "text": message.details[:3000]}},
        {"type": "actions", "elements": buttons},
    ]
    return {"text": text[:3000], "blocks": blocks}


def _teams(message: Message) -> dict[str, Any]:
    """An Adaptive Card, as a workflow posts it. Runs of text are plain; a TextBlock would read Markdown."""
    body = [{"type": "TextBlock", "text": message.title, "weight": "Bolder", "size": "Medium", "wrap": True}]
    runs = [[{"type": "TextRun", "text": line}] for line in message.details.split("\n")]
    lines = [{"type": "RichTextBlock", "inlines": inlines} for inlines in runs]
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [*body, *lines],
        "actions": [{"type": "Action.OpenUrl", "title": words, "url": url} for words, url in message.buttons],
    }
    return {"type": "message", "attachments": [{"contentType": CARD, "contentUrl": None, "content": card}]}


def _feishu(message: Message) -> dict[str, Any]:
    """A card. Its title begins with Memos: a bot may be told to take only messages with that keyword."""

    def plain(text: str) -> dict[str, str]:
        return {"tag": "plain_text", "content": text}

    buttons = [
        {"tag": "button", "text": plain(words), "url": url, "type": "default" if n else "primary"}
        for n, (words, url) in enumerate(message.buttons)
    ]
    card = {
        "config": {"wide_screen_mode": True},
        "header": {"title": plain(f"Memos: {message.title}"), "template": "blue"},
        "elements": [{"tag": "div", "text": plain(message.details)}, {"tag": "action", "actions": buttons}],
    }
    return {"msg_type": "interactive", "card": card}


FORMS = {Format.SLACK: _slack, Format.TEAMS: _teams, Format.FEISHU: _feishu}
