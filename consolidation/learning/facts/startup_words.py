"""Sentences in English or Chinese about which commands start."""

from collections.abc import Sequence
from dataclasses import dataclass

from consolidation.learning.effects.toolnames import code
from consolidation.learning.facts.findings import Language
from consolidation.learning.wording import joined


@dataclass(frozen=True)
class Form:
    """A form of a command: it started in `started` of `runs`; the `latest` runs in a row ended alike."""

    form: str
    runs: int
    started: int
    latest: int


@dataclass(frozen=True)
class StartupWords:
    """Phrases about starting commands in one language."""

    language: Language

    def whole(self, place: str, parts: Sequence[str]) -> str:
        """Return the sentence about a place, made from clauses."""
        if self.language == "zh":
            return f"{f'在 {place} 中' if place else '这些记录中'} {'；'.join(parts)}。"
        return f"In {place or 'these runs'} {'; '.join(parts)}."

    def clause(self, forms: Sequence[Form], starts: bool, *, first: bool) -> str:
        """Return the clause about forms that start, or that do not. `first`: it says what is counted."""
        if self.language == "zh":
            told = [f"{code(form.form)}（{form.runs} 次中 {form.started} 次）" for form in forms]
            return f"{'、'.join(told)}{'可以启动' if starts else '无法启动'}"
        one = len(forms) == 1
        verb = ("starts" if one else "start") if starts else ("does not" if one else "do not")
        verb += " start" if first and not starts else ""
        counts = [f"{form.started} of {form.runs}" for form in forms]
        counts[0] += " runs" if first else ""
        if one:
            return f"{code(forms[0].form)} {verb} ({counts[0]})"
        told = [f"{code(form.form)} ({count})" for form, count in zip(forms, counts, strict=True)]
        return f"{joined(told)} {verb}"

    def turned(self, one: Form, started: bool) -> str:
        """Return the clause about a form whose latest runs contradict `started`."""
        n, of = (one.started if started else one.started - one.latest), one.runs - one.latest
        now = 0 if started else one.latest
        if self.language == "zh":
            verb = "现在无法启动" if started else "现在可以启动"
            return f"{code(one.form)} {verb}（最近 {one.latest} 次中 {now} 次，此前 {of} 次中 {n} 次）"
        verb = "does not start any more" if started else "starts now"
        return f"{code(one.form)} {verb} ({now} of the last {one.latest} runs, {n} of {of} before)"
