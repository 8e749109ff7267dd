"""Title, slug and description of a learned skill."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from hashlib import sha256
from itertools import groupby

from consolidation.learning.commands import git
from consolidation.learning.commands.requests import is_of_service
from consolidation.learning.comparison.contrast import Way
from consolidation.learning.comparison.records import Condition
from consolidation.learning.effects.effects import is_edit
from consolidation.learning.effects.toolnames import code, phrase, words
from consolidation.learning.runs.harness_tools import FILE_CHANGES
from consolidation.learning.runs.operations import workbook
from consolidation.learning.runs.privacy import Holders, may_tell_of_somebody
from consolidation.learning.runs.terms import grams, stem
from consolidation.learning.wording import cut, upper_first
from consolidation.learning.writing.git_work import GitWork
from consolidation.learning.writing.learned import PatternFindings
from consolidation.learning.writing.phrases import Phrases
from consolidation.learning.writing.recipe import Stage

LONGEST_SLUG = 64
LONGEST_TITLE = 100
LONGEST_DESCRIPTION = 1_024
MOST_ACTS = 4
MOST_TERMS = 4
USUALLY = 0.8  # share of the runs that began with the same order
LEAST_RUNS, CLEARLY = 3, 0.25  # of each of two ways, and what is between their shares of success
_ARTICLES = {"a", "an", "the"}
_LEAST_TELLING = {"rm", "python", "cat >", "git add"}


def title(findings: PatternFindings, taken: Collection[str]) -> str:
    """Build the title of a skill from its steps, e.g. "Cancel a reservation".

    At most LONGEST_TITLE characters. When the slug of the short title is in `taken`, up to MOST_ACTS required effects
    are named.
    """
    say, acts = findings.say, findings.acts
    if tools := _run_beside_changes(findings):
        long_title = cut(upper_first(say("change_and_run", tools=say.join(tools))), LONGEST_TITLE)
        if slug(long_title, "", ()) not in taken:
            return long_title
    short_title = cut(upper_first(_joined_phrases(acts, say)) if acts else say("no_action"), LONGEST_TITLE)
    if not acts or slug(short_title, "", ()) not in taken:
        return short_title
    more_acts = [stage for stage in findings.steps if stage.changes and not stage.optional and stage not in acts]
    rare = [stage for stage in more_acts if stage.tool not in _LEAST_TELLING] or more_acts
    return cut(upper_first(_joined_phrases([*acts, *rare][:MOST_ACTS], say)), LONGEST_TITLE)


def _run_beside_changes(findings: PatternFindings) -> list[str]:
    """Return the commands run besides changes of files, without those that do not start in this place; none of work on
    services, which is named after what is done with these."""
    work = None if all(map(is_of_service, findings.effects)) else findings.work
    if not work or not (work.changing or any(stage.tool in FILE_CHANGES for stage in findings.steps)):
        return []
    idle_tools = FILE_CHANGES.union(startup.form for startup in work.failing)
    return [stage.tool for stage in findings.acts if stage.tool not in idle_tools and not is_edit(stage.tool)]


def _joined_phrases(acts: Sequence[Stage], say: Phrases) -> str:
    """Join the phrases of steps; a repeated verb and workbook are written once: update Staff and Changes of
    people.xlsx, and run go build and lint."""
    if say.language == "zh":
        return say.join([stage.tool if not stage.tool.isascii() else phrase(stage.tool, article="") for stage in acts])
    first_acts = acts[:MOST_ACTS]
    by_verb = [
        (verb, [rest for _, rest in row]) for verb, row in groupby(_phrases(first_acts), key=lambda pair: pair[0])
    ]
    parts = [f"{verb} {say.join(rests)}".strip() for verb, rests in by_verb]
    if len(parts) < 2 or all(len(rests) < 2 for _, rests in by_verb):
        return say.join(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"


def _phrases(acts: Sequence[Stage]) -> Iterator[tuple[str, str]]:
    """Yield (verb, the rest) of each step; of sheets in a row of one workbook the last names it."""
    books = [workbook(stage.tool) for stage in acts]
    for stage, book, following in zip(acts, books, [*books[1:], ""], strict=True):
        verb, _, rest = (phrase(stage.tool, article="a") if stage.speaks else f"run {stage.tool}").partition(" ")
        yield verb, f"{rest} of {book}" if book and book != following else rest


def slug(text: str, signature: str, taken: Collection[str]) -> str:
    """Convert a title to a unique slug of `[a-z0-9-]`, at most 64 characters.

    Chinese is transliterated to pinyin; a slug in `taken` gets a number; without a usable word it is made of a digest
    of `signature`.
    """
    latin = text.lower() if text.isascii() else _transliterated(text.lower())
    plain = unicodedata.normalize("NFKD", latin).encode("ascii", "ignore").decode()
    parts = [part for part in re.split(r"[^a-z0-9]+", plain) if part and part not in _ARTICLES]
    base = _shortened(parts, LONGEST_SLUG) or f"skill-{sha256(signature.encode()).hexdigest()[:10]}"
    numbered_names = (
        f"{_shortened(base.split('-'), LONGEST_SLUG - 1 - len(str(n)))}-{n}" for n in range(2, len(taken) + 3)
    )
    return next(name for name in (base, *numbered_names) if name not in taken)


def _transliterated(text: str) -> str:
    from pypinyin import lazy_pinyin  # imported here: its phrases take 56 MB, of which no process without Chinese knows

    return " ".join(lazy_pinyin(text, errors=lambda rest: rest))


def _shortened(parts: Sequence[str], most: int) -> str:
    """Join parts with hyphens up to `most` characters, whole words only."""
    text = ""
    for part in parts:
        longer = f"{text}-{part}" if text else part[:most]
        if len(longer) > most:
            break
        text = longer
    return text


def description(skill_title: str, findings: PatternFindings) -> str:
    """Build a skill's description of at most LONGEST_DESCRIPTION characters: what it does, when to use it, when not."""
    say = findings.say
    stop = "。" if say.language == "zh" else "."
    parts = [
        f"{skill_title}{stop}",
        _push_sentence(findings),
        _use_when(findings),
        _not_when(findings),
        _other_way(findings),
    ]
    return cut(("" if say.language == "zh" else " ").join(part for part in parts if part), LONGEST_DESCRIPTION)


