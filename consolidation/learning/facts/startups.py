"""What the counts say of the commands of one purpose in one place, and the sentence about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from consolidation.learning.commands.purposes import ALONE
from consolidation.learning.effects.command_starts import Form, Tally
from consolidation.learning.effects.toolnames import code
from consolidation.learning.wording import Language, joined

MOST_STARTING, MOST_FAILING = 2, 4


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
            clauses = [f"{code(form.form)}（{form.runs} 次中 {form.started} 次）" for form in forms]
            return f"{'、'.join(clauses)}{'可以启动' if starts else '无法启动'}"
        is_single = len(forms) == 1
        verb = ("starts" if is_single else "start") if starts else ("does not" if is_single else "do not")
        verb += " start" if first and not starts else ""
        counts = [f"{form.started} of {form.runs}" for form in forms]
        counts[0] += " runs" if first else ""
        if is_single:
            return f"{code(forms[0].form)} {verb} ({counts[0]})"
        clauses = [f"{code(form.form)} ({count})" for form, count in zip(forms, counts, strict=True)]
        return f"{joined(clauses)} {verb}"

    def turned(self, form: Form, started: bool) -> str:
        """Return the clause about a form whose latest runs contradict `started`."""
        n, of = (form.started if started else form.started - form.latest), form.runs - form.latest
        now = 0 if started else form.latest
        if self.language == "zh":
            verb = "现在无法启动" if started else "现在可以启动"
            return f"{code(form.form)} {verb}（最近 {form.latest} 次中 {now} 次，此前 {of} 次中 {n} 次）"
        verb = "does not start any more" if started else "starts now"
        return f"{code(form.form)} {verb} ({now} of the last {form.latest} runs, {n} of {of} before)"


@dataclass(frozen=True)
class Startups:
    """Counts of the commands of one purpose in one place, by form."""

    place: str
    purpose: str
    tallies: Mapping[str, Tally]

    def claims(self) -> dict[str, bool]:
        """Return form -> whether it starts, of the forms worth stating.

        Forms that start are stated together with forms that do not; alone only for the purposes in ALONE.
        """
        order = sorted(self.tallies.values(), key=lambda one: (-one.runs, one.form))
        starting = [startup.form for startup in order if startup.starts is True][:MOST_STARTING]
        failing = [startup.form for startup in order if startup.starts is False][:MOST_FAILING]
        if not failing and self.purpose not in ALONE:
            return {}
        return dict.fromkeys(starting, True) | dict.fromkeys(failing, False)

    def still(self, said: Mapping[str, bool]) -> dict[str, bool]:
        """Return the stated claims that most runs still support, with the present ones.

        A single contrary run changes a count and takes no claim back.
        """
        kept = {form: starts for form, starts in said.items() if self.tallies[form].mostly(starts)}
        return {**kept, **self.claims()} or dict(said)

    def turned(self, said: Mapping[str, bool]) -> bool:
        """Return whether the latest runs contradict a stated claim."""
        return any(self.tallies[form].has_turned(starts) for form, starts in said.items())

    def sentence(self, said: Mapping[str, bool], language: Language) -> str:
        """Return the sentence, e.g. "In sympy `bin/test` starts (74 of 74 runs)", with the present counts."""
        turned = {form for form, starts in said.items() if self.tallies[form].has_turned(starts)}
        words = StartupWords(language)
        parts = [words.turned(self.tallies[form], said[form]) for form in said if form in turned]
        for starts in (True, False):
            forms = [self.tallies[form] for form in said if said[form] == starts and form not in turned]
            if forms:
                parts.append(words.clause(forms, starts, first=not parts))
        return words.whole(self.place, parts)
