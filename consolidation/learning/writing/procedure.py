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
from consolidation.learning.runs.values import ITEM, joined_path
from consolidation.learning.wording import upper_first
from consolidation.learning.writing import work_steps
from consolidation.learning.writing.argument_conditions import ABSENT, Condition, number_text
from consolidation.learning.writing.argument_sources import Origin
from consolidation.learning.writing.call_conditions import CALL_MADE
from consolidation.learning.writing.learned import PatternFindings
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


def steps(findings: PatternFindings) -> Iterator[Line]:
    """Yield the steps of the procedure, each with the ids of the runs behind it."""
    stages, say, example_ids = findings.steps, findings.say, ids_of(findings.scope.examples)
    if looks := [stage for stage in stages if not stage.optional and _is_telling_look(stage)]:
        tools = [
            code(stage.spoken, LONGEST_CALL) if stage.speaks else code(stage.tool.removeprefix("sh "))
            for stage in looks
        ]
        yield Line(say("look_first", tools=say.join(tools)), looks[0].ids)
    shown_stages = [stage for stage in stages if _is_step(stage, findings)]
    agreement = next(((stage, assent) for stage in shown_stages if (assent := _assent(stage, findings))), None)
    first_act = next((n for n, stage in enumerate(stages) if stage.via or work_steps.changes_files(stage)), 0)
    if findings.work is None and any(stage.kind == "sheet" for stage in stages):
        first_act = len(stages)  # what lines do beside rows of a sheet they mostly do afterwards
    stages_before = [stage for stage in stages[:first_act] if stage in shown_stages]
    yield from _calls(stages_before, agreement, findings)
    if findings.is_coding:
        yield from (Line(sentence, example_ids) for sentence in work_steps.of_work(findings))
    yield from _calls(shown_stages[len(stages_before) :], agreement, findings)
    acts = [stage for stage in stages if stage.changes]
    if not acts:
        yield Line(say("answer"), example_ids)
    yield from _completeness(acts, companions(findings.scope), say)


def _assent(stage: Stage, findings: PatternFindings) -> Assent | None:
    """Return how many users agreed right before a change; None where few did."""
    if not stage.changes or stage.via:
        return None
    assent = assents(findings.scope.successes, stage.tool)
    return assent if assent.yes >= 2 and assent.yes >= ASSENT * assent.runs else None


def _calls(
    stages: Sequence[Stage], agreement: tuple[Stage, Assent] | None, findings: PatternFindings
) -> Iterator[Line]:
    """Yield a line for each of these steps; before the step that users agreed to, a line that it is announced first."""
    say = findings.say
    space = "" if say.language == "zh" else " "
    known_sentences: set[str] = set()  # of one record for several steps: told once
    for stage in stages:
        if agreement and stage is agreement[0]:
            assent = agreement[1]
            yield Line(say("say_first", n=assent.yes, of=assent.runs, tool=code(stage.tool)), assent.ids)
        signs = () if findings.call_conditions.get(stage.tool) else findings.signs
        sentences = [_choice(sign, say) for sign in signs if sign.acted == stage.tool][:2]
        sentence = _line(stage, findings, say)
        yield Line("".join([sentence, *(space + text for text in sentences if text not in known_sentences)]), stage.ids)
        known_sentences.update(sentences)


def _is_telling_look(stage: Stage) -> bool:
    """Return whether a step is a command that looks something up, and not one by which everybody looks at files."""
    is_plain = stage.tool in PLAIN_LOOKS or stage.tool.endswith(" --version")
    return bool(stage.via) and not stage.changes and not is_plain


def _is_step(stage: Stage, findings: PatternFindings) -> bool:
    """Return whether a stage is a step of its own: commands only where work by command lines has no steps."""
    if stage.via:
        return stage.changes and not findings.work and stage.tool not in CHORES
    return work_steps.is_told(stage, findings)


def _choice(sign: Sign, say: Phrases) -> str:
    fact = f"{code(sign.field)} {'是' if say.language == 'zh' else 'is'} {sign.value}"
    return say("choose", fact=fact, n=sign.runs, of=sign.of, m=sign.others, of_m=sign.of_others)


def _completeness(acts: Sequence[Stage], companions: Sequence[Companion], say: Phrases) -> Iterator[Line]:
    """Yield the last step: check that all of the work, and what often goes with it, was done."""
    stages = [stage for stage in acts if not stage.optional and not stage.via and stage.tool not in FILE_CHANGES]
    per_item = [stage for stage in stages if stage.per and stage.most > 1]
    if len(stages) > 1 or per_item:
        parts = [say("for_each", tool=code(s.tool), per=code(s.per)) if s in per_item else code(s.tool) for s in stages]
        yield Line(say("check_all", tools=say.join(parts)), stages[0].ids)
    if companions and stages:
        companion_names = say.join(
            [say("also", n=companion.runs, tool=code(companion.tool)) for companion in companions]
        )
        stage_names = say.join([code(stage.tool) for stage in stages])
        ids = tuple(dict.fromkeys(identifier for companion in companions for identifier in companion.ids))
        yield Line(say("check_more", of=companions[0].of, own=stage_names, more=companion_names), ids)


