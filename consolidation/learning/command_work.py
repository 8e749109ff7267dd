"""How runs that worked by command lines went about it: where, what they tried out, which tests start there."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from consolidation.learning.attempts import attempts
from consolidation.learning.chance import by_chance
from consolidation.learning.effects import CHORES, EDITS, is_edit
from consolidation.learning.purposes import TESTS
from consolidation.learning.runs import Run
from consolidation.learning.scope import Scope, count, ranked

OWN_CODE = frozenset({"python", "node"})
PLACES = 4
LEAST_CASES = 3
MOSTLY = 0.6
CONSISTENT = 0.9
CHANCE = 0.1
MOST_FORMS = 3


@dataclass(frozen=True)
class Started:
    """Of `runs` runs that called a form of a command `started` could start it."""

    form: str
    runs: int
    started: int


@dataclass(frozen=True)
class CommandWork:
    """`of` successes; `places`: those in which nearly all of them worked; `tried_before` and `tried_after`: successes
    that ran code of their own before and after they changed a file that was there; `chores`: what they did besides.
    `starting` and `failing`: forms of test commands. `without`: (well, runs) of the same places without these
    commands, and `beside`: the same of those with them."""

    of: int
    places: tuple[str, ...] = ()
    tried_before: int = 0
    tried_after: int = 0
    changing: tuple[str, ...] = ()
    chores: tuple[tuple[str, int], ...] = ()
    starting: tuple[Started, ...] = ()
    failing: tuple[Started, ...] = ()
    beside: tuple[int, int] = (0, 0)
    without: tuple[int, int] = (0, 0)

    @property
    def differs(self) -> bool:
        """Did clearly more of those without these commands fail?"""
        (well, runs), (well_without, runs_without) = self.beside, self.without
        better = well * runs_without > well_without * runs
        return better and by_chance(well, runs, well_without, runs_without) <= CHANCE


def command_work(scope: Scope) -> CommandWork | None:
    """None where a success had another effect than those of command lines, or none at all."""
    well = scope.successes
    own = scope.effects(scope.runs[0])
    by_line = {call.name for run in scope.runs for call in run.steps if call.via}
    if not well or not own or not own <= by_line:
        return None
    places = _places(well)
    tallies = _starts([*well, *scope.failures], scope)
    kinds = ranked(kind for run in well for kind in {call.name for call in run.steps if call.via})
    usual = [(kind, n) for kind, n in kinds if n >= MOSTLY * len(well)]
    return CommandWork(
        of=len(well),
        places=places,
        tried_before=count(well, lambda run: _tried(run, before=True)),
        tried_after=count(well, lambda run: _tried(run, before=False)),
        changing=tuple(kind for kind, _ in usual if is_edit(kind)),
        chores=tuple((kind, n) for kind, n in usual if kind in CHORES - OWN_CODE),
        starting=tuple(one for one in tallies if one.started >= CONSISTENT * one.runs)[:MOST_FORMS],
        failing=tuple(one for one in tallies if one.started <= (1 - CONSISTENT) * one.runs)[:MOST_FORMS],
        **_with_and_without(scope, own, places),
    )


def _places(well: Sequence[Run]) -> tuple[str, ...]:
    """Places of three cases each that hold most of the successes; none where they are all over."""
    cases: dict[str, set[str]] = defaultdict(set)
    for run in well:
        if run.place:
            cases[run.place].add(run.thread)
    named = [place for place, _ in ranked(run.place for run in well) if len(cases[place]) >= LEAST_CASES][:PLACES]
    held = count(well, lambda run: run.place in named)
    return tuple(named) if held >= 0.8 * len(well) else ()


def _tried(run: Run, *, before: bool) -> bool:
    """Did it run code of its own before it first changed a file in place, or after it did so last?"""
    edits = [call.position for call in run.steps if call.via and call.name in EDITS]
    own = [call.position for call in run.steps if call.via and call.name in OWN_CODE]
    if not edits or not own:
        return False
    return min(own) < min(edits) if before else max(own) > max(edits)


def _starts(runs: Sequence[Run], scope: Scope) -> list[Started]:
    """The forms of test commands that runs of three cases called, by how many did."""
    called: Counter[str] = Counter()
    started: Counter[str] = Counter()
    cases: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        for attempt in attempts(run, scope.rules):
            if attempt.purpose == TESTS:
                called[attempt.form] += 1
                started[attempt.form] += attempt.started
                cases[attempt.form].add(run.thread)
    return [Started(form, n, started[form]) for form, n in ranked(called.elements()) if len(cases[form]) >= LEAST_CASES]


def _with_and_without(scope: Scope, own: frozenset[str], places: Sequence[str]) -> dict[str, tuple[int, int]]:
    near = [run for run in scope.all if run.place in places and run.outcome in ("success", "failure")]
    sides = list(_split(near, scope, own))
    beside, without = ((count(side, lambda run: run.succeeded), len(side)) for side in sides)
    return {"beside": beside, "without": without}


def _split(runs: Sequence[Run], scope: Scope, own: frozenset[str]) -> Iterator[list[Run]]:
    yield [run for run in runs if own <= scope.effects(run)]
    yield [run for run in runs if not own & scope.effects(run)]
