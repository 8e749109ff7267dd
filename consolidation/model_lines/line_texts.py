"""The words of a kept line as a skill says it: who wrote it, from how many cases, and what was counted."""

import re

from consolidation.learning.facts.findings import Language
from consolidation.model_lines.line_answers import ModelLine
from consolidation.model_lines.line_losses import Effect
from skills import markdown

WHEN = re.compile(r"^(?:(?:when|if)\b|当|如果)[ ,:：，]*|(?<=.)时$", re.IGNORECASE)
DO = re.compile(r"^do\b(?! not)\s*", re.IGNORECASE)
DO_NOT = re.compile(r"^(?:(?:do not|don't|never)\b|不要)\s*", re.IGNORECASE)
LINE = {
    "en": ("When {when}, do {what}", "When {when}, do not {what}"),
    "zh": ("当{when}时，要{what}", "当{when}时，不要{what}"),
}
RECORD = {
    "en": " (written by a language model; cases: {cases}; other runs that it concerns: {concerned}, "
    "did otherwise and failed: {gained}, did otherwise and ended well: {lost})",
    "zh": "（由语言模型写成；案例：{cases}；相关的其他运行：{concerned}，未照做失败：{gained}，未照做成功：{lost}）",
}


def sentence(line: ModelLine, language: Language) -> str:
    """The line without its record."""
    when, what = (markdown.one_line(text).strip().rstrip(".。") for text in (line.when, line.what))
    verb, form = (DO, 0) if line.do else (DO_NOT, 1)
    return LINE[language][form].format(when=WHEN.sub("", when), what=verb.sub("", what))


def is_contradictory(line: ModelLine) -> bool:
    """Whether it says do and do not at once."""
    return line.do and bool(DO_NOT.match(line.what.strip()))


def written(line: ModelLine, effect: Effect, *, cases: int, language: Language) -> str:
    counts = {"concerned": effect.concerned, "gained": effect.gained, "lost": effect.lost}
    return sentence(line, language) + RECORD[language].format(cases=cases, **counts)
