"""Write the recipe as numbered steps, and as one line for each tool."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from consolidation.learning.comparison.contrast import Companion, companions
from consolidation.learning.comparison.records import Condition as Sign
from consolidation.learning.effects.effects import CHORES
from consolidation.learning.effects.toolnames import code, phrase
from consolidation.learning.runs.dialogue import Assent, assents
from consolidation.learning.runs.harness_tools import FILE_CHANGES
from consolidation.learning.runs.lines import Line, ids_of
from consolidation.learning.runs.values import ITEM, spelled
from consolidation.learning.wording import upper_first
from consolidation.learning.writing import work_steps
from consolidation.learning.writing.argument_conditions import ABSENT, Condition, written
from consolidation.learning.writing.argument_sources import Origin
from consolidation.learning.writing.learned import Learned
from consolidation.learning.writing.phrases import Phrases
from consolidation.learning.writing.recipe import LONGEST_CALL, Stage

PLAIN_LOOKS = frozenset({
    "ls", "tree", "find", "pwd", "cat", "nl", "head", "tail", "less", "more", "sed", "awk", "gawk", "grep", "egrep",
    "rg", "ag", "fd",
    "git branch --list", "git cat-file", "git config --list", "git fetch", "git for-each-ref", "git ls-files",
    "git ls-remote", "git merge-base", "git remote --list", "git rev-parse", "git tag --list", "git worktree --list",
    "sh date", "echo", "printf", "sort", "uniq", "tr", "cut", "wc", "diff", "cmp", "file", "stat", "which", "git diff",
    "git status", "git archive", "date", "uptime",
})  # fmt: skip
MOST_ARGUMENTS = 7
ASSENT = 0.6


def numbered(lines: Sequence[Line]) -> str:
    """Join lines as a numbered list."""
    return "\n".join(f"{n}. {line.text}" for n, line in enumerate(lines, 1))


def steps(learned: Learned) -> Iterator[Line]:
    """Yield the steps of the procedure, each with the ids of the runs behind it."""
    stages, say, shown_by = learned.steps, learned.say, ids_of(learned.scope.shown_by)
    if looks := [stage for stage in stages if not stage.optional and _is_telling_look(stage)]:
        tools = [
            code(stage.spoken, LONGEST_CALL) if stage.speaks else code(stage.tool.removeprefix("sh "))
            for stage in looks
        ]
        yield Line(say("look_first", tools=say.join(tools)), looks[0].ids)
    told = [stage for stage in stages if _is_step(stage, learned)]
    agreed = next(((stage, assent) for stage in told if (assent := _assent(stage, learned))), None)
    begun = next((n for n, stage in enumerate(stages) if stage.via or work_steps.changes_files(stage)), 0)
    if learned.work is None and any(stage.kind == "sheet" for stage in stages):
        begun = len(stages)  # what lines do beside rows of a sheet they mostly do afterwards
    before = [stage for stage in stages[:begun] if stage in told]
    yield from _calls(before, agreed, learned)
    if learned.is_coding:
        yield from (Line(sentence, shown_by) for sentence in work_steps.of_work(learned))
    yield from _calls(told[len(before) :], agreed, learned)
    acts = [stage for stage in stages if stage.changes]
    if not acts:
        yield Line(say("answer"), shown_by)
    yield from _completeness(acts, companions(learned.scope), say)


def _assent(stage: Stage, learned: Learned) -> Assent | None:
    """Return how many users agreed right before a change; None where few did."""
    if not stage.changes or stage.via:
        return None
    assent = assents(learned.scope.successes, stage.tool)
    return assent if assent.yes >= 2 and assent.yes >= ASSENT * assent.runs else None


def _calls(told: Sequence[Stage], agreed: tuple[Stage, Assent] | None, learned: Learned) -> Iterator[Line]:
    """Yield a line for each of these steps, and before the one that users agreed to that it is said first."""
    say = learned.say
    space = "" if say.language == "zh" else " "
    choices: set[str] = set()  # of one record for several steps: told once
    for stage in told:
        if agreed and stage is agreed[0]:
            assent = agreed[1]
            yield Line(say("say_first", n=assent.yes, of=assent.runs, tool=code(stage.tool)), assent.ids)
        chosen = [_choice(sign, say) for sign in learned.signs if sign.acted == stage.tool][:2]
        sentence = _line(stage, learned, say)
        yield Line("".join([sentence, *(space + choice for choice in chosen if choice not in choices)]), stage.ids)
        choices.update(chosen)


def _is_telling_look(stage: Stage) -> bool:
    """Return whether a step is a command that looks something up, and not one by which everybody looks at files."""
    plain = stage.tool in PLAIN_LOOKS or stage.tool.endswith(" --version")
    return bool(stage.via) and not stage.changes and not plain


def _is_step(stage: Stage, learned: Learned) -> bool:
    """Return whether a stage is a step of its own: commands only where work by command lines has no steps."""
    if stage.via:
        return stage.changes and not learned.work and stage.tool not in CHORES
    return work_steps.is_told(stage, learned)


def _choice(sign: Sign, say: Phrases) -> str:
    fact = f"{code(sign.field)} {'是' if say.language == 'zh' else 'is'} {sign.value}"
    return say("choose", fact=fact, n=sign.runs, of=sign.of, m=sign.others, of_m=sign.of_others)


def _completeness(acts: Sequence[Stage], companions: Sequence[Companion], say: Phrases) -> Iterator[Line]:
    """Yield the last step: check that all of the work, and what often goes with it, was done."""
    whole = [stage for stage in acts if not stage.optional and not stage.via and stage.tool not in FILE_CHANGES]
    repeated = [stage for stage in whole if stage.per and stage.most > 1]
    if len(whole) > 1 or repeated:
        parts = [say("for_each", tool=code(s.tool), per=code(s.per)) if s in repeated else code(s.tool) for s in whole]
        yield Line(say("check_all", tools=say.join(parts)), whole[0].ids)
    if companions and whole:
        more = say.join([say("also", n=companion.runs, tool=code(companion.tool)) for companion in companions])
        own = say.join([code(stage.tool) for stage in whole])
        together = tuple(dict.fromkeys(identifier for companion in companions for identifier in companion.ids))
        yield Line(say("check_more", of=companions[0].of, own=own, more=more), together)


def _line(stage: Stage, learned: Learned, say: Phrases) -> str:
    sources = learned.sources
    key = f"step_{stage.kind}" if stage.kind in ("button", "page", "sheet", "command") else "step"
    tool, page = code(stage.spoken, LONGEST_CALL), code(stage.on, LONGEST_CALL)
    key = f"{key}_on" if stage.on and stage.is_button else key
    head = say(key, phrase=upper_first(phrase(stage.tool)), tool=tool, page=page, often=_often(stage, say))
    head = work_steps.in_share(stage, head, say)
    paths = sorted(path for (tool, path), seen in sources.items() if tool == stage.tool and _is_told(path, seen, stage))
    told = {path: _from(sources[stage.tool, path], stage, say) for path in paths[:MOST_ARGUMENTS]}
    decided = {path: part for path, part in _decided(stage, learned, say, sourced=told.keys()) if part}
    came = [f"{code(path)} {part}" for path, part in (told | decided).items() if part]
    came += [*_filled_in(stage, paths, say), *_unseen(stage, {*paths, *decided}, say)]
    stop, gap, space = ("。", "；", "") if say.language == "zh" else (".", "; ", " ")
    line_text = f"{space}{upper_first(gap.join(came))}{stop}" if came else ""
    returned = stage.returns.rstrip(".") if stage.changes and stage.tells and not stage.via else ""
    return head + line_text + (say("done", what=returned) if returned else "")


def _is_told(path: str, seen: Counter[Origin], stage: Stage) -> bool:
    """Return whether it is told where an argument comes from: of a row of a sheet, whose cells hold many values, only
    where most runs show it, and not where all wrote the same that nobody asked for."""
    if stage.kind != "sheet" or not stage.is_open(path):
        return stage.is_open(path)
    is_constant = len(_examples(stage.args_schema.get("properties", {}).get(path, {}))) == 1
    asked = sum(n for origin, n in seen.items() if not origin.tool)
    return (asked if is_constant else seen.total()) * 2 > stage.runs


def _often(stage: Stage, say: Phrases) -> str:
    if stage.most == 1 or stage.via:
        return ""
    each = say("once_per", per=code(stage.per)) if stage.per else ""
    if stage.usual == stage.most:
        sent = _examples(stage.args_schema.get("properties", {}).get(stage.per, {}))
        listed = f": {', '.join(map(code, sent))}" if len(sent) == stage.most else ""
        return each + say("fixed", n=say.times(stage.most)) + listed
    usual = say.times(stage.usual) if stage.usual < 3 else str(stage.usual)
    return each + say("usually", n=usual, most=say.times(stage.most))


def _from(counted: Counter[Origin], stage: Stage, say: Phrases) -> str:
    """Describe where an argument comes from, the most frequent source first, at most two sources."""
    origins = Counter({origin: n for origin, n in counted.items() if origin.kind != "names"})
    ranked = sorted(origins.items(), key=lambda pair: (-pair[1], pair[0].kind, pair[0].tool, pair[0].path))
    if ranked[0][0].kind == "own":
        return _own_words(counted, ranked[0][1], say) if stage.changes else ""
    kept = [origin for origin, n in ranked if n * 5 >= origins.total() and origin.kind != "own"]
    users = [say(f"from_{'request' if origin.kind == 'opening' else 'answer'}") for origin in kept if not origin.tool]
    tools = list(dict.fromkeys(origin.tool for origin in kept if origin.tool))
    fields = [_field(tool, [origin for origin in kept if origin.tool == tool], say) for tool in tools]
    sources = [*users[:1], *fields] if not kept[0].tool else [*fields, *users[:1]]
    return say("else").join(sources[:2])


def _decided(stage: Stage, learned: Learned, say: Phrases, sourced: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield (argument, on what it depends) of those of a change that take few values."""
    pairs: set[tuple[str, str]] = set()  # of two arguments that decide each other one is told
    for argument, choice in learned.choices.get(stage.tool, {}).items():
        told = [one for one in choice.conditions if not (one.together and (one.field, argument) in pairs)]
        pairs |= {(argument, one.field) for one in told}
        known = [] if told else [one.value for one in choice.conditions if one.value != ABSENT]
        others = say.join([code(value) for value in (*known, *choice.others)], "or")
        if conditions := [_condition(one, say) for one in told]:
            yield argument, say.join(conditions) + (say("else") + others if others else "")
        elif argument not in sourced and others:
            yield argument, say("one_of", values=others)


