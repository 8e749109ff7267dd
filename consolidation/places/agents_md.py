"""What is known of a place as text: the file AGENTS.md, and a block for a prompt. English, or Chinese where most
requests are. Nothing in it comes from a run's own words but forms of commands and what people or agents had reviewed.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby

from consolidation.learning.effects.toolnames import code
from consolidation.learning.facts.startups import StartupWords
from consolidation.learning.wording import joined
from consolidation.places.knowledge import PlaceCommand, PlaceKnowledge
from consolidation.places.known_places import BUILD, CHECKS, SET_UP, SHOWN_PURPOSES
from memories.models import Memory
from memories.scanning.masked_answers import masked
from memories.search.context.rendering import in_one_line

MOST_IN_BLOCK = 3  # lines of each kind
HEADINGS = {
    "tests": ("Tests", "测试"),
    **dict.fromkeys(BUILD, ("Build", "构建")),
    **dict.fromkeys(CHECKS, ("Checks", "检查")),
    **dict.fromkeys(SET_UP, ("Set-up", "环境准备")),
    "": ("Does not start here", "在这里无法启动"),
    "said": ("What is known about it", "已知情况"),
}


def agents_md(knowledge: PlaceKnowledge, *, title: str = "") -> str:
    """AGENTS.md of a place. `title`: where it has no name."""
    zh = knowledge.language == "zh"
    name = knowledge.name or title
    parts = [f"# {name}" if name else "# AGENTS.md", _introduction(knowledge, zh)]
    for purpose in [listed_purpose for listed_purpose in SHOWN_PURPOSES if listed_purpose not in CHECKS[1:]]:
        lines = [_starts(command, knowledge) for command in knowledge.starting if _section(command.purpose) == purpose]
        parts += [_part(purpose, lines, zh)] if lines else []
    if knowledge.failing:
        parts.append(_part("", _fail(knowledge, knowledge.failing), zh))
    if knowledge.memories:
        parts.append(_part("said", map(_said, knowledge.memories), zh))
    return "\n\n".join(parts) + "\n"


def block(knowledge: PlaceKnowledge) -> str:
    """The few lines for a prompt; '' where nothing is known."""
    lines = [_starts(command, knowledge) for command in knowledge.starting[:MOST_IN_BLOCK]]
    lines += _fail(knowledge, knowledge.failing[: 2 * MOST_IN_BLOCK])
    zh = knowledge.language == "zh"
    heading = f"## {knowledge.name} 中的命令" if zh else f"## Commands in {knowledge.name}"
    return "\n".join([heading, *(f"- {line}" for line in lines)]) if lines else ""


def _introduction(knowledge: PlaceKnowledge, zh: bool) -> str:
    if knowledge.last_at is None:
        return "没有已知的命令。" if zh else "No commands are known here yet."
    day = f"{knowledge.last_at:%Y-%m-%d}"
    if zh:
        sentence = f"由 {knowledge.runs} 次记录的智能体运行统计得出（最近一次 {day}）。"
        return f"{sentence}每次运行只算第一次调用；测试失败也算已启动。"
    sentence = f"Counted from {knowledge.runs} recorded runs of agents, the last on {day}."
    return f"{sentence} A command counts once a run, when it is first called; tests that fail have started."


def _section(purpose: str) -> str:
    return CHECKS[0] if purpose in CHECKS else purpose


def _part(name: str, lines: Iterable[str], zh: bool) -> str:
    return "\n".join([f"## {HEADINGS[name][zh]}", "", *(f"- {line}" for line in lines)])


def _starts(command: PlaceCommand, knowledge: PlaceKnowledge) -> str:
    zh = knowledge.language == "zh"
    clause = StartupWords(knowledge.language).clause([command], starts=True, first=True)
    if not command.usual:
        return clause
    return (
        f"{clause}，通常这样调用：{code(command.usual)}" if zh else f"{clause}, usually called as {code(command.usual)}"
    )


def _fail(knowledge: PlaceKnowledge, commands: Iterable[PlaceCommand]) -> Iterator[str]:
    """One line for the commands of each purpose, with what starts in their place."""
    zh = knowledge.language == "zh"
    words = StartupWords(knowledge.language)
    for _, alike in groupby(commands, key=lambda command: command.purpose):
        group = list(alike)
        clause = words.clause(group, starts=False, first=True)
        instead = [code(form) for form in knowledge.instead_of(group[0])]
        if instead:
            clause += f"；请用 {'、'.join(instead)}" if zh else f": use {joined(instead, 'or')}"
        yield clause


def _said(memory: Memory) -> str:
    return masked(in_one_line(memory.content))
