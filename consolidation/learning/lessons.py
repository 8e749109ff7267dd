"""Experience and failure modes: what the counts say, in sentences. They name no causes."""

from collections.abc import Iterator, Sequence

from consolidation.learning.contrast import Contrast, Way
from consolidation.learning.differences import differences, lengths
from consolidation.learning.failures import Mode, Quiet
from consolidation.learning.records import Sign
from consolidation.learning.scope import Scope
from consolidation.learning.speech import Term
from consolidation.learning.toolnames import code
from consolidation.learning.wording import joined, upper_first

MOST_WAYS = 4


def lessons(
    scope: Scope,
    seen: Contrast,
    signs: Sequence[Sign],
    quiet: Quiet,
    later: Sequence[Term],
    answered: Sequence[Term],
) -> list[str]:
    of_runs = (*_of_signs(signs), *_of_contrast(scope, seen), *_of_own(scope), *_of_quiet(quiet))
    return [upper_first(line) for line in (*of_runs, *_of_speech(scope, later, answered))]


def _of_signs(signs: Sequence[Sign]) -> Iterator[str]:
    for sign in signs:
        yield (
            f"{code(sign.tool)} showed {code(sign.field)} {sign.value} in {sign.runs} of {sign.of} runs that ended "
            f"well and in {sign.others} of {sign.of_others} others."
        )


def _of_contrast(scope: Scope, seen: Contrast) -> Iterator[str]:
    own = scope.effects(scope.runs[0])
    for excess in [excess for excess in seen.excess if excess.tool not in own][:2]:
        yield (
            f"{code(excess.tool)} was called in {excess.failures} of {excess.of_failures} similar runs that failed and "
            f"in {excess.successes} of {excess.of_successes} that ended well."
        )
    telling = [way for way in seen.ways if way.runs >= 2][:MOST_WAYS]
    if seen.similar >= 3 and telling:
        told = joined([f"{way.successes} of {way.runs} {_way(way)}" for way in telling])
        yield f"{seen.successes} of {seen.similar} other runs with similar requests ended well: {told}."


def _way(way: Way) -> str:
    return f"with {' plus '.join([code(tool) for tool in way.tools])}" if way.tools else "that changed nothing"


def _of_own(scope: Scope) -> Iterator[str]:
    for found in differences(scope):
        yield (
            f"{found.what} in {found.failures} of {found.of_failures} runs that failed and in {found.successes} of "
            f"{found.of_successes} that ended well."
        )
    failed, well = lengths(scope)
    if failed and well and max(failed, well) >= 1.5 * min(failed, well):
        yield f"runs that failed took {failed} tool calls, runs that ended well {well} (medians)."


def _of_speech(scope: Scope, later: Sequence[Term], answered: Sequence[Term]) -> Iterator[str]:
    of = len(scope.successes)
    if later:
        yield f"in runs that ended well users also speak of {_terms(later, of)}."
    if answered:
        yield f"answers in runs that ended well mention {_terms(answered, of)}."


def _terms(terms: Sequence[Term], of: int) -> str:
    return joined([f"{term.written} ({term.runs} of {of})" for term in terms])


def _of_quiet(quiet: Quiet) -> Iterator[str]:
    if quiet.runs >= 2:
        last = joined([f"{code(tool)} ({n})" for tool, n in quiet.last[:3]])
        changed = f"; the last change was {last}" if last else "; nothing was changed"
        yield f"no tool reported an error in {quiet.runs} of {quiet.failures} runs that failed{changed}."


def failure_lines(met: Sequence[Mode]) -> list[str]:
    """Only numbers differ in a line as runs add up."""
    return [
        f"{code(mode.tool)} returned {_quoted(mode)} (runs: {mode.runs}, ended well: {mode.recovered})" for mode in met
    ]


def fallback_lines(met: Sequence[Mode]) -> list[str]:
    """One line for each thing that was done after an error; only numbers differ as runs add up."""
    return [
        f"After {_quoted(mode)} from {code(mode.tool)}: {did} ({n} of {mode.recovered} runs that ended well)"
        for mode in met
        for did, n in mode.next[:3]
    ]


def _quoted(mode: Mode) -> str:
    return f"“{mode.template}”" if mode.template else "an error"
