"""Statistics of runs that worked by command lines: places, own scripts before and after edits, tests that start."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from consolidation.learning.chance import by_chance
from consolidation.learning.commands.purposes import TESTS
from consolidation.learning.commands.requests import is_of_service
from consolidation.learning.comparison.scope import Scope, count, ranked
from consolidation.learning.effects.command_starts import Seen, Tally, attempts, tally
from consolidation.learning.effects.effects import CHORES, EDITS, PREPARING, is_edit
from consolidation.learning.runs.harness_tools import EDIT, FILE_CHANGES
from consolidation.learning.runs.run import Run

OWN_CODE = frozenset({"python", "node"})
PLACES = 4
LEAST_CASES = 3
MOSTLY = 0.6
CHANCE = 0.1
MOST_FORMS = 3


@dataclass(frozen=True)
class CommandWork:
    """Statistics of `of` successes.

    `places`: those in which nearly all of them worked; `everywhere`: several, so that these commands tell nothing of
    one. `tried_before`, `tried_after`: successes that ran code of their own before and after they changed an existing
    file. `before`: commands that most of them ran only before they changed a file. `changing`, `chores`: usual edit
    commands and chores.
    `starting`, `failing`: forms of test commands. `beside`, `without`: (successes, runs) in the same places with these
    commands and without them.
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
        (well, runs), (well_without, runs_without) = self.beside, self.without
        better = well * runs_without > well_without * runs
        return better and by_chance(well, runs, well_without, runs_without) <= CHANCE


def command_work(scope: Scope) -> CommandWork | None:
    """Return the statistics; None without a success, when something else than command lines and changes of files is
    among the effects, or when all are of services and few runs changed a file."""
    well = scope.successes
    own = scope.effects(scope.runs[0])
    by_line = {call.name for run in scope.runs for call in run.steps if call.via}
    edited = count(well, lambda run: any(call.via and is_edit(call.name) for call in run.steps)) >= MOSTLY * len(well)
    if not well or not own & by_line or not own <= by_line | FILE_CHANGES:
        return None
    if all(map(is_of_service, own)) and not edited:
        return None
    places = _places(well)
    tallies = _starts([*well, *scope.failures], scope)
    near = [run for run in scope.all if run.place in places and run.outcome in ("success", "failure")]
    kinds = ranked(kind for run in well for kind in {call.name for call in run.steps if call.via})
    usual = [(kind, n) for kind, n in kinds if n >= MOSTLY * len(well)]
    return CommandWork(
        of=len(well),
        places=places,
        everywhere=len(places) > 1 or (not places and len({run.place for run in well if run.place}) > PLACES),
        tried_before=count(well, lambda run: _tried(run, before=True)),
        tried_after=count(well, lambda run: _tried(run, before=False)),
        before=frozenset(
            kind
            for kind, n in ranked(kind for run in well for kind in _only_before(run))
            if n >= MOSTLY * dict(kinds)[kind]
        ),
        changing=tuple(kind for kind, _ in usual if is_edit(kind)),
        chores=tuple((kind, n) for kind, n in usual if kind in CHORES - OWN_CODE - PREPARING),
        starting=tuple(form for form in tallies if form.starts is True)[:MOST_FORMS],
        failing=tuple(form for form in tallies if form.starts is False)[:MOST_FORMS],
        beside=_ended([run for run in near if own <= scope.effects(run)]),
        without=_ended([run for run in near if not own & scope.effects(run)]),
    )


def _places(well: Sequence[Run]) -> tuple[str, ...]:
    """Return up to PLACES places of three cases each that together hold 80 % of the successes, else none."""
    cases: dict[str, set[str]] = defaultdict(set)
    for run in well:
        if run.place:
            cases[run.place].add(run.thread)
    named = [place for place, _ in ranked(run.place for run in well) if len(cases[place]) >= LEAST_CASES][:PLACES]
    held = count(well, lambda run: run.place in named)
    return tuple(named) if held >= 0.8 * len(well) else ()


def _tried(run: Run, *, before: bool) -> bool:
    """Return whether a run ran code of its own before its first in-place edit, or after the last one."""
    edits = [call.position for call in run.steps if call.name in (EDITS if call.via else {EDIT})]
    own = [call.position for call in run.steps if call.via and call.name in OWN_CODE]
    if not edits or not own:
        return False
    return min(own) < min(edits) if before else max(own) > max(edits)


def _only_before(run: Run) -> set[str]:
    """Return the kinds of the commands that a run called before its first change of a file, and never after it."""
    edits = [call.position for call in run.steps if (is_edit(call.name) if call.via else call.name in FILE_CHANGES)]
    first = min(edits, default=0)
    kinds = {(call.name, call.position < first) for call in run.steps if call.via and call.started}
    return {kind for kind, is_before in kinds if is_before and (kind, False) not in kinds}


def _starts(runs: Sequence[Run], scope: Scope) -> list[Tally]:
    """Return the forms of test commands that runs of three cases called, the most frequent first."""
    tests = ((run, attempt) for run in runs for attempt in attempts(run, scope.rules) if attempt.purpose == TESTS)
    forms = tally(Seen(attempt.form, run.thread, attempt.started) for run, attempt in tests).values()
    return sorted((form for form in forms if form.cases >= LEAST_CASES), key=lambda form: (-form.runs, form.form))


def _ended(runs: Sequence[Run]) -> tuple[int, int]:
    """Return (successes, runs)."""
    return count(runs, lambda run: run.succeeded), len(runs)