def _condition(one: Condition, say: Phrases) -> str:
    value = code(one.value) if one.value != ABSENT else say("none")
    key = "together" if one.together else "decided"
    state = say.join([code(state) for state in one.states], "or")
    state = say("over", number=written(one.over)) if one.over is not None else state
    state = say("upto", number=written(one.upto)) if one.upto is not None else state
    return say(key, value=value, field=code(one.field), state=state, n=one.calls, of=one.of)


def _filled_in(stage: Stage, paths: Sequence[str], say: Phrases) -> Iterator[str]:
    """Tell the fields of a form in which all runs wrote or ticked the same."""
    is_form = stage.kind in ("button", "sheet")
    fields: dict[str, dict[str, Any]] = stage.args_schema.get("properties", {}) if is_form else {}
    for name in stage.args_schema.get("required", []) if fields else []:
        if name not in paths and len(sent := _examples(fields[name])) == 1:
            yield say("filled_in", path=code(name), value=code(sent[0]))


def _unseen(stage: Stage, paths: Collection[str], say: Phrases) -> Iterator[str]:
    """Name required arguments of a change whose values neither the user nor a result had shown before."""
    schema = stage.args_schema if stage.changes and not stage.via else {}
    heads = {path.split(".")[0].removesuffix("[]") for path in paths}
    given: dict[str, Any] = schema.get("properties", {})
    missing = [name for name in schema.get("required", []) if name not in heads and not _is_clear(given[name])]
    if missing:
        key = "unseen" if len(missing) == 1 else "unseen_several"
        yield say(key, paths=say.join([code(name) for name in missing[:MOST_ARGUMENTS]]))


