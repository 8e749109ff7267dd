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
    "said": ("Known about it", "已知情况"),
}


def agents_md(known: PlaceKnowledge, *, title: str = "") -> str:
    """AGENTS.md of a place. `title`: where it has no name."""
    zh = known.language == "zh"
    name = known.name or title
    parts = [f"# {name}" if name else "# AGENTS.md", _introduction(known, zh)]
    for purpose in [one for one in SHOWN_PURPOSES if one not in CHECKS[1:]]:
        lines = [_starts(command, known) for command in known.starting if _section(command.purpose) == purpose]
        parts += [_part(purpose, lines, zh)] if lines else []
    if known.failing:
        parts.append(_part("", _fail(known, known.failing), zh))
    if known.memories:
        parts.append(_part("said", map(_said, known.memories), zh))
    return "\n\n".join(parts) + "\n"


def block(known: PlaceKnowledge) -> str:
    """The few lines for a prompt; '' where nothing is known."""
    lines = [_starts(command, known) for command in known.starting[:MOST_IN_BLOCK]]
    lines += _fail(known, known.failing[: 2 * MOST_IN_BLOCK])
    zh = known.language == "zh"
    heading = f"## {known.name} 中的命令" if zh else f"## Commands in {known.name}"
    return "\n".join([heading, *(f"- {line}" for line in lines)]) if lines else ""


def _introduction(known: PlaceKnowledge, zh: bool) -> str:
    if known.last_at is None:
        return "没有已知的命令。" if zh else "No command is known to start here, or not to."
    day = f"{known.last_at:%Y-%m-%d}"
    if zh:
        counted = f"由 {known.runs} 次记录的智能体运行统计得出（最近一次 {day}）。"
        return f"{counted}每次运行只算第一次调用；测试失败也算已启动。"
    counted = f"Counted from {known.runs} recorded runs of agents, the last on {day}."
    return f"{counted} A command counts once a run, when it is first called; tests that fail have started."


def _section(purpose: str) -> str:
    return CHECKS[0] if purpose in CHECKS else purpose


def _part(name: str, lines: Iterable[str], zh: bool) -> str:
    return "\n".join([f"## {HEADINGS[name][zh]}", "", *(f"- {line}" for line in lines)])


def _starts(command: PlaceCommand, known: PlaceKnowledge) -> str:
    zh = known.language == "zh"
    clause = StartupWords(known.language).clause([command], starts=True, first=True)
    if not command.usual:
        return clause
    return (
        f"{clause}，通常这样调用：{code(command.usual)}" if zh else f"{clause}, usually called as {code(command.usual)}"
    )


def _fail(known: PlaceKnowledge, commands: Iterable[PlaceCommand]) -> Iterator[str]:
    """One line for the commands of each purpose, with what starts in their place."""
    zh = known.language == "zh"
    words = StartupWords(known.language)
    for _, alike in groupby(commands, key=lambda one: one.purpose):
        group = list(alike)
        clause = words.clause(group, starts=False, first=True)
        instead = [code(form) for form in known.instead_of(group[0])]
        if instead:
            clause += f"；请用 {'、'.join(instead)}" if zh else f": use {joined(instead, 'or')}"
        yield clause


def _said(memory: Memory) -> str:
    return masked(in_one_line(memory.content))
