"""Title, slug and description of a learned skill."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from hashlib import sha256

from consolidation.learning.commands import git
from consolidation.learning.commands.requests import is_of_service
from consolidation.learning.comparison.contrast import Way
from consolidation.learning.comparison.records import Condition
from consolidation.learning.effects.effects import is_edit
from consolidation.learning.effects.toolnames import code, phrase, words
from consolidation.learning.runs.harness_tools import FILE_CHANGES
from consolidation.learning.runs.privacy import Holders, may_tell_of_somebody
from consolidation.learning.runs.terms import grams, stem
from consolidation.learning.wording import cut, upper_first
from consolidation.learning.writing.git_work import GitWork
from consolidation.learning.writing.learned import Learned
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


def title(learned: Learned, taken: Collection[str]) -> str:
    """Build the title of a skill from its steps, e.g. "Cancel a reservation".

    At most LONGEST_TITLE characters. When the slug of the short title is in `taken`, up to MOST_ACTS required effects
    are named.
    """
    say, acts = learned.say, learned.acts
    if tools := _run_beside_changes(learned):
        whole = cut(upper_first(say("change_and_run", tools=say.join(tools))), LONGEST_TITLE)
        if slug(whole, "", ()) not in taken:
            return whole
    short = cut(upper_first(_said(acts, say)) if acts else say("no_action"), LONGEST_TITLE)
    if not acts or slug(short, "", ()) not in taken:
        return short
    own = [stage for stage in learned.steps if stage.changes and not stage.optional and stage not in acts]
    rare = [stage for stage in own if stage.tool not in _LEAST_TELLING] or own
    return cut(upper_first(_said([*acts, *rare][:MOST_ACTS], say)), LONGEST_TITLE)


def _run_beside_changes(learned: Learned) -> list[str]:
    """Return the commands run besides changes of files, without those that do not start in this place; none of work on
    services, which is named after what is done with these."""
    work = None if all(map(is_of_service, learned.own)) else learned.work
    if not work or not (work.changing or any(stage.tool in FILE_CHANGES for stage in learned.steps)):
        return []
    idle = FILE_CHANGES.union(startup.form for startup in work.failing)
    return [stage.tool for stage in learned.acts if stage.tool not in idle and not is_edit(stage.tool)]


def _said(acts: Sequence[Stage], say: Phrases) -> str:
    """Join the phrases of steps; a repeated verb is written once: edit a file, run go build and lint."""
    if say.language == "zh":
        return say.join([stage.tool if not stage.tool.isascii() else phrase(stage.tool, article="") for stage in acts])
    named = acts[:MOST_ACTS]
    phrases = [phrase(s.tool, article="a") if s.speaks else f"run {s.tool}" for s in named]
    verbs = [text.split(" ", 1)[0] for text in phrases]
    again = [n and verb == verbs[n - 1] for n, verb in enumerate(verbs)]
    return say.join([text.split(" ", 1)[1] if same else text for text, same in zip(phrases, again, strict=True)])


def slug(text: str, signature: str, taken: Collection[str]) -> str:
    """Convert a title to a unique slug of `[a-z0-9-]`, at most 64 characters.

    Chinese is transliterated to pinyin; a slug in `taken` gets a number; without a usable word it is made of a digest
    of `signature`.
    """
    latin = text.lower() if text.isascii() else _transliterated(text.lower())
    plain = unicodedata.normalize("NFKD", latin).encode("ascii", "ignore").decode()
    parts = [part for part in re.split(r"[^a-z0-9]+", plain) if part and part not in _ARTICLES]
    base = _shortened(parts, LONGEST_SLUG) or f"skill-{sha256(signature.encode()).hexdigest()[:10]}"
    numbered = (f"{_shortened(base.split('-'), LONGEST_SLUG - 1 - len(str(n)))}-{n}" for n in range(2, len(taken) + 3))
    return next(name for name in (base, *numbered) if name not in taken)


def _transliterated(text: str) -> str:
    from pypinyin import lazy_pinyin  # imported here: its phrases take 56 MB, of which no process without Chinese knows

    return " ".join(lazy_pinyin(text, errors=lambda rest: rest))


def _shortened(parts: Sequence[str], most: int) -> str:
    """Join parts with hyphens up to `most` characters, whole words only."""
    kept = ""
    for part in parts:
        longer = f"{kept}-{part}" if kept else part[:most]
        if len(longer) > most:
            break
        kept = longer
    return kept


def description(titled: str, learned: Learned) -> str:
    """Build a skill's description of at most LONGEST_DESCRIPTION characters: what it does, when to use it, when not."""
    say = learned.say
    stop = "。" if say.language == "zh" else "."
    parts = [f"{titled}{stop}", _published(learned), _use_when(learned), _not_when(learned), _other_way(learned)]
    return cut(("" if say.language == "zh" else " ").join(part for part in parts if part), LONGEST_DESCRIPTION)


