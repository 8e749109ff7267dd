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

    def sentence(self, place: str, parts: Sequence[str]) -> str:
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

    def change_clause(self, form: Form, has_started: bool) -> str:
        """Return the clause about a form whose latest runs contradict `started`."""
        n, of = (form.started if has_started else form.started - form.latest), form.runs - form.latest
        now = 0 if has_started else form.latest
        if self.language == "zh":
            verb = "现在无法启动" if has_started else "现在可以启动"
            return f"{code(form.form)} {verb}（最近 {form.latest} 次中 {now} 次，此前 {of} 次中 {n} 次）"
        verb = "does not start any more" if has_started else "starts now"
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
        order = sorted(self.tallies.values(), key=lambda tally: (-tally.runs, tally.form))
        starting = [tally.form for tally in order if tally.starts is True][:MOST_STARTING]
        failing = [tally.form for tally in order if tally.starts is False][:MOST_FAILING]
        if not failing and self.purpose not in ALONE:
            return {}
        return dict.fromkeys(starting, True) | dict.fromkeys(failing, False)

    def supported_claims(self, claims: Mapping[str, bool]) -> dict[str, bool]:
        """Return the stated claims that most runs still support, with the present ones.

        A single contrary run changes a count and takes no claim back.
        """
        kept_claims = {form: starts for form, starts in claims.items() if self.tallies[form].mostly(starts)}
        return {**kept_claims, **self.claims()} or dict(claims)

    def is_contradicted(self, claims: Mapping[str, bool]) -> bool:
        """Return whether the latest runs contradict a stated claim."""
        return any(self.tallies[form].has_turned(starts) for form, starts in claims.items())

    def sentence(self, claims: Mapping[str, bool], language: Language) -> str:
        """Return the sentence, e.g. "In sympy `bin/test` starts (74 of 74 runs)", with the present counts."""
        changed_forms = {form for form, starts in claims.items() if self.tallies[form].has_turned(starts)}
        words = StartupWords(language)
        parts = [words.change_clause(self.tallies[form], claims[form]) for form in claims if form in changed_forms]
        for starts in (True, False):
            forms = [self.tallies[form] for form in claims if claims[form] == starts and form not in changed_forms]
            if forms:
                parts.append(words.clause(forms, starts, first=not parts))
        return words.sentence(self.place, parts)
