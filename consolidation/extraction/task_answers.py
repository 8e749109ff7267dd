"""Division of a conversation into tasks by the language model, and the repair of its answer."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field, model_validator

from memories.values import text

MOST_TASKS = 20
LONGEST_NAME, LONGEST_QUERY = 120, 1_000
RANGE = re.compile(r"\s*(\d+)\s*(?:(?:-|–|—|~|～|\.\.|to|至|到)\s*(\d+)\s*)?")


class ChunkedTask(BaseModel):
    """A task as the model names it. What is malformed in it is repaired or dropped afterwards, not refused."""

    task_id: Any = None
    task_name: str = ""
    message_indices: Any = Field(default_factory=list)
    reasoning: str = ""
    query: str = ""


class Chunks(BaseModel):
    """The tasks of a conversation. Also read from a list alone; what is no object in it is left out."""

    tasks: list[ChunkedTask] = []

    @model_validator(mode="before")
    @classmethod
    def _as_tasks(cls, value: Any) -> Any:
        fields = value if isinstance(value, dict) else {"tasks": value}
        model_fields, other_names = cls.model_fields, fields.keys() - cls.model_fields.keys()
        if other_names and "tasks" not in fields and all(fields.get(name) is None for name in model_fields):
            raise ValueError(f"it has none of these: {', '.join(model_fields)}")
        tasks = fields.get("tasks")
        return {
            **fields,
            "tasks": [_as_task(task) for task in tasks if isinstance(task, dict)] if isinstance(tasks, list) else [],
        }


def _as_task(task: dict[str, Any]) -> dict[str, Any]:
    """With texts where the model wrote something else."""
    return {**task, **{name: str(task.get(name) or "") for name in ("task_name", "reasoning", "query")}}


@dataclass(frozen=True)
class Task:
    """One task: its name, and the positions of its messages in the transcript, ascending. `query`: to find what is
    known about such work; '' where the model gave none."""

    name: str
    positions: tuple[int, ...]
    query: str = ""


@dataclass(frozen=True)
class Division:
    """The tasks of a conversation in the order in which they begin, and what was dropped of the answer, and why."""

    tasks: tuple[Task, ...]
    dropped: tuple[str, ...] = ()


def divide(answers: Sequence[Chunks], positions: Sequence[int]) -> Division:
    """The tasks of the model's answers (one for each part of the transcript), over the positions that there are.

    Tasks of one name are one; ranges that are reversed are turned, and those that lie outside are cut. A message that
    two tasks name stands in both, as one that asks for both, unless the later task would hold more of the other's
    messages than of its own: then it keeps these.
    """
    valid_positions, assigned = set(positions), set[int]()
    tasks_by_name, faults, queries = dict[str, tuple[str, set[int]]](), list[str](), dict[str, str]()
    for task in (task for chunks in answers for task in chunks.tasks):
        name = " ".join(text.normal(task.task_name).split())[:LONGEST_NAME]
        named_positions = {
            number
            for first, last in _ranges(task.message_indices, faults)
            for number in _within(first, last, valid_positions)
        }
        new_positions = named_positions - assigned
        if not name or not new_positions:
            faults.append(f"{name or 'a task without a name'}: names no message that is not in another task")
            continue
        assigned |= new_positions
        is_shared = len(named_positions) <= 2 * len(new_positions)
        tasks_by_name.setdefault(name.casefold(), (name, set()))[1].update(
            named_positions if is_shared else new_positions
        )
        queries[name.casefold()] = queries.get(name.casefold()) or " ".join(task.query.split())[:LONGEST_QUERY]
    tasks = sorted(
        (
            Task(name, tuple(sorted(new_positions)), queries[key])
            for key, (name, new_positions) in tasks_by_name.items()
        ),
        key=lambda task: task.positions[0],
    )
    faults += [f"{task.name}: more than {MOST_TASKS} tasks" for task in tasks[MOST_TASKS:]]
    return Division(tuple(tasks[:MOST_TASKS]), tuple(faults))


def _within(first: int, last: int, positions: set[int]) -> Iterator[int]:
    low, high = sorted((first, last))
    return (number for number in positions if low <= number <= high)


def _ranges(value: Any, faults: list[str]) -> Iterator[tuple[int, int]]:
    """The ranges that can be read: [a, b], a single number, or a text such as "3-7"."""
    if isinstance(value, list) and len(value) == 2 and all(_is_number(number) for number in value):
        value = [value]  # one range, without the list around it
    for item in value if isinstance(value, list) else [value]:
        if (bounds := _range(item)) is not None:
            yield bounds
        else:
            faults.append(f"{str(item)[:60]} is no range of messages")


def _range(item: Any) -> tuple[int, int] | None:
    if _is_number(item):
        return int(item), int(item)
    if isinstance(item, str) and (match := RANGE.fullmatch(item)):
        return int(match[1]), int(match[2] or match[1])
    if isinstance(item, dict):
        item = [item.get("start"), item.get("end")]
    if isinstance(item, list) and 1 <= len(item) <= 2 and all(_is_number(_as_number(bound)) for bound in item):
        return _as_number(item[0]), _as_number(item[-1])
    return None


def _as_number(value: Any) -> Any:
    """The number that a text is; anything else as it is."""
    return int(value) if isinstance(value, str) and re.fullmatch(r"\s*\d{1,9}\s*", value) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
