"""The recipe as numbered steps and as lines about each tool."""

from collections import Counter
from collections.abc import Mapping, Sequence

from consolidation.learning.dialogue import Assent
from consolidation.learning.recipe import Stage
from consolidation.learning.sources import OWN, USER, Origin
from consolidation.learning.toolnames import code, phrase
from consolidation.learning.values import spelled
from consolidation.learning.wording import joined, times, upper_first

Sources = Mapping[tuple[str, str], Counter[Origin]]
MOST_SOURCES = 3


def steps(stages: Sequence[Stage], sources: Sources, said_yes: Mapping[str, Assent]) -> str:
    lines: list[str] = []
    asked = False
    for stage in stages:
        assent = said_yes.get(stage.tool)
        if stage.changes and not asked and assent and assent.yes >= 2 and assent.yes * 4 >= assent.runs * 3:
            asked = True
            lines.append(
                f"Say what will be done and wait for a yes: the user agreed right before {code(stage.tool)} "
                f"in {assent.yes} of {assent.runs} runs that ended well."
            )
        lines.append(_line(stage, sources))
    if not any(stage.changes for stage in stages):
        lines.append("Answer from what the look-ups returned. Change nothing.")
    return "\n".join(f"{n}. {line}" for n, line in enumerate(lines, 1))


def _line(stage: Stage, sources: Sources) -> str:
    often = _often(stage)
    head = f"{upper_first(phrase(stage.tool))} with {code(stage.tool)}{often}."
    if stage.optional:
        head = f"If needed ({stage.runs} of {stage.of} runs): {head[:1].lower()}{head[1:]}"
    came = [_from(path, counted, stage) for (tool, path), counted in sorted(sources.items()) if tool == stage.tool]
    told = [line for line in came if line][:6]
    return f"{head} {upper_first('; '.join(told))}." if told else head


def _often(stage: Stage) -> str:
    if stage.most == 1:
        return ""
    each = f", once per {code(stage.per)}" if stage.per else ""
    if stage.usual == stage.most:
        return f"{each} ({times(stage.most)})"
    return f"{each} (usually {times(stage.usual)}, at most {times(stage.most)})"


def _from(path: str, counted: Counter[Origin], stage: Stage) -> str:
    total = sum(counted.values())
    ranked = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0].kind, pair[0].tool, pair[0].path))
    kept = [origin for origin, n in ranked if n * 5 >= total]
    if kept and kept[0].kind == OWN:
        return f"{code(path)} in your own words" if stage.changes else ""
    phrases: list[str] = []
    for origin in kept:
        said = _origin(origin)
        if said and said not in phrases:
            phrases.append(said)
    return f"{code(path)} {', else '.join(phrases[:MOST_SOURCES])}" if phrases else ""


def _origin(origin: Origin) -> str:
    if origin.kind == USER:
        return "from the user's message"
    if origin.kind == OWN:
        return ""
    field = spelled(origin.path).strip(".*")
    return f"from {code(origin.tool)} → {code(field)}" if field else f"from {code(origin.tool)}"


def tool_lines(stages: Sequence[Stage]) -> list[str]:
    return [f"{code(stage.tool)}: {_use(stage)} ({stage.runs} of {stage.of} runs that ended well)" for stage in stages]


def _use(stage: Stage) -> str:
    return ("changes something: " if stage.changes else "") + phrase(stage.tool)


def summary(stages: Sequence[Stage]) -> str:
    return joined([code(stage.tool) for stage in stages])