def _line(stage: Stage, findings: PatternFindings, say: Phrases) -> str:
    sources = findings.sources
    key = f"step_{stage.kind}" if stage.kind in ("button", "page", "sheet", "command") else "step"
    tool, page = code(stage.spoken, LONGEST_CALL), code(stage.on, LONGEST_CALL)
    key = f"{key}_on" if stage.on and stage.is_button else key
    head = say(key, phrase=upper_first(phrase(stage.tool)), tool=tool, page=page, often=_often(stage, say))
    head = work_steps.in_share(stage, head, say)
    paths = sorted(
        path for (tool, path), origins in sources.items() if tool == stage.tool and _is_told(path, origins, stage)
    )
    source_phrases = {path: _from(sources[stage.tool, path], stage, say) for path in paths[:MOST_ARGUMENTS]}
    choice_phrases = {
        path: part for path, part in _choice_phrases(stage, findings, say, with_source=source_phrases.keys()) if part
    }
    clauses = [*_record_phrases(findings.call_conditions.get(stage.tool, ()), say)]
    clauses += [f"{code(path)} {part}" for path, part in (source_phrases | choice_phrases).items() if part]
    clauses += [*_filled_in(stage, paths, say), *_unshown_arguments(stage, {*paths, *choice_phrases}, say)]
    stop, gap, space = ("。", "；", "") if say.language == "zh" else (".", "; ", " ")
    line_text = f"{space}{upper_first(gap.join(clauses))}{stop}" if clauses else ""
    result = stage.returns.rstrip(".") if stage.changes and stage.tells and not stage.via else ""
    return head + line_text + (say("done", what=result) if result else "")


def _is_told(path: str, origins: Counter[Origin], stage: Stage) -> bool:
    """Return whether the source of an argument is stated: of a cell of a sheet only if most runs show it, and, where
    all runs wrote the same value, only if most users had named it."""
    if stage.kind != "sheet" or not stage.is_open(path):
        return stage.is_open(path)
    is_constant = len(_examples(stage.args_schema.get("properties", {}).get(path, {}))) == 1
    from_user = sum(n for origin, n in origins.items() if not origin.tool)
    return (from_user if is_constant else origins.total()) * 2 > stage.runs


def _often(stage: Stage, say: Phrases) -> str:
    if stage.most == 1 or stage.via:
        return ""
    prefix = say("once_per", per=code(stage.per)) if stage.per else ""
    if stage.usual == stage.most:
        values = _examples(stage.args_schema.get("properties", {}).get(stage.per, {}))
        value_list = f": {', '.join(map(code, values))}" if len(values) == stage.most else ""
        return prefix + say("fixed", n=say.times(stage.most)) + value_list
    times = say.times(stage.usual) if stage.usual < 3 else str(stage.usual)
    return prefix + say("usually", n=times, most=say.times(stage.most))


def _from(counts: Counter[Origin], stage: Stage, say: Phrases) -> str:
    """Describe where an argument comes from, the most frequent source first, at most two sources."""
    origins = Counter({origin: n for origin, n in counts.items() if origin.kind != "names"})
    origin_counts = sorted(origins.items(), key=lambda pair: (-pair[1], pair[0].kind, pair[0].tool, pair[0].path))
    if origin_counts[0][0].kind == "own":
        return _own_words(counts, origin_counts[0][1], say) if stage.changes else ""
    chosen = [origin for origin, n in origin_counts if n * 5 >= origins.total() and origin.kind != "own"]
    users = [say(f"from_{'request' if origin.kind == 'opening' else 'answer'}") for origin in chosen if not origin.tool]
    tools = list(dict.fromkeys(origin.tool for origin in chosen if origin.tool))
    fields = [_field(tool, [origin for origin in chosen if origin.tool == tool], say) for tool in tools]
    sources = [*users[:1], *fields] if not chosen[0].tool else [*fields, *users[:1]]
    return say("else").join(sources[:2])


