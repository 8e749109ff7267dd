"""A migration's operation: all models of a room at once, for a store that has none of its tables.

`CreateModel` renders the models that lead to the new one again, so that the time of a room grows with the square of
its models: two thirds of the processor time of a first start.
"""

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class CreateModels(Operation):
    """Create the tables of these models, in this order: each after those that it leads to."""

    def __init__(self, models: list[CreateModel]) -> None:
        self.models = models

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.__dict__.pop("apps", None)  # rendered once, when all models are known
        for model in self.models:
            model.state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, editor: BaseDatabaseSchemaEditor, before: ProjectState, after: ProjectState
    ) -> None:
        for model in self.models:
            model.database_forwards(app_label, editor, before, after)

    def database_backwards(
        self, app_label: str, editor: BaseDatabaseSchemaEditor, before: ProjectState, after: ProjectState
    ) -> None:
        for model in reversed(self.models):
            model.database_backwards(app_label, editor, before, after)

    def describe(self) -> str:
        return f"Create {len(self.models)} models"
