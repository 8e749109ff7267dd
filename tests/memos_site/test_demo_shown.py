"""The store of the demo team, loaded once: every page has something to show, and none a credential of its texts."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, models
from django.test import Client
from django.utils import timezone

from consolidation.guidance.offer_benefit import Arm, worth
from consolidation.models import LLMCall, Run, SkillOffer
from memories.models import Adaptation, Agent, AuditEntry, Episode, Injection, Memory, Proposal, Tombstone
from memories.values.choices import Status
from memos_site import demo, review
from memos_site.demo.agent_steps import ANNA
from memos_site.demo.claims import AGENTS
from skills.models import Skill, SkillUse, SkillVersion
from tests.browser import every_page
from tests.make import bearing, bytes_of, make_agent, make_person
from tests.memos_site.test_api_trust import LISTS
from tests.memos_site.test_demo import rows
from tests.memos_site.test_secrets_shown import CLEAR, KEY
from tests.pages import signed_in
from tests.shared_rows import shared_rows

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
PAGES = (
    "/",
    "/memories/",
    "/episodes/",
    "/skills/",
    "/adaptations/",
    "/runs/",
    "/insights/",
    "/dismissed/",
    "/agents/",
)
BEFORE = f"password={CLEAR} {KEY} "
ROOM = 60  # characters that a column must have left


@shared_rows
def team() -> tuple[Counter[str], datetime]:
    """How many rows there were before it, and when it was loaded."""
    before, now = rows(), timezone.now()
    assert demo.load(at=now)
    return before, now


def test_every_page_has_something_to_show_and_nothing_of_it_stays(team: tuple[Counter[str], datetime]) -> None:
    before, now = team
    waiting = set(review.kinds(ANNA, at=now))
    assert waiting == {"semantic", "competence", "version", "revision", "merge", "conflict", "failing"}
    assert {status for status, _name in Status.choices} - {"superseded"} <= set(
        Memory.objects.values_list("status", flat=True)
    )
    for model, least in ((SkillUse, 20), (Injection, 30), (Adaptation, 3), (Tombstone, 4), (LLMCall, 4), (Agent, 4)):
        assert model._default_manager.count() >= least, model
    offer = SkillOffer.objects.filter(withheld=True)[0]
    compared = worth(offer.memory_id, offer.version)
    assert (compared.offered, compared.withheld) == (Arm(9, 8), Arm(3, 2))
    assert SkillVersion.objects.filter(status="published").count() == 2
    assert set(Run.objects.values_list("status", flat=True)) == {"succeeded", "failed"}
    ids = {one.name: one.trust.actor.identity for one in Agent.objects.filter(name__in=AGENTS)}
    assert all(Episode.objects.filter(memory__created_by_id=id).exists() for id in ids.values()), "each has its runs"
    assert AuditEntry.objects.filter(action="decay").exists(), "what nobody used has faded"
    assert not Memory.objects.filter(created_at__gt=now).exists()
    person = signed_in("root", group="administrator")
    for page in PAGES:
        assert 'class="empty' not in person.get(page).content.decode(), page
    loaded = rows()
    assert not demo.load(at=now), "it is there already"
    assert rows() == loaded
    demo.remove()
    assert rows() - before == Counter()


def put_everywhere() -> int:
    """Begin every text of several words in every table of ours with a credential; how many columns hold one."""
    columns = 0
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")  # the audit trail is append-only
    for label in ("memories", "skills", "consolidation"):
        for model in apps.get_app_config(label).get_models():
            for field in model._meta.concrete_fields:
                columns += _put_into(model._meta.db_table, field)
    return columns


def _put_into(table: str, field: Any) -> int:
    column = f'"{field.column}"'
    with connection.cursor() as cursor:
        if isinstance(field, models.CharField | models.TextField):
            most = (field.max_length or 1_000_000) - ROOM
            where = f"{column} LIKE '%% %%' AND length({column}) < %s"
            cursor.execute(f'UPDATE "{table}" SET {column} = %s || {column} WHERE {where}', [BEFORE, most])
            return int(cursor.rowcount > 0)
        if not isinstance(field, models.JSONField):
            return 0
        cursor.execute(f'SELECT ctid::text, {column} FROM "{table}" WHERE {column} IS NOT NULL')
        held = [(place, json.loads(value)) for place, value in cursor.fetchall()]
        changed = [(json.dumps(_with(value)), place) for place, value in held if _with(value) != value]
        for value, place in changed:  # the row moves, so each is looked for by its own place of before
            cursor.execute(f'UPDATE "{table}" SET {column} = %s WHERE ctid = %s::tid', [value, place])
        return int(bool(changed))


def _with(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _with(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_with(inner) for inner in value]
    return BEFORE + value if isinstance(value, str) and " " in value else value


def pages(person: Any) -> Iterator[str]:
    for addresses in every_page.addresses(person).values():
        yield from addresses
    for memory in every_page._of_each_state():
        yield from (f"/memories/{memory.pk}/edit/", f"/memories/{memory.pk}/pane/")
    yield from (f"/proposals/{one.pk}/pane/" for one in Proposal.objects.all()[:3])
    yield from ("/memories/", "/memories/?q=password", "/memories/export.csv", "/memories/export.jsonl")
    yield "/search/?q=password"
    episode = Episode.objects.filter(event_count__gt=2)[0]
    yield from (f"/episodes/{episode.pk}/{place}/{part}/" for place in (1, 2, 3) for part in ("text", "args", "result"))
    for model in apps.get_models():
        if model._meta.app_label in ("memories", "skills", "consolidation"):
            yield f"/admin/{model._meta.app_label}/{model._meta.model_name}/"


def gets() -> Iterator[str]:
    for paths in LISTS.values():
        yield from paths
    yield from ("export", "agents", "runs", "runs/set-aside", "webhooks", "tools", "skills/prompt", "metrics")
    for memory in every_page._of_each_state():
        yield f"memories/{memory.pk}?include=history,evidence,relations"
        yield from (f"memories/{memory.pk}/{trail}" for trail in ("history", "evidence", "relations"))
    for episode in Episode.objects.all()[:3]:
        yield from (f"memories/{episode.pk}", f"episodes/{episode.pk}/events")
    for skill in Skill.objects.all()[:2]:
        yield from (f"skills/{skill.name}{rest}" for rest in ("", "/versions", "/versions/1", "/diff"))
        yield f"skills/{skill.name}/versions/1/files/SKILL.md"


def posts() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in ("search", "retrieve"):
        yield path, {"query": "refund parcel password", "include_candidates": True, "explain": True}
    yield "context", {"task": "A customer wants a refund of a parcel", "source": "a"}
    yield "guidance", {"task": "My parcel arrived broken, I want my money back"}
    yield "tools/search", {"query": "refund"}


def test_no_answer_shows_a_credential_of_any_text(team: object) -> None:
    """Written there in clear."""
    person = make_person("anna", group="administrator")
    person.is_superuser = person.is_staff = True
    person.save()
    addresses = list(pages(person))
    assert put_everywhere() > 40
    browser, agent = Client(), bearing(make_agent(permissions=["read", "skills", "review"], clearance=4)[1])
    browser.force_login(person)
    shown: dict[str, Any] = {path: browser.get(path) for path in addresses}
    shown |= {path: agent.get(f"/api/v1/{path}") for path in gets()}
    shown |= {f"POST {path}": agent.post(f"/api/v1/{path}", body, format="json") for path, body in posts()}
    called = {"name": "search", "arguments": {"query": "refund"}}
    rpc = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": called}
    shown["mcp"] = agent.post("/mcp", rpc, format="json", HTTP_ACCEPT="application/json, text/event-stream")
    answered = [*(f"POST {path}" for path, _body in posts()), "mcp"]
    assert {path: shown[path].status_code for path in answered} == dict.fromkeys(answered, 200)
    texts = {path: bytes_of(answer).decode(errors="replace") for path, answer in shown.items()}
    assert [path for path, answer in shown.items() if answer.status_code >= 500] == []
    assert [path for path, text in texts.items() if CLEAR in text or KEY in text] == []
    masked = [path for path, text in texts.items() if "••••••" in text or "\\u2022" in text]
    assert len(masked) > 60, "the store holds one everywhere"
