"""What the runs of a place show of the options of one command: with which it works, and with which it fails."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from consolidation.learning.effects.command_starts import CONSISTENT, CaseAttempt
from consolidation.learning.effects.option_tries import options_in
from consolidation.learning.effects.toolnames import code
from consolidation.learning.wording import Language, joined

MOST_COMPARED = 6
# On each side. With two, where options changed nothing, up to 18 of 100 commands that often fail got a claim; with
# three 6 at most.
LEAST_CASES = 3


@dataclass(frozen=True)
class OptionFindings:
    """The tries of one command in a place, oldest first.

    A claim maps options to whether the command works with them (True) or fails (False). If two are claimed to work,
    either one is enough. Where no failing options are claimed, the command fails without the working ones; likewise it
    works without the failing ones where no working ones are claimed.
    """

    place: str
    form: str
    tries: Sequence[CaseAttempt]

    def claims(self) -> dict[str, bool]:
        """Return the claims that nearly all tries support; LEAST_CASES failed and as many worked."""
        options_that_work = self._options_by_tries(success=True)
        alternatives = combinations(options_that_work[:MOST_COMPARED], 2)
        working = self._first(dict.fromkeys(options, True) for options in (*zip(options_that_work), *alternatives))
        failing = self._first({options: False} for options in self._options_by_tries(success=False))
        return failing | working

    def supported_claims(self, claims: Mapping[str, bool]) -> dict[str, bool]:
        """Return the claims by the present counts, or the stated ones where there are none."""
        return self.claims() or dict(claims)

    def is_contradicted(self, claims: Mapping[str, bool]) -> bool:
        """Return whether the tries support the stated claims no more."""
        return not self._holds(claims)

    def sentence(self, claims: Mapping[str, bool], language: Language) -> str:
        """Return the claims with the present counts: "In shop `gh pr merge` works with `--squash` (4 of 4 runs); with
        `--merge` it fails (0 of 2)"."""
        failing, working = ((sum(attempt.started for attempt in tries), len(tries)) for tries in self.sides(claims))
        right, wrong = (option_names(claims, is_well, language) for is_well in (True, False))
        if language == "zh":
            where = f"在 {self.place} 中" if self.place else "这些记录中"
            works = f"带 {right} 时成功" if right else f"不带 {wrong} 时成功"
            fails = f"{f'带 {wrong} 时' if wrong else '不带时'}失败（{failing[1]} 次中成功 {failing[0]} 次）"
            return f"{where} {code(self.form)} {works}（{working[1]} 次中 {working[0]} 次）；{fails}。"
        works = f"works {f'with {right}' if right else f'without {wrong}'} ({working[0]} of {working[1]} runs)"
        fails = f"{f'with {wrong}' if wrong else 'without'} it fails ({failing[0]} of {failing[1]})"
        return f"In {self.place or 'these runs'} {code(self.form)} {works}; {fails}."

    def sides(self, claims: Mapping[str, bool]) -> tuple[list[CaseAttempt], list[CaseAttempt]]:
        """Return the tries that should fail by these claims, and those that should work."""
        by_claim: dict[bool | None, list[CaseAttempt]] = defaultdict(list)
        for attempt in self.tries:
            by_claim[works(options_in(attempt.form), claims)].append(attempt)
        return by_claim[False], by_claim[True]

    def predicts_failure(self, options: Sequence[str], claims: Mapping[str, bool]) -> bool:
        """Return whether a call with these options fails by these claims; False with an option that no try had: it may
        do the same as a working one."""
        known_options = {option for attempt in self.tries for option in options_in(attempt.form)}
        return works(options, claims) is False and {*options} <= known_options

    def _first(self, candidates: Iterable[dict[str, bool]]) -> dict[str, bool]:
        return next((claims for claims in candidates if self._holds(claims)), {})

    def _holds(self, claims: Mapping[str, bool]) -> bool:
        """A failed try with working options does not count against them if its case also has a try that worked."""
        failing, working = self.sides(claims)
        well = {attempt.case for attempt in working if attempt.started}
        ill = {attempt.case for attempt in failing if not attempt.started}
        contrary = [attempt for attempt in working if not attempt.started and attempt.case not in well]
        agree = sum(not attempt.started for attempt in failing) >= CONSISTENT * len(failing)
        return min(len(well), len(ill)) >= LEAST_CASES and agree and len(contrary) <= (1 - CONSISTENT) * len(working)

    def _options_by_tries(self, *, success: bool) -> list[str]:
        """Return the options of successful or failed tries, the most frequent first; joined if always used together."""
        places: dict[str, list[int]] = defaultdict(list)
        for n, attempt in enumerate(self.tries):
            for option in options_in(attempt.form):
                places[option].append(n)
        by_tries: dict[tuple[int, ...], list[str]] = defaultdict(list)
        for option, tries in places.items():
            by_tries[*tries].append(option)
        counts = {tries: sum(self.tries[n].started == success for n in tries) for tries in by_tries}
        ordered = sorted(filter(counts.get, counts), key=lambda tries: (-counts[tries], tries))
        return [", ".join(by_tries[tries]) for tries in ordered]


def works(options: Sequence[str], claims: Mapping[str, bool]) -> bool | None:
    """Return whether a call with these options works by these claims; None: they do not tell."""
    outcomes = [is_well for name, is_well in claims.items() if {*name.split(", ")} <= {*options}]
    if outcomes:
        return all(outcomes)
    is_partial = any({*name.split(", ")} & {*options} for name in claims)
    values = {*claims.values()}
    return None if is_partial or len(values) > 1 else not values.pop()


def option_names(claims: Mapping[str, bool], is_well: bool, language: Language = "en") -> str:
    """Return the options with which it works, or fails; '' for none."""
    options = [code(name.replace(", ", " ")) for name, works_with in claims.items() if works_with == is_well]
    return joined(options, "或" if language == "zh" else "or")