def _push_sentence(findings: PatternFindings) -> str:
    """Return the sentence about the pushed refs and the commit messages; '' where nothing is pushed."""
    say, work = findings.say, GitWork(findings.scope)
    if git.PUSH not in findings.effects or not (refs := work.pushed_refs()):
        return ""
    messages = say.join([code(line) for line in work.message() if line])
    return say("pushes_with" if messages else "pushes", refs=say.join([code(ref) for ref in refs]), messages=messages)


def _use_when(findings: PatternFindings) -> str:
    """Build the sentence about when to use a skill; '' where nothing is known about it."""
    say, acts, facts = findings.say, findings.acts, _sign_facts(findings)
    terms, places = [term.written for term in findings.terms[:MOST_TERMS]], list(map(code, findings.places))
    asks = say("mentions", terms=say.join(terms, "or")) if terms else ""
    if (order := _order(findings)) and not terms:
        asks = say("order", order=order)
    shows = say("shows", facts=say.join(facts)) if facts else ""
    works = say("works_on", places=say.join(places, "or")) if places else ""
    if shows and acts and not (works or asks):
        asks = say("asked_to", acts=_joined_phrases(acts, say))  # what records show tells nothing of the wish
    when = say("and").join(part for part in (works, asks, shows) if part)
    if when:
        return say("use_when", when=when)
    return say("use_asked", acts=_joined_phrases(acts, say)) if acts else ""


def _order(findings: PatternFindings) -> str:
    """Return the order with which nearly all runs began word for word, as those of a schedule do; '' for none."""
    runs = findings.scope.successes
    orders = Holders(({" ".join(run.user_messages[0].text.split())}, run.thread) for run in runs if run.user_messages)
    order = next((order for order, _ in orders.common_values(USUALLY * len(runs))), "").rstrip(".。!！")
    is_told = grams(order) and findings.scope.names_nobody(order) and not may_tell_of_somebody(order)
    return order if is_told else ""


def separates(findings: PatternFindings) -> bool:
    """Return whether more than the words of its name tells when to use the skill."""
    name_stems = {stem(word) for stage in findings.acts for word in words(stage.tool)}
    terms = [{stem(word) for word in term.written.lower().split()} for term in findings.terms[:MOST_TERMS]]
    terms.append({word for key in grams(_order(findings)) for word in key.split()})
    has_distinction = _worse_way(findings) or findings.places or _sign_facts(findings)
    return bool(has_distinction or any(not term <= name_stems for term in terms))


def _other_way(findings: PatternFindings) -> str:
    """Of requests that are handled in another way too, which ends well less often: that way, with both counts."""
    say, worse, (n, of) = findings.say, _worse_way(findings), _success_counts(findings)
    if worse is None:
        return ""
    tools = say("plus").join([code(tool) for tool in worse.tools])
    return say("other_way", n=n, of=of, m=worse.successes, of_m=worse.runs, tools=tools)


def _worse_way(findings: PatternFindings) -> Way | None:
    """The most frequent other way for the same requests, where it ended well clearly less often."""
    n, of = _success_counts(findings)
    other_ways = [way for way in findings.contrast.ways if way.tools and not findings.effects & set(way.tools)]
    worse = [way for way in other_ways if way.runs >= LEAST_RUNS <= of and n / of - way.successes / way.runs >= CLEARLY]
    return max(worse, key=lambda way: way.runs, default=None)


def _success_counts(findings: PatternFindings) -> tuple[int, int]:
    """Return (successes, runs) of the pattern."""
    return len(findings.scope.successes), len(findings.scope.successes) + len(findings.scope.failures)


def _sign_facts(findings: PatternFindings) -> list[str]:
    """Return the signs as text; without effects and terms only those that no record of another pattern has."""
    has_more = bool(findings.acts or findings.terms)
    return _conditions([sign for sign in findings.signs if sign.of >= 4 and (has_more or not sign.others)])


def _conditions(signs: Sequence[Condition]) -> list[str]:
    """Return up to two conditions as text; a field with another value for another effect is left out."""
    values: dict[tuple[str, str], set[str]] = {}
    for sign in signs:
        values.setdefault((sign.tool, sign.field), set()).add(sign.value)
    facts = [
        f"{code(field)} {min(field_values)}" for (_, field), field_values in values.items() if len(field_values) == 1
    ]
    return facts[:2]


def _not_when(findings: PatternFindings) -> str:
    """Return the condition under which the skill is wrong, and nothing of other tools.

    A description is what requests are compared with: the names of other skills' tools would find this one instead.
    """
    other = findings.other_value
    if findings.places or not other:
        return ""  # words of an issue report do not tell which commands to run
    return findings.say("not_value", fact=f"{code(other.field)} {other.value}")
