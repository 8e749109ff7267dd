"""Whatever the schema allows, and what it does not: every answer is one that the schema names, and none is a 500.

What the schema allows is not called malformed either. Examples are drawn by Hypothesis from the schema, always the same
ones; most ids are of rows that are there.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from consolidation.models import Pack, Run, Webhook, WebhookDelivery
from memories.intake import episodes
from memories.intake.reports.events import WorkingStateReport, check
from memories.models import Subject, Tombstone
from memories.values.choices import Permission, Sensitivity
from memories.values.trust import everything
from memos_site.api.tools import TOOLS
from skills.models import Skill
from tests.deciding import make_applied, propose
from tests.make import ANNA, AT, make_agent, make_memory, make_run, make_skill, make_version
from tests.memories.storing import store
from tests.memos_site.test_api_schema import OPERATIONS
from tests.shared_rows import shared_rows

if TYPE_CHECKING:
    from tests.memos_site.drawing import Site

pytestmark = pytest.mark.django_db
EXAMPLES = 8
DEPENDS = {  # whether these are right is not for a schema to say
    *(
        "/from",
        "/scope",
        "/file",
        "/files",
        "/paths",
        "/episode_id",
        "/cursor",
        "/target_record_id",
        "/category",
        "/to",
        "/until",
        "/version",
        "/reason",
        "/messages",
        "/expires_at",
        "/subject",
        "/retry_set_aside",
        "/as_of",
        "/stale",
        "/keep",
        "/memories",
        "/skills",
    ),
}
BY_ANOTHER_SCHEMA = ("CallTool",)  # which GET tools answers: one for each tool
# what a new memory must say depends on what it comes from; an edge, on the nodes of its plan
BY_THE_REST = ("/memory/", "/payload/edges/")
# their schemas say of a message only that conversations say what it may be
MESSAGES_OF_ANY_FORM = ("Guidance", "Verdict")


@pytest.fixture
def one_connection() -> Iterator[None]:
    """Requests stay in the transaction of the test, as with Django's own test client."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@shared_rows
def tokens_and_rows() -> tuple[list[str], dict[str, list[str]]]:
    whole: dict[str, Any] = {"permissions": Permission.values, "clearance": Sensitivity.HYPER}
    tokens = [
        make_agent("all", **whole)[1],
        make_agent("scoped", permissions=Permission.values, scopes=["project:a", "project:b"])[1],
        make_agent("plain", clearance=Sensitivity.LOW)[1],
        make_agent("reader", permissions=["read"])[1],
    ]
    return tokens, _rows()


@pytest.fixture
def site(one_connection: None, tokens_and_rows: tuple[list[str], dict[str, list[str]]]) -> "Site":
    from tests.memos_site.drawing import Site

    return Site(*tokens_and_rows)


def _rows() -> dict[str, list[str]]:
    skill, candidate = make_skill(), make_skill("rename-file", published=False, scope="project:a")
    make_version(skill, description="Books a flight in two steps")
    secret = make_memory("secret", status="confirmed", sensitivity=Sensitivity.HYPER)
    dismissed = [make_memory("gone", status="dismissed", scope=scope) for scope in ("", "project:a")]
    decided = make_memory("waits", key="k1", tags=["x"])
    batch = decided.promote(by=ANNA, at=AT).batch_id
    memories = [make_run(id="r1", outcome="success"), make_run(), make_memory(), decided, *dismissed, secret]
    ids = [str(row.pk) for row in (*memories, skill, candidate)]
    decided.dismiss(by=ANNA, why="wrong", at=AT)
    proposal, adaptation = propose(memories[2]), make_applied(scope="project:a").adaptations.get()
    runs = [Run.objects.create(kind="consolidate", trigger="api", status=status) for status in Run.Status]
    working = check(WorkingStateReport, {"source": "P01", "thread_id": "t1", "state": "planning"})
    episodes.working_state(working, trust=everything(), at=AT)
    store(company_id="Acme Corp", trust=everything())
    return {
        "memory_id": ids,
        "target_record_id": ids[:2],
        "episode_id": ids[:2],
        "batch": [str(batch)],
        "proposal_id": [str(proposal.pk)],
        "subject_id": [str(Subject.objects.get(name="acme corp").pk)],
        "tombstone_id": [str(Tombstone.objects.get().pk)],
        "adaptation_id": [str(adaptation.pk)],
        "name": ["book-flight", "rename_file"],
        "number": ["1", "2", "latest"],
        "run_id": [str(run.pk) for run in runs],
        "delivery_id": [_delivery()],
        "pack_id": [_pack(skill)],
        "tool": sorted(TOOLS),
        "path": ["SKILL.md"],
        "thread_id": ["t1"],
        "key": ["k1"],
    }


def _pack(skill: Skill) -> str:
    place: dict[str, Any] = {"scope": skill.scope, "sensitivity": 1, "created_at": AT}
    return str(Pack.objects.create(name="flights", skills=[skill.name], made_by="anna", **place).pk)


def _delivery() -> str:
    hook = Webhook.objects.create(name="chat", url="https://hooks.example.com/", events=["run_failed"])
    place: dict[str, Any] = {"scope": "", "sensitivity": 1, "next_at": AT, "status": "failed"}
    row = WebhookDelivery.objects.create(webhook=hook, event="run_failed", subject=hook.pk, body="{}", **place)
    return str(row.pk)


@pytest.mark.parametrize("id", sorted({operation.id for operation in OPERATIONS}))
def test_every_answer_fits_the_schema(id: str, site: "Site") -> None:
    from schemathesis.generation import GenerationMode

    from tests.memos_site.drawing import CHECKS, drawn

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],  # a smaller example would take minutes to find
    )
    @given(st.data())
    def ask(data: st.DataObject) -> None:
        mode = data.draw(st.sampled_from([GenerationMode.POSITIVE, GenerationMode.POSITIVE, GenerationMode.NEGATIVE]))
        case = drawn(data, id, site, mode)
        answer = case.call_and_validate(checks=CHECKS)
        if answer.status_code == 400 and id not in BY_ANOTHER_SCHEMA and mode == GenerationMode.POSITIVE:
            wrong = {error["pointer"] for error in answer.json()["errors"]}
            beyond = (*BY_THE_REST, *(["/messages/"] if id in MESSAGES_OF_ANY_FORM else []))
            assert {one for one in wrong if not one.startswith(beyond)} <= DEPENDS, answer.json()

    ask()
