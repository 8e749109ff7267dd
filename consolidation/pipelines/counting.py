"""Counting commands and arguments of runs for facts, in the transaction that writes the runs' profiles.

A run that was read before counts nothing twice; its outcome is kept up to date.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from consolidation.learning.argument_calls import ArgumentCall, argument_calls, kept
from consolidation.learning.attempts import Attempt, attempts
from consolidation.learning.effects import ToolRules
from consolidation.learning.places import place
from consolidation.learning.runs import Run
from consolidation.models import case_of
from consolidation.models.arguments import ArgumentFact, ArgumentUse
from consolidation.models.commands import CommandAttempt, CommandFact
from memories.models import Episode

Read = Sequence[tuple[Run, Episode]]
Place = tuple[str, int, str, str]  # scope, sensitivity, then what the fact is about


def count_runs(runs: Read, rules: ToolRules) -> None:
    """Count the commands and the arguments of these runs."""
    _count_commands(runs, rules)
    _count_arguments(runs, rules)


def _count_commands(runs: Read, rules: ToolRules) -> None:
    known = dict(CommandAttempt.objects.of(run.id for run, _ in runs).values_list("episode_id", "fact__place"))
    seen: dict[Place, list[tuple[Attempt, Run]]] = defaultdict(list)
    for run, episode in runs:
        if shown := attempts(run, rules):
            where = known[run.id] if run.id in known else place(run, rules, episode.environment)
            for attempt in shown:
                seen[episode.scope, episode.memory.sensitivity, where, attempt.purpose[:64]].append((attempt, run))
    for identity in sorted(seen):  # one order: no deadlock
        _count_command_attempts(identity, seen[identity])


def _count_command_attempts(identity: Place, seen: Sequence[tuple[Attempt, Run]]) -> None:
    scope, sensitivity, where, purpose = identity
    fact, _ = CommandFact.objects.get_or_create(scope=scope, sensitivity=sensitivity, place=where, purpose=purpose)
    read = fact.shown.filter(episode_id__in={run.id for _, run in seen}).values_list("episode_id", "form")
    counted = set(read)
    fresh = [
        CommandAttempt(fact=fact, form=attempt.form, started=attempt.started, **_of(run))
        for attempt, run in seen
        if (run.id, attempt.form) not in counted
    ]
    CommandAttempt.objects.bulk_create(fresh)
    if fresh:
        CommandFact.objects.filter(pk=fact.pk).update(due=True)


def _count_arguments(runs: Read, rules: ToolRules) -> None:
    seen: dict[Place, list[tuple[list[ArgumentCall], Run]]] = defaultdict(list)
    for run, episode in runs:
        by_argument: dict[tuple[str, str], list[ArgumentCall]] = defaultdict(list)
        for call in argument_calls(run, rules):
            by_argument[call.tool, call.argument].append(call)
        for about, calls in by_argument.items():
            seen[episode.scope, episode.memory.sensitivity, *about].append((calls, run))
    for identity in sorted(seen):
        _count_argument_uses(identity, seen[identity])


def _count_argument_uses(identity: Place, seen: Sequence[tuple[list[ArgumentCall], Run]]) -> None:
    scope, sensitivity, tool, argument = identity
    fact, _ = ArgumentFact.objects.get_or_create(scope=scope, sensitivity=sensitivity, tool=tool, argument=argument)
    ended: dict[UUID, str] = dict(fact.shown.of(run.id for _, run in seen).values_list("episode_id", "outcome"))
    fresh = [
        ArgumentUse(fact=fact, outcome=run.outcome, calls=kept(calls), **_of(run))
        for calls, run in seen
        if run.id not in ended
    ]
    ArgumentUse.objects.bulk_create(fresh)
    moved = [run for _, run in seen if ended.get(run.id, run.outcome) != run.outcome]
    for run in moved:
        fact.shown.filter(episode_id=run.id).update(outcome=run.outcome)
    if fresh or moved:
        ArgumentFact.objects.filter(pk=fact.pk).update(due=True)


def _of(run: Run) -> dict[str, Any]:
    return {"episode_id": run.id, "case": case_of(run.thread_id, run.id), "at": run.at}