def _is_clear(schema: dict[str, Any]) -> bool:
    """Return whether an argument needs no source: its values are listed, or it is a boolean."""
    return bool(schema.get("examples")) or schema.get("type") == "boolean"


def _own_words(counted: Counter[Origin], written: int, say: Phrases) -> str:
    named = sorted(spelled(o.path) for o, n in counted.items() if o.kind == "names" and n * 2 >= written)
    naming = say("naming", names=say.join([code(name) for name in named[:3]])) if named else ""
    return say("own_words", naming=naming)


def _field(tool: str, origins: Sequence[Origin], say: Phrases) -> str:
    """Describe fields of a result as a source: from `get_order` → `id` or `items[].id`."""
    paths = [code(spelled(origin.path)) for origin in origins if set(origin.path) - {ITEM, "*"}]
    if not paths:
        return say("from_tool", tool=code(tool))
    return say("from_field", tool=code(tool), paths=say("or").join(paths[:2]))


def tool_lines(learned: Learned) -> list[str]:
    """Return one line per tool: its arguments, whether it changes something, in how many runs it was used."""
    say = learned.say
    colon, gap = ("：", "；") if say.language == "zh" else (": ", "; ")
    own_stages = [stage for stage in learned.steps if work_steps.is_told(stage, learned)]
    return [f"{code(stage.tool)}{colon}{gap.join(_about(stage, say))}" for stage in own_stages]


def _about(stage: Stage, say: Phrases) -> Iterator[str]:
    properties: dict[str, Any] = stage.args_schema.get("properties", {})
    required = stage.args_schema.get("required", [])
    if stage.through:
        yield say("through", tool=code(stage.through))
    if stage.changes:
        yield say("changes")
    given = [_argument(name, schema, name in required, say) for name, schema in properties.items()][:MOST_ARGUMENTS]
    if given:
        yield say("takes", what=say.join(given))
    yield say("used_well" if stage.well else "used", n=stage.runs, of=stage.of)


def _argument(name: str, schema: dict[str, Any], required: bool, say: Phrases) -> str:
    notes = [] if required else [say("optional")]
    inner = list(schema.get("items", schema).get("properties", {}).items())[:4]
    if sent := _examples(schema):
        notes.append(say("such_as", what=say.join(sent[:3], "or")))
    elif inner:
        told = [_told(field, _examples(of_field), say) for field, of_field in inner]
        notes.append(say("list_of" if schema["type"] == "array" else "object_of", what=say.join(told)))
    return f"{code(name)} ({', '.join(notes)})" if notes else code(name)


def _told(name: str, sent: list[str], say: Phrases) -> str:
    return f"{name} ({say('such_as', what=say.join(sent[:3], 'or'))})" if sent else name


def _examples(schema: dict[str, Any]) -> list[str]:
    """Return what was sent as an argument, or as the items of one that is a list, in the order of the calls."""
    examples = schema.get("examples") or schema.get("items", {}).get("examples", ())
    return [str(example).lower() if isinstance(example, bool) else str(example) for example in examples]
