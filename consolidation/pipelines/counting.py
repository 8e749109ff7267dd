"""Counting commands and arguments of runs for facts, and plans, in the transaction that writes the runs' profiles.

A run that was read before counts nothing twice; its outcome is kept up to date. A few statements write a whole batch.
"""

import hmac
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from consolidation.learning.effects.command_starts import Attempt, attempts
from consolidation.learning.effects.option_tries import option_attempts
from consolidation.learning.effects.places import place
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.facts.argument_calls import ArgumentCall, argument_calls, json_values
from consolidation.learning.plan_graphs import RunPlan, intent, plan_of, united
from consolidation.learning.runs.run import Run
from consolidation.models import PlannedRun, PlanShape, case_of
from consolidation.models.arguments import ArgumentFact, ArgumentUse
from consolidation.models.commands import CommandAttempt, CommandFact
from consolidation.models.counted_facts import CountedFact
from memories.models import Episode
from memories.models.digest_key import DigestKey

Read = Sequence[tuple[Run, Episode]]
Place = tuple[str, int, str, str]  # scope, sensitivity, then what the fact is about
Fact = TypeVar("Fact", bound=CountedFact)


def count_runs(runs: Read, rules: ToolRules) -> None:
    """Count the commands, the arguments and the plans of these runs."""
    _count_commands(runs, rules)
    _count_arguments(runs, rules)
    count_plans(runs, rules)


def discount_runs(ids: Sequence[UUID]) -> None:
    """Remove what was counted of these runs, whose outcomes no longer count."""
    uses = ArgumentUse.objects.of(ids)
    if facts := set(uses.values_list("fact", flat=True)):
        uses.delete()
        ArgumentFact.objects.filter(pk__in=facts).update(due=True)
    discount(ids)


def _count_commands(runs: Read, rules: ToolRules) -> None:
    all_tries = ((run, episode, [*attempts(run, rules), *option_attempts(run, rules)]) for run, episode in runs)
    runs_with_tries = [(run, episode, tries) for run, episode, tries in all_tries if tries]
    if not runs_with_tries:
        return
    known_places = dict(
        CommandAttempt.objects.of(run.id for run, *_ in runs_with_tries).values_list("episode_id", "fact__place")
    )
    attempts_by_fact: dict[Place, list[tuple[Attempt, Run]]] = defaultdict(list)
    for run, episode, tries in runs_with_tries:
        where = known_places[run.id] if run.id in known_places else place(run, rules, episode.environment)
        for attempt in tries:
            attempts_by_fact[episode.scope, episode.memory.sensitivity, where, attempt.purpose[:64]].append(
                (attempt, run)
            )
    facts = _facts(CommandFact, ("scope", "sensitivity", "place", "purpose"), attempts_by_fact)
    counted_keys = set(
        CommandAttempt.objects.of(known_places)
        .filter(fact__in=facts.values())
        .values_list("fact", "episode_id", "form")
        if known_places
        else ()
    )
    new_rows = [
        CommandAttempt(**_of(facts[identity], run), form=attempt.form, started=attempt.started)
        for identity in sorted(attempts_by_fact)
        for attempt, run in attempts_by_fact[identity]
        if (facts[identity].pk, run.id, attempt.form) not in counted_keys
    ]
    CommandAttempt.objects.bulk_create(new_rows)
    _wake(CommandFact, facts.values(), {sighting.fact_id for sighting in new_rows})


def _count_arguments(runs: Read, rules: ToolRules) -> None:
    calls_by_fact: dict[Place, list[tuple[list[ArgumentCall], Run]]] = defaultdict(list)
    for run, episode in runs:
        by_argument: dict[tuple[str, str], list[ArgumentCall]] = defaultdict(list)
        for call in argument_calls(run, rules):
            by_argument[call.tool, call.argument].append(call)
        for about, calls in by_argument.items():
            calls_by_fact[episode.scope, episode.memory.sensitivity, *about].append((calls, run))
    if not calls_by_fact:
        return
    facts = _facts(ArgumentFact, ("scope", "sensitivity", "tool", "argument"), calls_by_fact)
    of_runs = ArgumentUse.objects.of({run.id for shown in calls_by_fact.values() for _, run in shown})
    stored_outcomes: dict[tuple[UUID, UUID], str] = {
        (fact, episode): outcome for fact, episode, outcome in of_runs.values_list("fact", "episode_id", "outcome")
    }
    fact_calls = [
        (facts[identity], calls, run) for identity in sorted(calls_by_fact) for calls, run in calls_by_fact[identity]
    ]
    new_rows = [
        ArgumentUse(**_of(fact, run), outcome=run.outcome, calls=json_values(calls))
        for fact, calls, run in fact_calls
        if (fact.pk, run.id) not in stored_outcomes
    ]
    ArgumentUse.objects.bulk_create(new_rows)
    corrections = [
        (fact, run) for fact, _, run in fact_calls if stored_outcomes.get((fact.pk, run.id), run.outcome) != run.outcome
    ]
    for fact, run in corrections:
        fact.shown.filter(episode_id=run.id).update(outcome=run.outcome)
    _wake(
        ArgumentFact, facts.values(), {sighting.fact_id for sighting in new_rows} | {fact.pk for fact, _ in corrections}
    )