def _choice_phrases(
    stage: Stage, findings: PatternFindings, say: Phrases, with_source: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield (argument, phrase) for arguments of a change that take few values: what decides each, or all values."""
    pairs: set[tuple[str, str]] = set()  # of two arguments that decide each other one is told
    for argument, choice in findings.choices.get(stage.tool, {}).items():
        conditions = [c for c in choice.conditions if not (c.together and (c.field, argument) in pairs)]
        pairs |= {(argument, condition.field) for condition in conditions}
        values = [] if conditions else [c.value for c in choice.conditions if c.value != ABSENT]
        others = say.join([code(value) for value in (*values, *choice.other_values)], "or")
        if sentences := [_condition(condition, say) for condition in conditions]:
            yield argument, say.join(sentences) + (say("else") + others if others else "")
        elif argument not in with_source and others:
            yield argument, say("one_of", values=others)


def _record_phrases(conditions: Sequence[Condition], say: Phrases) -> Iterator[str]:
    """Yield phrases about the records that get the call, and about those that do not, if another field decides it."""
    by_value = {condition.value: condition for condition in conditions}
    call_condition, no_call_condition = by_value.get(CALL_MADE), by_value.get(ABSENT)
    if call_condition:
        yield _condition(call_condition, say, "record_called")
    if no_call_condition and not (call_condition and call_condition.field == no_call_condition.field):
        yield _condition(no_call_condition, say, "record_left")


def _condition(condition: Condition, say: Phrases, key: str = "") -> str:
    value = code(condition.value) if condition.value != ABSENT else say("none")
    key = key or ("together" if condition.together else "decided")
    state = say.join([code(state) for state in condition.states], "or")
    state = say("over", number=number_text(condition.over)) if condition.over is not None else state
    state = say("upto", number=number_text(condition.upto)) if condition.upto is not None else state
    return say(key, value=value, field=code(condition.field), state=state, n=condition.calls, of=condition.of)


def _filled_in(stage: Stage, paths: Sequence[str], say: Phrases) -> Iterator[str]:
    """Tell the fields of a form in which all runs wrote or ticked the same."""
    is_form = stage.kind in ("button", "sheet")
    fields: dict[str, dict[str, Any]] = stage.args_schema.get("properties", {}) if is_form else {}
    for name in stage.args_schema.get("required", []) if fields else []:
        if name not in paths and len(values := _examples(fields[name])) == 1:
            yield say("filled_in", path=code(name), value=code(values[0]))


def _unshown_arguments(stage: Stage, paths: Collection[str], say: Phrases) -> Iterator[str]:
    """Name required arguments of a change whose values neither the user nor a result had shown before."""
    schema = stage.args_schema if stage.changes and not stage.via else {}
    heads = {path.split(".")[0].removesuffix("[]") for path in paths}
    properties: dict[str, Any] = schema.get("properties", {})
    missing = [name for name in schema.get("required", []) if name not in heads and not _is_clear(properties[name])]
    if missing:
        key = "unseen" if len(missing) == 1 else "unseen_several"
        yield say(key, paths=say.join([code(name) for name in missing[:MOST_ARGUMENTS]]))


def _is_clear(schema: dict[str, Any]) -> bool:
    """Return whether an argument needs no source: its values are listed, or it is a boolean."""
    return bool(schema.get("examples")) or schema.get("type") == "boolean"


def _own_words(counts: Counter[Origin], total: int, say: Phrases) -> str:
    names = sorted(joined_path(o.path) for o, n in counts.items() if o.kind == "names" and n * 2 >= total)
    names_part = say("naming", names=say.join([code(name) for name in names[:3]])) if names else ""
    return say("own_words", naming=names_part)


def _field(tool: str, origins: Sequence[Origin], say: Phrases) -> str:
    """Describe fields of a result as a source: from `get_order` → `id` or `items[].id`."""
    paths = [code(joined_path(origin.path)) for origin in origins if set(origin.path) - {ITEM, "*"}]
    if not paths:
        return say("from_tool", tool=code(tool))
    return say("from_field", tool=code(tool), paths=say("or").join(paths[:2]))


def tool_lines(findings: PatternFindings) -> list[str]:
    """Return one line per tool: its arguments, whether it changes something, in how many runs it was used."""
    say = findings.say
    colon, gap = ("：", "；") if say.language == "zh" else (": ", "; ")
    own_stages = [stage for stage in findings.steps if work_steps.is_told(stage, findings)]
    return [f"{code(stage.tool)}{colon}{gap.join(_about(stage, say))}" for stage in own_stages]


def _about(stage: Stage, say: Phrases) -> Iterator[str]:
    properties: dict[str, Any] = stage.args_schema.get("properties", {})
    required = stage.args_schema.get("required", [])
    if stage.through:
        yield say("through", tool=code(stage.through))
    if stage.changes:
        yield say("changes")
    notes = [_argument(name, schema, name in required, say) for name, schema in properties.items()][:MOST_ARGUMENTS]
    if notes:
        yield say("takes", what=say.join(notes))
    yield say("used_well" if stage.well else "used", n=stage.runs, of=stage.of)


def _argument(name: str, schema: dict[str, Any], is_required: bool, say: Phrases) -> str:
    notes = [] if is_required else [say("optional")]
    inner = list(schema.get("items", schema).get("properties", {}).items())[:4]
    if values := _examples(schema):
        notes.append(say("such_as", what=say.join(values[:3], "or")))
    elif inner:
        fields = [_with_examples(field, _examples(of_field), say) for field, of_field in inner]
        notes.append(say("list_of" if schema["type"] == "array" else "object_of", what=say.join(fields)))
    return f"{code(name)} ({', '.join(notes)})" if notes else code(name)


def _with_examples(name: str, values: list[str], say: Phrases) -> str:
    return f"{name} ({say('such_as', what=say.join(values[:3], 'or'))})" if values else name


def _examples(schema: dict[str, Any]) -> list[str]:
    """Return what was sent as an argument, or as the items of one that is a list, in the order of the calls."""
    examples = schema.get("examples") or schema.get("items", {}).get("examples", ())
    return [str(example).lower() if isinstance(example, bool) else str(example) for example in examples]
