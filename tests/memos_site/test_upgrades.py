"""A version works with the tables of the one before: the migrations since then only expand them.

`FORMER` names the last migrations of the version that is in use; it is moved with each release. A step that takes
something away, because the former version does not use it any more, says so in its migration:

    contract = {"name of the column, table or constraint": "why the former version does without"}
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState, StateApps

FORMER = {"memories": "0017_audit_of_people", "skills": "0002_uses", "consolidation": "0010_skill_lines"}
TAKES_AWAY = re.compile(
    r"\b(DROP\s+(TABLE|COLUMN|VIEW|CONSTRAINT)|RENAME|SET\s+NOT\s+NULL|ALTER\s+COLUMN\s+\S+\s+(SET\s+DATA\s+)?TYPE)\b"
    r"|\bTRUNCATE\b",
    re.IGNORECASE,
)
Model = type[models.Model]


def test_the_former_version_finds_all_that_it_knows_and_may_write_what_it_wrote() -> None:
    loader = _loader()
    marked = {name for migration in _since(loader) for name in getattr(migration, "contract", {})}
    former = loader.project_state(list(FORMER.items())).apps
    objections = dict(taken_away(former, loader.project_state().apps))
    assert {name: why for name, why in objections.items() if name not in marked} == {}
    assert marked <= set(objections), "these contract nothing"


def test_no_statement_of_a_migration_takes_away_what_the_former_version_uses() -> None:
    statements = [text for migration in _since(_loader()) for text in _statements(migration)]
    assert [text for text in statements if TAKES_AWAY.search(text)] == []


def test_no_migration_waits_for_the_transactions_of_others() -> None:
    """As CREATE INDEX CONCURRENTLY does: of two servers that start at once, one would wait for the other for ever."""
    assert [migration.name for migration in _since(_loader()) if not migration.atomic] == []


@pytest.mark.django_db
def test_the_former_version_can_delete_what_new_tables_lead_to() -> None:
    former = _loader().project_state(list(FORMER.items())).apps
    known = {model._meta.db_table: _columns(model) for model in former.get_models()}
    with connection.cursor() as cursor:
        cursor.execute("""
            SELECT conrelid::regclass::text, attname, confrelid::regclass::text FROM pg_constraint
            JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
            WHERE contype = 'f' AND confdeltype IN ('a', 'r')
        """)
        keys = cursor.fetchall()
    ours = [row for row in keys if row[0].split("_")[0] in FORMER]
    assert [row for row in ours if row[2] in known and row[1] not in known.get(row[0], ())] == []


@pytest.mark.parametrize(
    ("field", "operation", "name"),
    [
        (models.IntegerField(default=0), migrations.AddField, "agent.number"),
        (models.CharField(max_length=3), migrations.AlterField, "agent.name"),
        (models.CharField(max_length=999, null=True), migrations.AddField, None),
        (models.IntegerField(db_default=0), migrations.AddField, None),
    ],
)
def test_a_column_that_the_former_version_cannot_fill_is_an_objection(
    field: "models.Field[Any, Any]", operation: Any, name: str | None
) -> None:
    before = _loader().project_state(("memories", FORMER["memories"]))
    column = "name" if operation is migrations.AlterField else "number"
    assert dict(taken_away(before.apps, _after(before, operation("agent", column, field)))).keys() == {name} - {None}


@pytest.mark.parametrize(
    ("operation", "name"),
    [
        (migrations.RemoveField("agent", "clearance"), "agent.clearance"),
        (migrations.RenameField("agent", "clearance", "level"), "agent.clearance"),
        (migrations.AlterModelTable("agent", "elsewhere"), "agent"),
        (migrations.DeleteModel("proposal"), "proposal"),
        (migrations.AddConstraint("agent", models.UniqueConstraint("clearance", name="new_one")), "new_one"),
        (
            migrations.AddConstraint("agent", models.CheckConstraint(condition=models.Q(clearance=1), name="new_one")),
            "new_one",
        ),
    ],
)
def test_what_is_taken_away_is_an_objection(operation: Any, name: str) -> None:
    before = _loader().project_state(("memories", FORMER["memories"]))
    assert name in dict(taken_away(before.apps, _after(before, operation)))


def taken_away(former: StateApps, now: StateApps) -> Iterator[tuple[str, str]]:
    """What the former version uses and no longer finds, or may no longer write: its name, and a sentence."""
    tables = {model._meta.db_table: model for model in now.get_models()}
    for model in former.get_models():
        if model._meta.app_label in FORMER:
            name, successor = str(model._meta.model_name), tables.get(model._meta.db_table)
            if successor is None:
                yield name, f"there is no table {model._meta.db_table} any more"
            else:
                yield from _columns_taken(name, _columns(model), _columns(successor))
                yield from _constraints_changed(_columns(model), model, successor)


def _columns_taken(table: str, former: dict[str, Any], now: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for column, field in former.items():
        if column not in now:
            yield f"{table}.{column}", "the column is gone"
        elif not _holds(now[column].db_type(connection), field.db_type(connection)):
            yield f"{table}.{column}", "its type holds less, or something else"
        elif field.null and not now[column].null:
            yield f"{table}.{column}", "it has to be filled now"
        elif field.has_db_default() and not now[column].has_db_default():
            yield f"{table}.{column}", "the database fills it no more"
    for column in now.keys() - former.keys():
        if not now[column].null and not now[column].has_db_default() and not now[column].generated:
            yield f"{table}.{column}", "the former version cannot fill it: null, or db_default"


def _constraints_changed(columns: dict[str, Any], former: Model, now: Model) -> Iterator[tuple[str, str]]:
    before = {constraint.name: constraint for constraint in former._meta.constraints}
    after = {constraint.name: constraint for constraint in now._meta.constraints}
    for name in before.keys() - after.keys():
        if isinstance(before[name], models.UniqueConstraint):
            yield name, "the former version relies on it"
    known = {field.name for field in columns.values()}
    for name in after.keys() - before.keys():
        if not _names(after[name]) - known:  # a new column is null, or has its default, in rows of the former version
            yield name, "it may refuse what the former version writes"


def _names(constraint: Any) -> set[str]:
    condition: Any = constraint.condition if isinstance(constraint, models.CheckConstraint) else None
    return set(getattr(constraint, "fields", ())) | set(condition.referenced_base_fields if condition else ())


def _holds(now: str | None, former: str | None) -> bool:
    """Whether a column type takes all values of another: the same, a longer varchar, a text."""
    length = [re.fullmatch(r"varchar\((\d+)\)", kind or "") for kind in (now, former)]
    if length[0] and length[1]:
        return int(length[0][1]) >= int(length[1][1])
    return now == former or bool(now == "text" and length[1])


def _columns(model: Model) -> dict[str, Any]:
    return {str(field.column): field for field in model._meta.concrete_fields}


@cache
def _loader() -> MigrationLoader:
    return MigrationLoader(None, replace_migrations=False)


def _since(loader: MigrationLoader) -> list[Any]:
    """The migrations of our rooms that the former version does not have."""
    old = {node for leaf in FORMER.items() for node in loader.graph.forwards_plan(leaf)}
    return [one for node, one in loader.graph.nodes.items() if node[0] in FORMER and node not in old]


def _statements(migration: Any) -> Iterator[str]:
    for operation in migration.operations:
        if isinstance(operation, migrations.RunSQL):
            texts = [operation.sql] if isinstance(operation.sql, str) else operation.sql
            yield from (text if isinstance(text, str) else text[0] for text in texts)


def _after(state: ProjectState, operation: Any) -> StateApps:
    changed = state.clone()
    operation.state_forwards("memories", changed)
    return changed.apps