def _facts(model: type[Fact], names: Sequence[str], identities: Mapping[Place, object]) -> dict[Place, Fact]:
    """The facts with these identities, created where missing; in sorted order, against deadlocks."""
    facts = _find(model, names, identities)
    if missing := identities.keys() - facts.keys():
        rows = [model(**dict(zip(names, identity, strict=True))) for identity in sorted(missing)]
        model.objects.bulk_create(rows, ignore_conflicts=True)
        facts = _find(model, names, identities)
    return facts


def _find(model: type[Fact], names: Sequence[str], identities: Mapping[Place, object]) -> dict[Place, Fact]:
    filters = {f"{name}__in": {identity[n] for identity in identities} for n, name in enumerate(names)}
    by_names = {tuple(getattr(fact, name) for name in names): fact for fact in model.objects.filter(**filters)}
    return {identity: by_names[identity] for identity in identities if identity in by_names}


def _wake(model: type[CountedFact], facts: Iterable[CountedFact], ids: set[UUID]) -> None:
    """Make due what has new runs. The update takes the rows' locks in the order of their ids."""
    due = [fact.pk for fact in facts if fact.pk in ids]
    model.objects.filter(pk__in=due).update(due=True) if due else None


def _of(fact: CountedFact, run: Run) -> dict[str, Any]:
    """The fields of a run that any fact counts."""
    return {"fact_id": fact.pk, "episode_id": run.id, "case": case_of(run.thread_id, run.id), "at": run.at}


Identity = tuple[str, int, bytes]  # scope, sensitivity, sha256
DIGEST = 6  # bytes


def count_plans(runs: Sequence[tuple[Run, Episode]], rules: ToolRules) -> None:
    """Count these runs; one that was counted before has its outcome kept up to date."""
    planned_runs = {row.episode_id: row for row in PlannedRun.objects.of(run.id for run, _ in runs)}
    _correct(planned_runs, runs)
    plans = [
        (run, episode, plan) for run, episode in runs if run.id not in planned_runs and (plan := plan_of(run, rules))
    ]
    if not plans:
        return
    shapes = _shapes((_identity(episode, plan), plan) for _, episode, plan in plans)
    key = DigestKey.current()
    of_runs = [shapes[_identity(episode, plan)].pk for _, episode, plan in plans]
    rows = [
        PlannedRun(
            shape_id=shape,
            episode_id=run.id,
            case=case_of(run.thread_id, run.id),
            outcome=run.outcome,
            at=run.at,
            given=digests(plan, key),
        )
        for shape, (run, _, plan) in zip(of_runs, plans, strict=True)
    ]
    PlannedRun.objects.bulk_create(rows, ignore_conflicts=True)
    _touch(set(of_runs))


def discount(ids: Sequence[UUID]) -> None:
    """Clear the outcome of these runs' plans, as it no longer counts."""
    runs = PlannedRun.objects.of(ids).exclude(outcome="")
    if shapes := set(runs.values_list("shape", flat=True)):
        runs.update(outcome="")
        _touch(shapes)


def digests(plan: RunPlan, key: bytes) -> dict[str, str]:
    """The arguments of a run as keyed digests, which only tell equal values apart from others; '' for a secret one."""
    return {place: "" if value is None else digest(place, value, key) for place, value in plan.input_values.items()}


def digest(place: str, value: str | bool, key: bytes) -> str:
    return hmac.digest(key, f"{place}={value}".encode("utf-8", "surrogatepass"), "sha256")[:DIGEST].hex()


def _identity(episode: Episode, plan: RunPlan) -> Identity:
    return episode.scope, episode.memory.sensitivity, plan.sha256


def _correct(planned_runs: dict[UUID, PlannedRun], runs: Sequence[tuple[Run, Episode]]) -> None:
    corrections = [row for run, _ in runs if (row := planned_runs.get(run.id)) and row.outcome != run.outcome]
    outcomes: dict[UUID, str] = {run.id: run.outcome for run, _ in runs}
    for row in corrections:
        PlannedRun.objects.filter(pk=row.pk).update(outcome=outcomes[row.episode_id])
    if corrections:
        _touch({row.shape_id for row in corrections})


def _shapes(identified_plans: Iterable[tuple[Identity, RunPlan]]) -> dict[Identity, PlanShape]:
    """The rows of these plans, those that are new created; arguments that were not seen before are added."""
    plans: dict[Identity, list[dict[str, Any]]] = {}
    for identity, plan in identified_plans:
        plans.setdefault(identity, []).append(plan.graph)
    rows = [
        PlanShape(scope=scope, sensitivity=sensitivity, sha256=sha256, graph=graphs[0], steps=intent(graphs[0]))
        for (scope, sensitivity, sha256), graphs in sorted(plans.items(), key=lambda item: item[0])
    ]
    PlanShape.objects.bulk_create(rows, ignore_conflicts=True)
    stored_shapes = PlanShape.objects.filter(
        sha256__in=[row.sha256 for row in rows], scope__in={row.scope for row in rows}
    )
    shapes = {(row.scope, row.sensitivity, bytes(row.sha256)): row for row in stored_shapes}
    extended = {
        shapes[shape_key]
        for shape_key, graphs in plans.items()
        for graph in graphs
        if united(shapes[shape_key].graph, graph)
    }
    PlanShape.objects.bulk_update(extended, ["graph"])
    return shapes


def _touch(ids: set[UUID]) -> None:
    PlanShape.objects.filter(pk__in=ids).update(due=True)
