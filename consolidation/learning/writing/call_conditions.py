"""Which of the records that a run works on get a call: "`add_note` where `bank_details_changed` is `true` (10 of 10)".

Beside what decides the arguments of a call (argument_choices.py) this is what decides that it is made at all, in work
through several records. A record counts in the states that it was first shown in: the run's own changes decide nothing.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.facts.shown_records import records
from consolidation.learning.runs.run import Run
from consolidation.learning.writing.argument_choices import MOST_RUNS, deciding
from consolidation.learning.writing.argument_conditions import MOSTLY, Condition, SentCall
from consolidation.learning.writing.record_states import Records, State, ids_in

CALL = ""  # in place of an argument's name
CALL_MADE = "made"  # the value of a record that gets the call; one that does not has none (ABSENT)
SEVERAL = 2  # records of a run, on average


def record_conditions(scope: Scope, tool: str) -> list[Condition]:
    """Return the conditions under which a record gets a call of a tool, from all successful runs of the scope."""
    runs = [run for run in scope.all if run.succeeded][-MOST_RUNS:]
    name = _naming(runs, tool)
    by_run = [[*_records(run, tool, name)] for run in runs] if name else []
    all_records = [record for of_run in by_run for record in of_run]
    if len(all_records) < SEVERAL * sum(map(bool, by_run)):
        return []
    return deciding(scope, CALL, all_records, {field for record in all_records for field in record.record_states})


def _naming(runs: Sequence[Run], tool: str) -> str:
    """Return the field of records by which nearly all calls of a tool name one: the one of most records; else ''."""
    calls, by_name = 0, defaultdict[str, list[str]](list)
    for run in runs:
        fields: dict[str, set[str]] = defaultdict(set)
        for call in run.steps:
            ids = ids_in(call) if call.name == tool and not call.failed else frozenset()
            calls += bool(ids)
            for name in {name for key in ids for name in fields[key]}:
                by_name[name] += [key for key in ids if name in fields[key]]
            for _, names in records(call.parsed_result):
                for key, name in names:
                    fields[key].add(name)
    usual_names = [name for name, keys in by_name.items() if len(keys) >= MOSTLY * calls]
    return max(usual_names, key=lambda name: (len(set(by_name[name])), name), default="")


def _records(run: Run, tool: str, name: str) -> Iterator[SentCall]:
    """Yield the records that calls of a run were about: those that got the call as known by then, others at its end."""
    shown = Records()
    of_kind: set[str] = set()
    worked_on: set[str] = set()
    states: dict[str, dict[str, State]] = {}
    for call in run.steps:
        if call.failed:
            continue
        ids = ids_in(call)
        if call.name == tool:
            states |= {key: shown.about({key}, first=True) for key in ids & of_kind if key not in states}
        shown.read(call)
        of_kind.update(key for _, names in records(call.parsed_result) for key, field in names if field == name)
        worked_on |= ids
    for key in sorted(of_kind & worked_on):
        values = {CALL: CALL_MADE} if key in states else {}
        yield SentCall(run, values, {}, values.keys(), states[key] if values else shown.about({key}, first=True))
