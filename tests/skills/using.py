"""Uses of a skill as agents report them, for several tests."""

from typing import Any

from rest_framework.test import APIClient

from memories.models import Performance
from skills.models import Skill
from tests.make import caller

PATH = "/api/v1/skills"


def report(outcome: str = "success", *, client: APIClient | None = None, status: int = 201, **told: Any) -> Any:
    """What a use of book-flight answers. `key`: its Idempotency-Key; `name`: of another skill."""
    key, name = told.pop("key", None), told.pop("name", "book-flight")
    headers = {"Idempotency-Key": key} if key else {}
    body = {"outcome": outcome, **told}
    answer = (client or caller()).post(f"{PATH}/{name}/uses", body, format="json", headers=headers)
    assert answer.status_code == status, answer.content
    return answer.json()


def record(skill: Skill) -> tuple[int, int, int]:
    row = Performance.objects.get(memory=skill.pk)
    return row.successes, row.failures, row.partials
