"""Operations of migrations: all models of a room at once, and foreign keys that the database itself follows."""

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import CASCADE, SET_NULL

ACTIONS = {CASCADE: "ON DELETE CASCADE", SET_NULL: "ON DELETE SET NULL"}
ALTER = (
    "ALTER TABLE {table} DROP CONSTRAINT {name}, ADD CONSTRAINT {name} FOREIGN KEY ({column}) "
    "REFERENCES {target} ({key}) {action} DEFERRABLE INITIALLY DEFERRED"
)


class DeleteInDatabase(Operation):
    """Let the database itself do what `on_delete` of a foreign key says, CASCADE or SET_NULL, to the rows.

    Django deletes such rows by itself, but the former version, which runs beside the new one during an upgrade, knows
    none of the new tables: without this it could not delete a row that a new table leads to.
    """

    reversible = True

    def __init__(self, model: str, field: str) -> None:
        self.model, self.field = model, field

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """To Django the field is as before."""

    def database_forwards(
        self, app_label: str, editor: BaseDatabaseSchemaEditor, before: ProjectState, after: ProjectState
    ) -> None:
        field: Any = after.apps.get_model(app_label, self.model)._meta.get_field(self.field)
        while editor.deferred_sql:  # the keys of tables that this very migration creates
            editor.execute(editor.deferred_sql.pop(0), None)
        self._alter(app_label, editor, after, ACTIONS[field.remote_field.on_delete])

    def database_backwards(
        self, app_label: str, editor: BaseDatabaseSchemaEditor, before: ProjectState, after: ProjectState
    ) -> None:
        self._alter(app_label, editor, before, "")

    def describe(self) -> str:
        return f"Delete in the database along {self.field} of {self.model}"

    def _alter(self, app_label: str, editor: BaseDatabaseSchemaEditor, state: ProjectState, action: str) -> None:
        model = state.apps.get_model(app_label, self.model)
        field: Any = model._meta.get_field(self.field)
        (name,) = editor._constraint_names(model, [field.column], foreign_key=True)  # type: ignore[attr-defined]
        target = field.remote_field.model._meta
        names = {
            "table": model._meta.db_table,
            "name": name,
            "column": field.column,
            "target": target.db_table,
            "key": target.pk.column,
        }
        editor.execute(ALTER.format(**{key: editor.quote_name(value) for key, value in names.items()}, action=action))


class CreateModels(Operation):
    """Create the tables of these models, in this order: each after those that it leads to; for a store that has none.

    `CreateModel` renders the models that lead to the new one again, so that the time of a room grows with the square of
    its models: two thirds of the processor time of a first start.
    """

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