def _published(learned: Learned) -> str:
    """Return by which refs and messages others know what was done; '' where nothing is pushed."""
    say, work = learned.say, GitWork(learned.scope)
    if git.PUSH not in learned.own or not (refs := work.pushed_refs()):
        return ""
    messages = say.join([code(line) for line in work.message() if line])
    return say("pushes_with" if messages else "pushes", refs=say.join([code(ref) for ref in refs]), messages=messages)


def _use_when(learned: Learned) -> str:
    """Build the sentence about when to use a skill; '' where nothing tells."""
    say, acts, clear = learned.say, learned.acts, _shown(learned)
    terms, places = [term.written for term in learned.said[:MOST_TERMS]], list(map(code, learned.places))
    asks = say("mentions", terms=say.join(terms, "or")) if terms else ""
    if (order := _order(learned)) and not terms:
        asks = say("order", order=order)
    shows = say("shows", facts=say.join(clear)) if clear else ""
    works = say("works_on", places=say.join(places, "or")) if places else ""
    if shows and acts and not (works or asks):
        asks = say("asked_to", acts=_said(acts, say))  # what records show tells nothing of the wish
    when = say("and").join(part for part in (works, asks, shows) if part)
    if when:
        return say("use_when", when=when)
    return say("use_asked", acts=_said(acts, say)) if acts else ""


def _order(learned: Learned) -> str:
    """Return the order with which nearly all runs began word for word, as those of a schedule do; '' for none."""
    runs = learned.scope.successes
    orders = Holders(({" ".join(run.said[0].text.split())}, run.thread) for run in runs if run.said)
    order = next((order for order, _ in orders.held(USUALLY * len(runs))), "").rstrip(".。!！")
    is_told = grams(order) and learned.scope.names_nobody(order) and not may_tell_of_somebody(order)
    return order if is_told else ""


def separates(learned: Learned) -> bool:
    """Whether something tells when to use the skill beside what its name says."""
    named = {stem(word) for stage in learned.acts for word in words(stage.tool)}
    terms = [{stem(word) for word in term.written.lower().split()} for term in learned.said[:MOST_TERMS]]
    terms.append({word for key in grams(_order(learned)) for word in key.split()})
    told = _worse(learned) or learned.places or _shown(learned)
    return bool(told or any(not term <= named for term in terms))


def _other_way(learned: Learned) -> str:
    """Of requests that are handled in another way too, which ends well less often: that way, with both counts."""
    say, worse, (n, of) = learned.say, _worse(learned), _ended_well(learned)
    if worse is None:
        return ""
    tools = say("plus").join([code(tool) for tool in worse.tools])
    return say("other_way", n=n, of=of, m=worse.successes, of_m=worse.runs, tools=tools)


def _worse(learned: Learned) -> Way | None:
    """The most frequent other way for the same requests, where it ended well clearly less often."""
    n, of = _ended_well(learned)
    apart = [way for way in learned.seen.ways if way.tools and not learned.own & set(way.tools)]
    worse = [way for way in apart if way.runs >= LEAST_RUNS <= of and n / of - way.successes / way.runs >= CLEARLY]
    return max(worse, key=lambda way: way.runs, default=None)


def _ended_well(learned: Learned) -> tuple[int, int]:
    """Return (successes, runs) of the pattern."""
    return len(learned.scope.successes), len(learned.scope.successes) + len(learned.scope.failures)


def _shown(learned: Learned) -> list[str]:
    """The conditions of records that tell; alone, to change nothing, only values on which nothing else was right."""
    tells = bool(learned.acts or learned.said)
    return _conditions([sign for sign in learned.signs if sign.of >= 4 and (tells or not sign.others)])


def _conditions(signs: Sequence[Condition]) -> list[str]:
    """Return up to two conditions as text; a field with another value for another effect is left out."""
    values: dict[tuple[str, str], set[str]] = {}
    for sign in signs:
        values.setdefault((sign.tool, sign.field), set()).add(sign.value)
    clear = [f"{code(field)} {min(held)}" for (_, field), held in values.items() if len(held) == 1]
    return clear[:2]


def _not_when(learned: Learned) -> str:
    """Return the condition under which the skill is wrong, and nothing of other tools.

    A description is what requests are compared with: the names of other skills' tools would find this one instead.
    """
    other = learned.other
    if learned.places or not other:
        return ""  # words of an issue report do not tell which commands to run
    return learned.say("not_value", fact=f"{code(other.field)} {other.value}")
