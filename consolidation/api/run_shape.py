"""How the API shows a run of a background job and its steps."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from consolidation.llm import tokens
from consolidation.models import Run as RunRow
from consolidation.models import RunStep as RunStepRow
from consolidation.ordering import without_foreign_figures
from memories.api.shapes import EXAMPLE_ID, EXAMPLE_TIME, Count, Json, Shape
from memories.values.choices import Sensitivity
from memories.values.field_types import SensitivityName
from memories.values.trust import Trust

RunStatus = Literal["queued", "running", "succeeded", "skipped", "failed", "paused"]


class RunStep(Shape):
    name: str
    """The name of the step; in a run over all scopes, the scope"""
    status: Literal["pending", "running", "succeeded", "skipped", "failed"]
    reason: str
    """Why the step was skipped or failed"""
    attempts: Count
    started_at: datetime | None
    finished_at: datetime | None


class ModelUse(Shape):
    """Calls of the language model for this run. Tokens are as the endpoint reported them."""

    calls: Count
    failed_calls: Count
    """Calls whose answer could not be used"""
    tokens_in: Count
    tokens_out: Count
    tokens_reasoning: Count
    """The part of `tokens_out` that was reasoning"""
    cost: float | None
    """Cost by LLM_PRICES; null where LLM_PRICES is not set"""


class RunSummary(Shape):
    """A run of a background job."""

    id: UUID
    kind: str
    subject: UUID | None
    """The memory or episode that the run is about"""
    episode_id: UUID | None
    """The conversation that the run reads; the run is deleted with it"""
    status: RunStatus
    trigger: Literal["schedule", "command", "api", "page"]
    stage: str
    done: Count
    total: Count
    """0: not known"""
    counters: dict[str, int]
    """What the run counted. For a run over the whole store shown only to callers who read all scopes, as are `done`,
    `total` and `model`"""
    error: str
    """Why the run failed, was skipped or is paused"""
    attempts: Count
    """How often a worker has started the run"""
    paused_until: datetime | None
    """When the run resumes by itself; null where somebody must resume it"""
    model: ModelUse
    scope: str
    sensitivity: SensitivityName
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    example = {
        "id": EXAMPLE_ID,
        "kind": "consolidate",
        "subject": None,
        "episode_id": None,
        "status": "running",
        "trigger": "api",
        "stage": "episodes",
        "done": 50,
        "total": 120,
        "counters": {"episodes_read": 50},
        "error": "",
        "attempts": 1,
        "paused_until": None,
        "model": {"calls": 0, "failed_calls": 0, "tokens_in": 0, "tokens_out": 0, "tokens_reasoning": 0, "cost": 0.0},
        "scope": "",
        "sensitivity": "low",
        "created_at": EXAMPLE_TIME,
        "started_at": EXAMPLE_TIME,
        "finished_at": None,
    }

    @classmethod
    def of(cls, row: RunRow, trust: Trust) -> Json:
        """`row`: of `with_model_use`."""
        row = without_foreign_figures(row, trust)
        use = ModelUse.from_row(row, cost=tokens.cost(row.tokens_in, row.tokens_out))  # type: ignore[attr-defined]
        return cls.from_row(row, sensitivity=Sensitivity(row.sensitivity).label, model=use)


class Run(RunSummary):
    """A run of a background job with its steps, those within the caller's scopes."""

    steps: list[RunStep]

    example = {
        **RunSummary.example,
        "steps": [
            {
                "name": "project:shop",
                "status": "running",
                "reason": "",
                "attempts": 1,
                "started_at": EXAMPLE_TIME,
                "finished_at": None,
            }
        ],
    }

    @classmethod
    def with_steps(cls, row: RunRow, trust: Trust) -> Json:
        """Read with its model use and steps from the database."""
        row = RunRow.objects.with_model_use().get(pk=row.pk)
        steps = RunStepRow.objects.filter(run=row).visible_to(trust).defer("answer")
        return {**RunSummary.of(row, trust), "steps": [RunStep.from_row(step) for step in steps]}
