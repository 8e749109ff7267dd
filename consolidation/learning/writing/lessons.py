"""Sentences about experience and failure modes, made from counts. They name no causes."""

from collections.abc import Iterator, Sequence

from consolidation.learning.comparison.contrast import Contrast, Way
from consolidation.learning.comparison.neighbours import Difference
from consolidation.learning.comparison.records import Condition, OtherValue
from consolidation.learning.effects.effects import are_chores
from consolidation.learning.effects.toolnames import code
from consolidation.learning.runs.lines import Line, ids_of
from consolidation.learning.wording import upper_first
from consolidation.learning.writing.failures import Mode
from consolidation.learning.writing.git_work import GitWork
from consolidation.learning.writing.learned import PatternFindings
from consolidation.learning.writing.phrases import Phrases

MOST_WAYS = 4
LEAST_REFUSED = 3
FEW_SIMILAR = 4  # up to so many similar runs, a way of a single run is mentioned too, unless it is of command lines


def lessons(findings: PatternFindings) -> list[Line]:
    """Return the lines of a skill's `experience` field, each with the ids of the runs behind it."""
    scope, say = findings.scope, findings.say
    lines = [
        *_of_contrast(findings),
        # their skills say the rest
        *_of_differences([fact for fact in findings.differences if fact.tool in findings.effects], say),
        *_of_signs(findings.signs, say),
        *_of_other_value(findings.other_value, say),
    ]
    if scope.parts:
        partly = say("partly", n=len(scope.successes), m=len(scope.parts))
        lines.insert(0, Line(partly, ids_of(scope.parts)))
    return [*_of_work(findings), *_of_pushes(findings), *(line._replace(text=upper_first(line.text)) for line in lines)]


def _of_work(findings: PatternFindings) -> list[Line]:
    """Compare how runs of the same places ended with and without these commands; empty without a clear difference."""
    work, say = findings.work, findings.say
    if work is None or not work.differs:
        return []
    tools = say.join([code(tool) for tool in sorted(findings.effects)])
    (n, runs), (m, runs_m) = work.beside, work.without
    places = say.join([code(place) for place in work.places])
    line = say("work_with", places=places, tools=tools, n=n, runs=runs, m=m, runs_m=runs_m)
    return [Line(line, ids_of(findings.scope.runs))]


def _of_pushes(findings: PatternFindings) -> Iterator[Line]:
    """Yield that several refs in one push were refused, where most runs that tried it ended well by single ones."""
    refused_runs, all_runs = GitWork(findings.scope).pushed_together()
    if len(refused_runs) >= LEAST_REFUSED and 2 * len(refused_runs) > len(all_runs):
        yield Line(findings.say("push_apart", n=len(refused_runs), of=len(all_runs)), ids_of(refused_runs))


def _of_signs(signs: Sequence[Condition], say: Phrases) -> Iterator[Line]:
    """Yield the conditions of a skill without effects; those of an effect are part of its step."""
    for sign in signs:
        if not sign.acted:
            fact = f"{code(sign.field)} {sign.value}"
            counts = {"n": sign.runs, "of": sign.of, "m": sign.others, "of_m": sign.of_others}
            yield Line(say("showed", tool=code(sign.tool), fact=fact, **counts), sign.ids)


def _of_other_value(other: OtherValue | None, say: Phrases) -> Iterator[Line]:
    if other:
        fact = f"{code(other.field)} {other.value}"
        yield Line(say("other_value", fact=fact, tool=code(other.tool), n=other.cases), other.ids)


def _of_contrast(findings: PatternFindings) -> Iterator[Line]:
    near, say, own = findings.contrast, findings.say, findings.effects
    for excess in [excess for excess in near.excess if excess.tool not in own][:2]:
        counts = {"n": excess.failures, "of": excess.of_failures, "m": excess.successes, "of_m": excess.of_successes}
        yield Line(say("excess", tool=code(excess.tool), **counts), excess.ids)
    commands = {call.name for run in findings.scope.runs for call in run.steps if call.via}
    few = near.similar <= FEW_SIMILAR and not own & commands  # what commands one run needed tells little of the next
    shown = [way for way in near.ways if way.runs >= 2 or few][:MOST_WAYS]
    if near.similar >= 3 and shown:
        ways = say.join([_of_way(way, _way(way, say), say) for way in shown] + _of_rest(near, shown, say))
        ids = dict.fromkeys(run_id for way in shown for run_id in way.ids)
        yield Line(say("ways", good=near.successes, all=near.similar, ways=ways), tuple(ids))


def _of_rest(contrast: Contrast, shown_ways: Sequence[Way], say: Phrases) -> list[str]:
    """The similar runs whose ways are not named, so that the parts add up to the sum before them; empty if all are."""
    successes = contrast.successes - sum(way.successes for way in shown_ways)
    rest = Way((), successes, contrast.similar - sum(way.runs for way in shown_ways) - successes)
    return [_of_way(rest, say("way_other" if rest.runs == 1 else "ways_other"), say)] if rest.runs else []


def _of_way(way: Way, words: str, say: Phrases) -> str:
    if way.runs == 1:
        return say("way_of_one_well" if way.successes else "way_of_one_ill", way=words)
    return say("way_of", n=way.successes, of=way.runs, way=words)


def _way(way: Way, say: Phrases) -> str:
    if not way.tools:
        return say("way_changed_nothing")
    if are_chores(way.tools):
        return say("way_edits")
    return say("way_tools", tools=say("plus").join([code(tool) for tool in way.tools]))


def _of_differences(differences: Sequence[Difference], say: Phrases) -> Iterator[Line]:
    for difference in differences:
        counts = {"n": difference.failures, "of": difference.of, "m": difference.successes}
        counts["of_m"] = difference.of_successes
        tool, subject = code(difference.tool), code(difference.what)
        if difference.kind == "value":
            sentence = say("value", tool=tool, path=subject, good=difference.good, bad=difference.bad, **counts)
        elif difference.kind == "acted_on":
            sentence = say("acted_on", tool=tool, fact=f"{subject} {difference.good}", **counts)
        else:
            sentence = say(difference.kind, tool=tool, path=subject, **counts)
        yield Line(sentence, difference.ids)


def failure_lines(modes: Sequence[Mode], say: Phrases) -> list[Line]:
    """Return one line per kind of tool error. Only the numbers in a line change as runs are added."""
    return [
        Line(say("failure", tool=code(mode.tool), text=_quoted(mode, say), n=mode.runs, m=mode.recoveries), mode.ids)
        for mode in modes
    ]


def fallback_lines(modes: Sequence[Mode], say: Phrases) -> list[Line]:
    """Return one line per reaction to a tool error, at most three per error.

    Only the numbers in a line change as runs are added.
    """
    return [
        Line(
            say("fallback", text=_quoted(mode, say), tool=code(mode.tool), did=reaction, n=n, of=mode.recoveries),
            mode.next_ids.get(reaction, ()),
        )
        for mode in modes
        for reaction, n in mode.next[:3]
    ]


def _quoted(mode: Mode, say: Phrases) -> str:
    return f"“{mode.template}”" if mode.template else say("an_error")
