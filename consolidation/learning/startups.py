"""What runs say of the commands of one purpose in one place, as one sentence: which start, and which do not."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from consolidation.learning.findings import Language
from consolidation.learning.purposes import ALONE
from consolidation.learning.startup_words import Form, StartupWords

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
class Tally(Form):
    cases: int
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
    return Tally(form, len(rows), sum(row.started for row in rows), latest, len({row.case for row in rows}), last)


@dataclass(frozen=True)
class Startups:
    """The commands of one purpose in one place."""

    place: str
    purpose: str
    tallies: Mapping[str, Tally]

    def claims(self) -> dict[str, bool]:
        """Form -> does it start, of what is worth saying.

        That something starts is worth a word beside what does not, and by itself where one would not know how to call
        it.
        """
        order = sorted(self.tallies.values(), key=lambda one: (-one.runs, one.form))
        starting = [one.form for one in order if one.starts is True][:MOST_STARTING]
        failing = [one.form for one in order if one.starts is False][:MOST_FAILING]
        if not failing and self.purpose not in ALONE:
            return {}
        return dict.fromkeys(starting, True) | dict.fromkeys(failing, False)

    def still(self, said: Mapping[str, bool]) -> dict[str, bool]:
        """One run that ends otherwise moves a count and takes no word back."""
        kept = {form: starts for form, starts in said.items() if self.tallies[form].mostly(starts)}
        return {**kept, **self.claims()} or dict(said)

    def turned(self, said: Mapping[str, bool]) -> bool:
        return any(self.tallies[form].has_turned(starts) for form, starts in said.items())

    def sentence(self, said: Mapping[str, bool], language: Language) -> str:
        """In sympy `bin/test` starts (74 of 74 runs); `pytest` does not (1 of 42)."""
        turned = {form for form, starts in said.items() if self.tallies[form].has_turned(starts)}
        words = StartupWords(language)
        parts = [words.turned(self.tallies[form], said[form]) for form in said if form in turned]
        for starts in (True, False):
            forms = [self.tallies[form] for form in said if said[form] == starts and form not in turned]
            if forms:
                parts.append(words.clause(forms, starts, first=not parts))
        return words.whole(self.place, parts)
