"""Statistics of runs that worked by command lines: places, own scripts before and after edits, tests that start."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from consolidation.learning.commands.purposes import TESTS
from consolidation.learning.commands.requests import is_of_service
from consolidation.learning.comparison.scope import Scope, count, ranked
from consolidation.learning.effects.command_starts import CaseAttempt, Tally, attempts, tally
from consolidation.learning.effects.effects import CHORES, EDITS, PREPARING, is_edit
from consolidation.learning.runs.harness_tools import EDIT, FILE_CHANGES
from consolidation.learning.runs.run import Run
from memories.values.chance import by_chance

OWN_CODE = frozenset({"python", "node"})
PLACES = 4
LEAST_CASES = 3
MOSTLY = 0.6
CHANCE = 0.1
MOST_FORMS = 3


@dataclass(frozen=True)
class CommandWork:
    """Statistics of `of` successes.

    `places`: those in which nearly all of them worked; `everywhere`: there are several, so that these commands are
    specific to none. `tried_before`, `tried_after`: successes that ran code of their own before and after they changed
    an existing file. `before`: commands that most of them ran only before they changed a file. `changing`, `chores`:
    usual edit commands and chores. `starting`, `failing`: forms of test commands. `beside`, `without`: (successes,
    runs) in the same places with these commands and without them.
    """

    of: int
    places: tuple[str, ...] = ()
    everywhere: bool = False
    tried_before: int = 0
    tried_after: int = 0
    before: frozenset[str] = frozenset()
    changing: tuple[str, ...] = ()
    chores: tuple[tuple[str, int], ...] = ()
    starting: tuple[Tally, ...] = ()
    failing: tuple[Tally, ...] = ()
    beside: tuple[int, int] = (0, 0)
    without: tuple[int, int] = (0, 0)

    @property
    def differs(self) -> bool:
        """Whether clearly more of the runs without these commands failed (Fisher's exact test)."""
        (successes, runs), (successes_without, runs_without) = self.beside, self.without
        better = successes * runs_without > successes_without * runs
        return better and by_chance(successes, runs, successes_without, runs_without) <= CHANCE


def command_work(scope: Scope) -> CommandWork | None:
    """Return the statistics; None without a success, when something else than command lines and changes of files is
    among the effects, or when all are of services and few runs changed a file."""
    successes = scope.successes
    own_effects = scope.effects(scope.runs[0])
    by_line = {call.name for run in scope.runs for call in run.steps if call.via}
    mostly_edits = count(
        successes, lambda run: any(call.via and is_edit(call.name) for call in run.steps)
    ) >= MOSTLY * len(successes)
    if not successes or not own_effects & by_line or not own_effects <= by_line | FILE_CHANGES:
        return None
    if all(map(is_of_service, own_effects)) and not mostly_edits:
        return None
    places = _places(successes)
    tallies = _starts([*successes, *scope.failures], scope)
    place_runs = [run for run in scope.all if run.place in places and run.outcome in ("success", "failure")]
    kinds = ranked(kind for run in successes for kind in {call.name for call in run.steps if call.via})
    frequent_kinds = [(kind, n) for kind, n in kinds if n >= MOSTLY * len(successes)]
    return CommandWork(
        of=len(successes),
        places=places,
        everywhere=len(places) > 1 or (not places and len({run.place for run in successes if run.place}) > PLACES),
        tried_before=count(successes, lambda run: _ran_own_code(run, before=True)),
        tried_after=count(successes, lambda run: _ran_own_code(run, before=False)),
        before=frozenset(
            kind
            for kind, n in ranked(kind for run in successes for kind in _only_before(run))
            if n >= MOSTLY * dict(kinds)[kind]
        ),
        changing=tuple(kind for kind, _ in frequent_kinds if is_edit(kind)),
        chores=tuple((kind, n) for kind, n in frequent_kinds if kind in CHORES - OWN_CODE - PREPARING),
        starting=tuple(form for form in tallies if form.starts is True)[:MOST_FORMS],
        failing=tuple(form for form in tallies if form.starts is False)[:MOST_FORMS],
        beside=_successes_of([run for run in place_runs if own_effects <= scope.effects(run)]),
        without=_successes_of([run for run in place_runs if not own_effects & scope.effects(run)]),
    )


def _places(successes: Sequence[Run]) -> tuple[str, ...]:
    """Return up to PLACES places of three cases each that together hold 80 % of the successes, else none."""
    cases: dict[str, set[str]] = defaultdict(set)
    for run in successes:
        if run.place:
            cases[run.place].add(run.thread)
    places = [place for place, _ in ranked(run.place for run in successes) if len(cases[place]) >= LEAST_CASES][:PLACES]
    total = count(successes, lambda run: run.place in places)
    return tuple(places) if total >= 0.8 * len(successes) else ()


def _ran_own_code(run: Run, *, before: bool) -> bool:
    """Return whether a run ran code of its own before its first in-place edit, or after the last one."""
    edit_positions = [call.position for call in run.steps if call.name in (EDITS if call.via else {EDIT})]
    code_positions = [call.position for call in run.steps if call.via and call.name in OWN_CODE]
    if not edit_positions or not code_positions:
        return False
    return min(code_positions) < min(edit_positions) if before else max(code_positions) > max(edit_positions)


def _only_before(run: Run) -> set[str]:
    """Return the kinds of the commands that a run called before its first change of a file, and never after it."""
    edits = [call.position for call in run.steps if (is_edit(call.name) if call.via else call.name in FILE_CHANGES)]
    first = min(edits, default=0)
    kinds = {(call.name, call.position < first) for call in run.steps if call.via and call.started}
    return {kind for kind, is_before in kinds if is_before and (kind, False) not in kinds}


def _starts(runs: Sequence[Run], scope: Scope) -> list[Tally]:
    """Return the forms of test commands that runs of three cases called, the most frequent first."""
    tests = ((run, attempt) for run in runs for attempt in attempts(run, scope.rules) if attempt.purpose == TESTS)
    forms = tally(CaseAttempt(attempt.form, run.thread, attempt.started) for run, attempt in tests).values()
    return sorted((form for form in forms if form.cases >= LEAST_CASES), key=lambda form: (-form.runs, form.form))


def _successes_of(runs: Sequence[Run]) -> tuple[int, int]:
    """Return (successes, runs)."""
    return count(runs, lambda run: run.succeeded), len(runs)
