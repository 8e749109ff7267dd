"""Credentials that agents send are removed before anything is stored; what they were stands in their place."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection

from memories.models import Memory
from memories.scanning import credentials, secret_removal
from memories.values.choices import Sensitivity, Status
from memories.values.text import as_text
from tests.make import bytes_of, caller

CLEAR = "hunter2-Kz93"
CARD = 4111111111111111
BODIES: dict[str, dict[str, Any]] = {
    "memories": {
        "key": "db",
        "category": "fact",
        "content": f"The staging database has password={CLEAR}",
        "source": "a",
    },
    "observations": {"source": "a", "subject": "staging", "predicate": "signs in with", "object": {"password": CLEAR}},
    "events": {
        "source": "a",
        "event_kind": "note",
        "ref": "r",
        "summary": f"access token: {CLEAR}",
        "context": {"pwd": CLEAR},
    },
    "tool-outputs": {
        "source": "a",
        "tool_name": "psql",
        "args": {"url": f"postgres://me:{CLEAR}@db/x"},
        "result": CARD,
    },
    "working-states": {"source": "a", "thread_id": "t", "state": "executing", "context_summary": f"密码是{CLEAR}"},
    "conversations": {
        "messages": [
            {"role": "user", "content": f"My api key is {CLEAR}"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "c",
                        "type": "function",
                        "function": {"name": "login", "arguments": json.dumps({"password": CLEAR, "card": CARD})},
                    }
                ],
            },
        ]
    },
    "batch": {"items": [{"kind": "event", "source": "a", "event_kind": "n", "ref": "r", "summary": f"secret={CLEAR}"}]},
}


def stored_texts() -> str:
    """Every row of every table, as text."""
    with connection.cursor() as cursor:
        rows = []
        for model in apps.get_models():
            cursor.execute(f'SELECT row_to_json(one)::text FROM "{model._meta.db_table}" AS one')
            rows += [text for (text,) in cursor.fetchall()]
    return "\n".join(rows)


@pytest.mark.django_db
@pytest.mark.parametrize("address", BODIES)
def test_nothing_of_a_credential_is_stored(address: str) -> None:
    answer = caller().post(f"/api/v1/{address}", BODIES[address], format="json", HTTP_IDEMPOTENCY_KEY="k")
    assert answer.status_code in (200, 201)
    texts = stored_texts()
    assert CLEAR not in texts and str(CARD) not in texts
    assert "removed]" in texts
    assert CLEAR not in answer.content.decode()


@pytest.mark.django_db
def test_a_claim_that_held_a_credential_waits_and_is_found_by_the_words_around_it() -> None:
    client = caller()
    for number in range(4):
        body = {**BODIES["memories"], "thread_id": f"t{number}", "direct": True}
        client.post("/api/v1/memories", body, format="json")
    memory = Memory.objects.get(key="db")
    assert memory.content == "The staging database has password=[password removed]"
    assert (memory.status, memory.flags) == (Status.CANDIDATE, ["secret removed"])
    assert memory.sensitivity == Sensitivity.LOW
    found = client.post("/api/v1/search", {"query": "staging database", "include_candidates": True}, format="json")
    assert [result["memory"]["id"] for result in found.json()["results"]] == [str(memory.pk)]


@pytest.mark.django_db
def test_escaped_characters_hide_no_credential() -> None:
    body = json.dumps({**BODIES["memories"], "content": f"密码是{CLEAR}"}, ensure_ascii=True)
    caller().post("/api/v1/memories", body, content_type="application/json")
    assert Memory.objects.get().content == "密码是[password removed]"


@pytest.mark.django_db
def test_imports_and_agents_uploads_hold_no_credential(tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text(json.dumps(BODIES["conversations"]) + "\n")
    call_command("import_conversations", file)
    claim = {
        "kind": "memory",
        "id": str(uuid4()),
        "type": "semantic",
        "content": f"password={CLEAR} is for staging",
        "source": "a",
    }
    file.write_text(json.dumps(claim) + "\n")
    call_command("import_memories", file, "--from", "memos")
    skill = f"---\nname: look-up\ndescription: Look up with password={CLEAR}\n---\nRun it with --token {CLEAR}\n"
    files = {"look-up/SKILL.md": skill, "look-up/scripts/run.sh": f"export DB_PASSWORD={CLEAR}\n"}
    sent = [SimpleUploadedFile(path.rpartition("/")[2], text.encode()) for path, text in files.items()]
    client = caller(permissions=["skills", "read", "review"])
    answer = client.post("/api/v1/skills", {"files": sent, "paths": list(files)}, format="multipart")
    assert answer.status_code == 201, answer.content
    texts = stored_texts()
    assert CLEAR not in texts and "Look up with password=[password removed]" in texts
    package = bytes_of(client.get("/api/v1/skills/look-up/versions/1/content"))
    assert CLEAR.encode() not in package and b"[password removed]" in package


def test_arguments_that_are_json_stay_json() -> None:
    written = json.dumps({"card": CARD, "note": "6 x 7", "deep": [{"client_secret": CLEAR}]})
    read = json.loads(secret_removal.without_secrets({"arguments": written})["arguments"])
    assert read == {"card": "[card number removed]", "note": "6 x 7", "deep": [{"client_secret": "[password removed]"}]}


@pytest.mark.parametrize(
    "value",
    [
        {"arguments": json.dumps({"密码": CLEAR})},
        {"arguments": json.dumps({"deep": json.dumps({"note": f"密码是{CLEAR}"})})},
        {"env": [{"name": "DB_PASSWORD", "value": CLEAR}]},
        {"argv": ["psql", "--password", CLEAR]},
    ],
)
def test_neither_escapes_nor_structure_hide_a_credential(value: Any) -> None:
    assert secret_removal.may_hold(json.dumps(value))
    assert CLEAR not in json.dumps(secret_removal.without_secrets(value))
    assert CLEAR not in json.dumps(secret_removal.at_intake(value))


@pytest.mark.parametrize(
    "value",
    [
        {"order_id": "W4817420", "sha": "d7d3e4b1c2a3f4e5d6c7b8a99887766554433221"},
        {"id": "0f8fad5b-d9cb-469f-a165-70867728950e", "phone": "+49 30 901820", "at": 1774094400000},
        {"password": True, "token_count": 4096, "pwd": "/home/admin"},
        "sudo: admin : TTY=pts/0 ; PWD=/home/admin ; USER=root",
        "Reset the password for every user whose token is older than a day.",
    ],
)
def test_what_is_no_credential_stays_as_it_is(value: Any) -> None:
    assert secret_removal.without_secrets(value) == value


@pytest.mark.parametrize("address", BODIES)
def test_a_removal_leaves_nothing_to_remove(address: str) -> None:
    plain = secret_removal.without_secrets(BODIES[address])
    assert secret_removal.at_intake(BODIES[address]) == plain
    assert secret_removal.without_secrets(plain) == plain
    text = as_text(plain)
    assert secret_removal.is_in(text) and not credentials.is_in(text)
