"""Sentences in English or Chinese about the source of an argument."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from consolidation.learning.effects.toolnames import code
from consolidation.learning.facts.argument_calls import INSTRUCTIONS, MESSAGE, NOWHERE
from consolidation.learning.facts.shown_records import ARROW
from consolidation.learning.wording import Language

_WORDS: dict[str, tuple[str, str]] = {
    "whole": ("{argument} of {tool} {parts}.", "{tool} 的 {argument} {parts}。"),
    "comes": ("comes from {place} ({n} of {of} cases that ended well)", "取自{place}（{of} 个成功案例中 {n} 个）"),
    "failed": ("taken from {place} it failed ({n} of {of})", "取自{place}则失败（{of} 个案例中 {n} 个）"),
    "failed_nowhere": (
        "a value that nothing had shown before failed ({n} of {of})",
        "此前从未出现过的值则失败（{of} 个案例中 {n} 个）",
    ),
    "left": (
        "does not come from {place} any more ({n} of the last {n} cases that ended well; it did in {m} of {of} before)",
        "不再取自{place}（最近 {n} 个成功案例均如此；此前 {of} 个中 {m} 个取自那里）",
    ),
    "broken": (
        "taken from {place} returns errors now ({n} of the last {n} cases; it worked in {m} of {of} before)",
        "取自{place}现在报错（最近 {n} 个案例均如此；此前 {of} 个中 {m} 个可行）",
    ),
    "works": (
        "taken from {place} ends well now ({n} of the last {n} cases; it failed in {m} of {of} before)",
        "取自{place}现在可行（最近 {n} 个案例均如此；此前 {of} 个中 {m} 个失败）",
    ),
    "works_nowhere": (
        "with a value that nothing had shown before ends well now ({n} of the last {n} cases; it failed in {m} of {of} "
        "before)",
        "用此前从未出现过的值现在可行（最近 {n} 个案例均如此；此前 {of} 个中 {m} 个失败）",
    ),
    "another_field": ("another field of {tool}", " {tool} 的其他字段"),
    MESSAGE: ("the user's words", "用户的话"),
    INSTRUCTIONS: ("the instructions", "指令"),
}


@dataclass(frozen=True)
class Streak:
    """The `latest` cases in a row differ from `before` of the `of_before` earlier ones."""

    latest: int
    before: int
    of_before: int


@dataclass(frozen=True)
class ArgumentWords:
    """Phrases in one language. `may_spell`: whether the field of a place may be shown, or only its tool."""

    language: Language
    may_spell: Callable[[str], bool]

    def sentence(self, tool: str, argument: str, parts: Sequence[str]) -> str:
        """Return the sentence about an argument of a tool, made from clauses."""
        clauses = ("；" if self.language == "zh" else "; ").join(parts)
        return self._format("whole", tool=code(tool), argument=code(argument), parts=clauses).replace(" （", "（")

    def source_clause(self, place: str, n: int, of: int) -> str:
        """Return the clause about the right source, in `n` of `of` cases."""
        return self._format("comes", place=self._place(place), n=n, of=of)

    def failure_clause(self, place: str, n: int, of: int, right: str) -> str:
        """Return the clause about a source that failed in `n` of `of` cases; `right`: the right one."""
        words, tool = self._place(place), code(place.partition(ARROW)[0])
        if words.strip() == tool == code(right.partition(ARROW)[0]):
            words = self._format("another_field", tool=tool)
        return self._format(_phrase_key("failed", place), place=words, n=n, of=of)

    def change_clause(self, phrase: str, place: str, streak: Streak) -> str:
        """Return the clause about a claim that the latest cases contradict. `phrase`: left, broken or works."""
        counts = {"n": streak.latest, "m": streak.before, "of": streak.of_before}
        return self._format(_phrase_key(phrase, place), place=self._place(place), **counts)

    def _place(self, place: str) -> str:
        if place == NOWHERE:
            return ""
        if place in _WORDS:
            return self._format(place)
        tool, _, path = place.partition(ARROW)
        place_words = f"{code(tool)}{ARROW}{code(path)}" if path.strip("[].*") and self.may_spell(place) else code(tool)
        return f" {place_words} " if self.language == "zh" else place_words

    def _format(self, key: str, **values: object) -> str:
        return _WORDS[key][self.language == "zh"].format(**values)


def _phrase_key(phrase: str, place: str) -> str:
    return f"{phrase}_nowhere" if place == NOWHERE else phrase
