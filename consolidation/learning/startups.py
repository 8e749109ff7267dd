"""What runs say of the commands of one purpose in one place, as one sentence: which start, and which do not."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from consolidation.learning.purposes import ALONE

LEAST_RUNS, LEAST_CASES = 3, 2
CONSISTENT = 0.9
MOST_STARTING, MOST_FAILING = 2, 4
SURPRISES = 3  # runs in a row that end otherwise; one fewer where none had before


@dataclass(frozen=True)
class Seen:
    """One run's first attempt at a form of a command."""

    form: str
    case: UUID
    started: bool


@dataclass(frozen=True)
class Tally:
    form: str
    runs: int
    started: int
    cases: int
    latest: int  # how many of the latest runs in a row ended alike
    latest_started: bool

    @property
    def starts(self) -> bool | None:
        """What can be relied on; None: neither that it starts nor that it does not."""
        if self.runs < LEAST_RUNS or self.cases < LEAST_CASES:
            return None
        share = self.started / self.runs
        return True if share >= CONSISTENT else False if share <= 1 - CONSISTENT else None

    def mostly(self, started: bool) -> bool:
        return 2 * (self.started if started else self.runs - self.started) > self.runs

    def has_turned(self, started: bool) -> bool:
        """Do the latest runs say with one voice that it is not so any more?"""
        if self.latest_started == started:
            return False
        otherwise = self.runs - self.started if started else self.started
        return self.latest >= (SURPRISES if otherwise > self.latest else SURPRISES - 1)


def tally(seen: Iterable[Seen]) -> dict[str, Tally]:
    """Of attempts in the order in which they happened."""
    by_form: dict[str, list[Seen]] = {}
    for one in seen:
        by_form.setdefault(one.form, []).append(one)
    return {form: _tally(form, rows) for form, rows in by_form.items()}


def _tally(form: str, rows: Sequence[Seen]) -> Tally:
    last = rows[-1].started
    latest = next((n for n, row in enumerate(reversed(rows)) if row.started != last), len(rows))
    return Tally(form, len(rows), sum(row.started for row in rows), len({row.case for row in rows}), latest, last)


def claims(purpose: str, tallies: Mapping[str, Tally]) -> dict[str, bool]:
    """Form -> does it start, of what is worth saying; empty when nothing is.

    That something starts is worth a word beside what does not, and by itself where one would not know how to call it.
    """
    order = sorted(tallies.values(), key=lambda one: (-one.runs, one.form))
    starting = [one.form for one in order if one.starts is True][:MOST_STARTING]
    failing = [one.form for one in order if one.starts is False][:MOST_FAILING]
    if not failing and purpose not in ALONE:
        return {}
    return dict.fromkeys(starting, True) | dict.fromkeys(failing, False)


def still(said: Mapping[str, bool], purpose: str, tallies: Mapping[str, Tally]) -> dict[str, bool]:
    """What is said, as it is to be said now: one run that ends otherwise moves a count and takes no word back."""
    kept = {form: starts for form, starts in said.items() if tallies[form].mostly(starts)}
    return {**kept, **claims(purpose, tallies)} or dict(said)


def sentence(place: str, said: Mapping[str, bool], tallies: Mapping[str, Tally]) -> str:
    """In sympy `bin/test` starts (74 of 74 runs); `pytest` does not (1 of 42)."""
    turned = {form for form, starts in said.items() if tallies[form].has_turned(starts)}
    parts = [_turned(tallies[form], said[form]) for form in said if form in turned]
    for starts in (True, False):
        forms = [tallies[form] for form in said if said[form] == starts and form not in turned]
        if forms:
            parts.append(_clause(forms, starts, first=not parts))
    return f"In {place or 'these runs'} {'; '.join(parts)}."


def _clause(forms: Sequence[Tally], starts: bool, *, first: bool) -> str:
    one = len(forms) == 1
    verb = ("starts" if one else "start") if starts else ("does not" if one else "do not")
    verb += " start" if first and not starts else ""
    counts = [f"{form.started} of {form.runs}" for form in forms]
    counts[0] += " runs" if first else ""
    if one:
        return f"`{forms[0].form}` {verb} ({counts[0]})"
    return f"{_joined([f'`{form.form}` ({count})' for form, count in zip(forms, counts, strict=True)])} {verb}"


def _turned(one: Tally, started: bool) -> str:
    before = f"{one.started if started else one.started - one.latest} of {one.runs - one.latest} before"
    now = f"0 of the last {one.latest} runs" if started else f"{one.latest} of the last {one.latest} runs"
    verb = "does not start any more" if started else "starts now"
    return f"`{one.form}` {verb} ({now}, {before})"


def _joined(parts: Sequence[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]
