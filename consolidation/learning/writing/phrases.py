"""Sentence templates of a skill in English and Chinese; a skill is in the language of its requests."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Literal

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.wording import Language, is_chinese, joined

_SENTENCES: dict[str, tuple[str, str]] = {
    "no_action": ("Answer without changing anything", "只答复，不做任何更改"),
    "use_asked": ("Use when asked to {acts}.", "当用户要求{acts}时使用。"),
    "other_way": (
        "Of such requests {n} of {of} ended well with it, {m} of {of_m} with {tools}.",
        "这类请求这样做 {of} 次中成功 {n} 次，用 {tools} {of_m} 次中成功 {m} 次。",
    ),
    "use_when": ("Use when {when}.", "适用于：{when}。"),
    "asked_to": ("asked to {acts}", "用户要求{acts}"),
    "mentions": ("a request mentions {terms}", "请求中提到{terms}"),
    "order": ("the order is “{order}”", "任务是“{order}”"),
    "shows": ("the look-up shows {facts}", "查询显示 {facts}"),
    "and": (" and ", "，并且"),
    "not_value": ("Not for {fact}.", "{fact} 时不适用。"),
    "step": ("{phrase} with {tool}{often}.", "调用 {tool}{often}。"),
    "step_command": ("Run {tool}{often}.", "运行 {tool}{often}。"),
    "step_button": ("Press {tool}{often}.", "点击 {tool}{often}。"),
    "step_button_on": ("Press {tool} on {page}{often}.", "在 {page} 点击 {tool}{often}。"),
    "step_sheet": ("Write to the sheet {tool}{often}.", "写入工作表 {tool}{often}。"),
    "step_page": ("Open {tool}{often}.", "打开 {tool}{often}。"),
    "plain_button": ("press {tool}", "点击 {tool}"),
    "plain_sheet": ("write to the sheet {tool}", "写入工作表 {tool}"),
    "plain_page": ("open {tool}", "打开 {tool}"),
    "plain_step": ("{phrase}", "调用 {tool}"),
    "plain_operation": ("{phrase}: {tool}", "调用 {tool}"),
    "through": ("through {tool}", "经 {tool}"),
    "plain_files": ("change {files}", "修改 {files}"),
    "plain_command": ("run {tool}", "运行 {tool}"),
    "returns": ("it returns {what}", "返回{what}"),
    "look_first": ("Look first: {tools}.", "先查看：{tools}。"),
    "change_and_run": ("change files and run {tools}", "修改文件并运行 {tools}"),
    "try_before": (
        "Write a script that shows what is asked for and run it before you change anything: so in {n} of {of} runs "
        "that ended well.",
        "先写一个能重现问题的脚本并运行，再动手修改：{of} 次成功记录中有 {n} 次如此。",
    ),
    "change_files": ("Change the files ({tools}).", "修改文件（{tools}）。"),
    "write_files": ("Write the files; of {of} runs: {files}.", "写入文件；{of} 次记录中：{files}。"),
    "remove_files": ("Remove files; of {of} runs: {files}.", "删除文件；{of} 次记录中：{files}。"),
    "move_files": ("Move files; of {of} runs: to {folders}.", "移动文件；{of} 次记录中：移至 {folders}。"),
    "change_these_files": (
        "Change the files ({tools}); of {of} runs: {files}.",
        "修改文件（{tools}）；{of} 次记录中：{files}。",
    ),
    "changed_by_commands": (
        " The commands change further files; of {of} runs: {files}.",
        "命令还会修改其他文件；{of} 次记录中：{files}。",
    ),
    "with_lines": ("{tool} ({n}; with {lines})", "{tool}（{n} 次；含 {lines}）"),
    "try_after": (
        "Run your script again after the last change: {n} of {of}.",
        "最后一次修改后再次运行脚本：{of} 次中有 {n} 次。",
    ),
    "starts": ("{tool} (started in {n} of {of} runs)", "{tool}（{of} 次中有 {n} 次能启动）"),
    "run_tests": ("Run the tests with {tools}.", "用 {tools} 运行测试。"),
    "not_starting": (
        "Do not lose time with what does not start here: {tools}.",
        "以下命令在此无法启动，不必尝试：{tools}。",
    ),
    "chore": ("{tool} ({n})", "{tool}（{n} 次）"),
    "new_files": ("{tool} ({n}; first line such as {starts})", "{tool}（{n} 次；首行如 {starts}）"),
    "tidy_up": (
        "At the end, in most of {of} runs that ended well: {tools}.",
        "最后（{of} 次成功记录中的多数）：{tools}。",
    ),
    "work_with": (
        "Of {runs} runs in {places} that used {tools} {n} ended well; of {runs_m} without {m}.",
        "在 {places} 中，使用 {tools} 的 {runs} 次有 {n} 次成功，未使用的 {runs_m} 次有 {m} 次成功。",
    ),
    "works_on": ("something in {places} is to be changed", "需要修改 {places} 中的内容"),
    "if_needed": ("If needed ({n} of {of} runs): {step}", "需要时（{of} 次中有 {n} 次）：{step}"),
    "say_first": (
        "Say what will be done and wait for a yes: in {n} of {of} runs that ended well the user agreed right before "
        "{tool}.",
        "先说明将要做什么并等待用户同意：{of} 次成功记录中有 {n} 次用户在 {tool} 之前表示同意。",
    ),
    "answer": ("Answer from what came back and change nothing.", "根据查询结果答复，不做任何更改。"),
    "choose": (
        "Take the record whose {fact}: so in {n} of {of} runs that ended well, other records in {m} of {of_m}.",
        "选择 {fact} 的记录：{of} 次成功记录中有 {n} 次如此，其他记录 {of_m} 次中有 {m} 次。",
    ),
    "check_all": (
        "Before you end, check that all of it was done: {tools}.",
        "结束前确认全部完成：{tools}。",
    ),
    "for_each": ("{tool} for each {per}", "每个 {per} 各调用一次 {tool}"),
    "check_more": (
        "Often together: of {of} runs with {own} that ended well {more}. Before you end, make sure that nothing else "
        "was asked for.",
        "常一起出现：含 {own} 的 {of} 次成功记录中，{more}。结束前确认没有遗漏其他要求。",
    ),
    "also": ("{n} also called {tool}", "{n} 次还调用了 {tool}"),
    "in_runs": ("In {n} of {of} runs: {step}", "{of} 次中有 {n} 次：{step}"),
    "done": (" Done when it returns {what}.", "返回{what}即完成。"),
    "once_per": (", once per {per}", "，每个 {per} 一次"),
    "usually": (" (usually {n}, up to {most})", "（通常 {n} 次，最多 {most} 次）"),
    "fixed": (" ({n})", "（{n} 次）"),
    "from_field": ("from {tool} → {paths}", "取自 {tool} → {paths}"),
    "from_tool": ("from {tool}", "取自 {tool}"),
    "from_request": ("from the user's request", "取自用户的请求"),
    "from_answer": ("from the user (ask for it)", "向用户询问"),
    "or": (" or ", " 或 "),
    "else": (", else ", "，否则"),
    "decided": (
        "{value} where {field} is {state} ({n} of {of})",
        "在 {field} 为 {state} 时是 {value}（{of} 次中有 {n} 次）",
    ),
    "together": ("{value} with {field} {state} ({n} of {of})", "{field} 为 {state} 时填 {value}（{of} 次中有 {n} 次）"),
    "record_called": ("where {field} is {state} ({n} of {of})", "{field} 为 {state} 的记录（{of} 条中有 {n} 条）"),
    "record_left": (
        "not where {field} is {state} ({n} of {of})",
        "{field} 为 {state} 的记录不调用（{of} 条中有 {n} 条）",
    ),
    "over": ("more than {number}", "大于 {number} 的数"),
    "upto": ("at most {number}", "不超过 {number} 的数"),
    "none": ("none", "不填"),
    "one_of": ("as the record asks for: {values}", "按记录内容选择：{values}"),
    "filled_in": ("{path} {value}", "{path} 填 {value}"),
    "unseen": ("where {paths} comes from was not seen", "{paths} 的来源未知"),
    "unseen_several": ("where {paths} come from was not seen", "{paths} 的来源未知"),
    "own_words": ("in your own words{naming}", "用自己的话写{naming}"),
    "naming": (", naming {names}", "，写明 {names}"),
    "object": ("an object with {what}", "含 {what} 的对象"),
    "list": ("a list", "列表"),
    "changes": ("changes something", "有更改作用"),
    "takes": ("takes {what}", "参数 {what}"),
    "used": ("used in {n} of {of} runs", "{of} 次记录中使用 {n} 次"),
    "used_well": ("used in {n} of {of} runs that ended well", "{of} 次成功记录中使用 {n} 次"),
    "optional": ("optional", "可选"),
    "such_as": ("such as {what}", "例如 {what}"),
    "list_of": ("a list of {what}", "由 {what} 组成的列表"),
    "object_of": ("an object of {what}", "由 {what} 组成的对象"),
    "excess": (
        "{tool} was called in {n} of {of} similar runs that failed and in {m} of {of_m} that ended well.",
        "{tool} 在 {of} 次失败的相似记录中调用了 {n} 次，在 {of_m} 次成功记录中调用了 {m} 次。",
    ),
    "ways": (
        "{good} of {all} other runs with similar requests ended well: {ways}.",
        "相似请求的其他 {all} 次记录中有 {good} 次成功：{ways}。",
    ),
    "way_edits": ("that only changed files", "仅修改文件"),
    "way_of": ("{n} of {of} {way}", "{way} {of} 次中 {n} 次"),
    "way_of_one_well": ("one case {way} (it did)", "{way} 一例（成功）"),
    "way_of_one_ill": ("one case {way} (it did not)", "{way} 一例（未成功）"),
    "way_changed_nothing": ("that changed nothing", "不做更改"),
    "way_tools": ("with {tools}", "用 {tools}"),
    "ways_other": ("in other ways", "其他做法"),
    "way_other": ("in another way", "其他做法"),
    "plus": (" plus ", " 加 "),
    "missing": (
        "Call {tool}: {n} of {of} failed runs whose request was nearly that of a run that ended well did not.",
        "要调用 {tool}：在 {of} 次失败且请求与某次成功几乎相同的记录中，有 {n} 次没有调用。",
    ),
    "error": (
        "{tool} was called and failed in {n} of {of} failed runs whose request was nearly that of a run that ended "
        "well.",
        "在 {of} 次失败且请求与某次成功几乎相同的记录中，有 {n} 次调用 {tool} 但出错。",
    ),
    "fewer": (
        "{tool} was called fewer times than in the nearest run that ended well in {n} of {of} failed runs with nearly "
        "the same request.",
        "在 {of} 次请求几乎相同的失败记录中，有 {n} 次调用 {tool} 的次数少于最相近的成功记录。",
    ),
    "more": (
        "{tool} was called more times than in the nearest run that ended well in {n} of {of} failed runs with nearly "
        "the same request.",
        "在 {of} 次请求几乎相同的失败记录中，有 {n} 次调用 {tool} 的次数多于最相近的成功记录。",
    ),
    "value": (
        "{path} of {tool} was {good}; {n} of {of} failed runs with nearly the same request sent {bad}.",
        "{tool} 的 {path} 应为 {good}；{of} 次请求几乎相同的失败记录中有 {n} 次是 {bad}。",
    ),
    "entity": (
        "{tool} was called with another {path} than in the nearest run that ended well in {n} of {of} failed runs "
        "with nearly the same request: check which one is meant.",
        "在 {of} 次请求几乎相同的失败记录中，有 {n} 次 {tool} 的 {path} 与最相近的成功记录不同：请确认是哪一个。",
    ),
    "acted_on": (
        "{tool} was called for a record with {fact} in {n} of {of} runs that failed and in {m} of {of_m} that ended "
        "well.",
        "{tool} 用于 {fact} 的记录：失败 {of} 次中有 {n} 次，成功 {of_m} 次中有 {m} 次。",
    ),
    "other_value": (
        "With {fact} {tool} is what ended well (cases: {n}).",
        "{fact} 时成功的是 {tool}（{n} 例）。",
    ),
    "showed": (
        "{tool} showed {fact} in {n} of {of} runs that ended well and in {m} of {of_m} others.",
        "{tool} 显示 {fact}：成功 {of} 次中有 {n} 次，其他 {of_m} 次中有 {m} 次。",
    ),
    "partly": (
        "Runs that ended well and did only this: {n}; it was a part of more in: {m}. The steps show both.",
        "仅做此事的成功记录：{n} 次；作为其中一部分的成功记录：{m} 次。步骤兼取两者。",
    ),
    "failure": ("{tool} returned {text} (runs: {n}, ended well: {m})", "{tool} 返回{text}（记录 {n} 次，成功 {m} 次）"),
    "fallback": (
        "After {text} from {tool}: {did} ({n} of {of} runs that ended well)",
        "{tool} 返回{text}之后：{did}（{of} 次成功记录中有 {n} 次）",
    ),
    "an_error": ("an error", "错误"),
    "no_further": ("made no further call", "没有再调用工具"),
    "pushed": ("pushed with {commands}", "用 {commands} 推送"),
    "push_apart": (
        "Push one after the other: several refs in one push were refused in {n} of {of} runs that tried it.",
        "请逐个推送：{of} 次尝试一次推送多个引用的记录中，有 {n} 次被拒绝。",
    ),
    "pushes": ("It pushes {refs}.", "推送 {refs}。"),
    "pushes_with": ("It pushes {refs}; its commit says {messages}.", "推送 {refs}，提交信息含 {messages}。"),
    "asked_then": ("asked the user, then ", "先询问用户，再"),
    "called": ("called {tool}", "调用 {tool}"),
    "went_on": ("went on to {tool} without it", "直接继续 {tool}"),
    "again": (" and tried again", "，然后重试"),
    "same_again": ("tried the same call again", "以同样的参数重试"),
    "other_form": ("called it in another way", "换用其他方式调用"),
    "edited_again": ("changed files and tried again", "修改文件后重试"),
    "other_again": ("tried again with another {what}", "换用其他 {what} 重试"),
}


class Phrases:
    """Sentence templates in one language."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def __call__(self, key: str, **values: object) -> str:
        """Return the sentence of this key with the values filled in."""
        return _SENTENCES[key][self.language == "zh"].format(**values)

    def join(self, parts: list[str], word: Literal["and", "or"] = "and") -> str:
        """Join parts as a list: a, b and c."""
        if self.language == "zh":
            return ("、" if word == "and" else "或").join(parts)
        return joined(parts, word)

    def times(self, n: int) -> str:
        """Return a count as words: once, twice, 3 times."""
        if self.language == "zh":
            return str(n)
        return {1: "once", 2: "twice"}.get(n, f"{n} times")


def phrases(scope: Scope) -> Phrases:
    """Return the templates in the language of most requests."""
    openings = [run.opening for run in scope.examples if run.opening]
    chinese = sum(1 for text in openings if is_chinese(text))
    return Phrases("zh" if openings and chinese * 2 > len(openings) else "en")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern that matches the sentence in either language, with any values."""
    forms = (re.sub(r"\\\{\w+\\\}", ".*", re.escape(form.strip())) for form in _SENTENCES[name])
    return re.compile("|".join(forms), re.DOTALL)


def is_one_of(line: str, names: Iterable[str]) -> bool:
    """Return whether a line of a skill was made from one of these sentences."""
    return any(_pattern(name).fullmatch(line.strip()) for name in names)
