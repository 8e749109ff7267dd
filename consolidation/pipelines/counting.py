"""Counting commands and arguments of runs for facts, and plans, in the transaction that writes the runs' profiles.

A run that was read before counts nothing twice; its outcome is kept up to date. A few statements write a whole batch.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from consolidation.learning.effects.command_starts import Attempt, attempts
from consolidation.learning.effects.places import place
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.facts.argument_calls import ArgumentCall, argument_calls, kept
from consolidation.learning.runs.run import Run
from consolidation.models import case_of
from consolidation.models.arguments import ArgumentFact, ArgumentUse
from consolidation.models.commands import CommandAttempt, CommandFact
from consolidation.models.counted_facts import CountedFact
from consolidation.pipelines import plan_counting
from memories.models import Episode

Read = Sequence[tuple[Run, Episode]]
Place = tuple[str, int, str, str]  # scope, sensitivity, then what the fact is about
Fact = TypeVar("Fact", bound=CountedFact)


def count_runs(runs: Read, rules: ToolRules) -> None:
    """Count the commands, the arguments and the plans of these runs."""
    _count_commands(runs, rules)
    _count_arguments(runs, rules)
    plan_counting.count_plans(runs, rules)


def discount_runs(ids: Sequence[UUID]) -> None:
    """Take back what the outcomes of these runs told: they count no more."""
    uses = ArgumentUse.objects.of(ids)
    if facts := set(uses.values_list("fact", flat=True)):
        uses.delete()
        ArgumentFact.objects.filter(pk__in=facts).update(due=True)
    plan_counting.discount(ids)


def _count_commands(runs: Read, rules: ToolRules) -> None:
    shown = [(run, episode, tries) for run, episode in runs if (tries := attempts(run, rules))]
    if not shown:
        return
    known = dict(CommandAttempt.objects.of(run.id for run, *_ in shown).values_list("episode_id", "fact__place"))
    seen: dict[Place, list[tuple[Attempt, Run]]] = defaultdict(list)
    for run, episode, tries in shown:
        where = known[run.id] if run.id in known else place(run, rules, episode.environment)
        for attempt in tries:
            seen[episode.scope, episode.memory.sensitivity, where, attempt.purpose[:64]].append((attempt, run))
    facts = _facts(CommandFact, ("scope", "sensitivity", "place", "purpose"), seen)
    counted = set(
        CommandAttempt.objects.of(known).filter(fact__in=facts.values()).values_list("fact", "episode_id", "form")
        if known
        else ()
    )
    fresh = [
        CommandAttempt(**_of(facts[identity], run), form=attempt.form, started=attempt.started)
        for identity in sorted(seen)
        for attempt, run in seen[identity]
        if (facts[identity].pk, run.id, attempt.form) not in counted
    ]
    CommandAttempt.objects.bulk_create(fresh)
    _wake(CommandFact, facts.values(), {sighting.fact_id for sighting in fresh})


def _count_arguments(runs: Read, rules: ToolRules) -> None:
    seen: dict[Place, list[tuple[list[ArgumentCall], Run]]] = defaultdict(list)
    for run, episode in runs:
        by_argument: dict[tuple[str, str], list[ArgumentCall]] = defaultdict(list)
        for call in argument_calls(run, rules):
            by_argument[call.tool, call.argument].append(call)
        for about, calls in by_argument.items():
            seen[episode.scope, episode.memory.sensitivity, *about].append((calls, run))
    if not seen:
        return
    facts = _facts(ArgumentFact, ("scope", "sensitivity", "tool", "argument"), seen)
    of_runs = ArgumentUse.objects.of({run.id for shown in seen.values() for _, run in shown})
    ended: dict[tuple[UUID, UUID], str] = {
        (fact, episode): outcome for fact, episode, outcome in of_runs.values_list("fact", "episode_id", "outcome")
    }
    each = [(facts[identity], calls, run) for identity in sorted(seen) for calls, run in seen[identity]]
    fresh = [
        ArgumentUse(**_of(fact, run), outcome=run.outcome, calls=kept(calls))
        for fact, calls, run in each
        if (fact.pk, run.id) not in ended
    ]
    ArgumentUse.objects.bulk_create(fresh)
    moved = [(fact, run) for fact, _, run in each if ended.get((fact.pk, run.id), run.outcome) != run.outcome]
    for fact, run in moved:
        fact.shown.filter(episode_id=run.id).update(outcome=run.outcome)
    _wake(ArgumentFact, facts.values(), {sighting.fact_id for sighting in fresh} | {fact.pk for fact, _ in moved})


def _facts(model: type[Fact], names: Sequence[str], seen: Mapping[Place, object]) -> dict[Place, Fact]:
    """The facts of these places, made where there are none yet; in one order: no deadlock."""
    facts = _find(model, names, seen)
    if missing := seen.keys() - facts.keys():
        made = [model(**dict(zip(names, identity, strict=True))) for identity in sorted(missing)]
        model.objects.bulk_create(made, ignore_conflicts=True)
        facts = _find(model, names, seen)
    return facts


def _find(model: type[Fact], names: Sequence[str], seen: Mapping[Place, object]) -> dict[Place, Fact]:
    wanted = {f"{name}__in": {identity[n] for identity in seen} for n, name in enumerate(names)}
    by_names = {tuple(getattr(fact, name) for name in names): fact for fact in model.objects.filter(**wanted)}
    return {identity: by_names[identity] for identity in seen if identity in by_names}


def _wake(model: type[CountedFact], facts: Iterable[CountedFact], touched: set[UUID]) -> None:
    """Make due what has new runs. The update takes the rows' locks in the order of their ids."""
    due = [fact.pk for fact in facts if fact.pk in touched]
    model.objects.filter(pk__in=due).update(due=True) if due else None


def _of(fact: CountedFact, run: Run) -> dict[str, Any]:
    """The fields of a run that any fact counts."""
    return {"fact_id": fact.pk, "episode_id": run.id, "case": case_of(run.thread_id, run.id), "at": run.at}
