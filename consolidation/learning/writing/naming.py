"""Title, slug and description of a learned skill."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256

from consolidation.learning.comparison.command_work import CommandWork
from consolidation.learning.comparison.contrast import Way
from consolidation.learning.comparison.records import Condition, OtherValue
from consolidation.learning.comparison.speech import Term
from consolidation.learning.effects.effects import is_edit, telling
from consolidation.learning.effects.toolnames import code, phrase, words
from consolidation.learning.runs.harness_tools import FILE_CHANGES
from consolidation.learning.runs.terms import stem
from consolidation.learning.wording import cut, upper_first
from consolidation.learning.writing.phrases import Phrases
from consolidation.learning.writing.recipe import Stage

LONGEST_SLUG = 64
LONGEST_TITLE = 100
LONGEST_DESCRIPTION = 1_024
MOST_ACTS = 4
MOST_TERMS = 4
_ARTICLES = {"a", "an", "the"}
_LEAST_TELLING = {"rm", "python", "cat >", "git add"}


def title(steps: Sequence[Stage], say: Phrases, taken: Collection[str] = (), work: CommandWork | None = None) -> str:
    """Build the title of a skill from its steps, e.g. "Cancel a reservation".

    At most LONGEST_TITLE characters. When the slug of the short title is in `taken`, up to MOST_ACTS required effects
    are named.
    """
    if work and (work.changing or _edits(steps)) and (tools := _checking(steps, work)):
        whole = cut(upper_first(say("change_and_run", tools=say.join(tools))), LONGEST_TITLE)
        if slug(whole, "", ()) not in taken:
            return whole
    acts = _acts(steps)
    short = cut(upper_first(_said(acts, say)) if acts else say("no_action"), LONGEST_TITLE)
    if not acts or slug(short, "", ()) not in taken:
        return short
    own = [stage for stage in steps if stage.changes and not stage.optional and stage not in acts]
    rare = [stage for stage in own if stage.tool not in _LEAST_TELLING] or own
    return cut(upper_first(_said([*acts, *rare][:MOST_ACTS], say)), LONGEST_TITLE)


def _edits(steps: Sequence[Stage]) -> bool:
    return any(stage.tool in FILE_CHANGES for stage in steps)


def _checking(steps: Sequence[Stage], work: CommandWork) -> list[str]:
    """Return the commands run besides file edits, without those that do not start in this place."""
    failing = {startup.form for startup in work.failing}
    return [s.tool for s in _acts(steps) if s.tool not in failing | FILE_CHANGES and not is_edit(s.tool)]


def _said(acts: Sequence[Stage], say: Phrases) -> str:
    """Join the phrases of steps; a repeated verb is written once: edit a file, run go build and lint."""
    if say.language == "zh":
        return say.join([stage.tool if not stage.tool.isascii() else phrase(stage.tool, article="") for stage in acts])
    named = acts[:MOST_ACTS]
    phrases = [phrase(s.tool, article="a") if s.speaks else f"run {s.tool}" for s in named]
    verbs = [text.split(" ", 1)[0] for text in phrases]
    again = [n and verb == verbs[n - 1] for n, verb in enumerate(verbs)]
    return say.join([text.split(" ", 1)[1] if same else text for text, same in zip(phrases, again, strict=True)])


def _acts(steps: Sequence[Stage]) -> list[Stage]:
    """Return the steps that characterize the skill: required effects; of commands first those that check or publish."""
    acts = [stage for stage in steps if stage.changes]
    needed = [stage for stage in acts if not stage.optional] or acts
    commands = telling([stage.tool for stage in needed if stage.via], beside=[s.tool for s in needed if not s.via])
    return [stage for stage in needed if not stage.via or stage.tool in commands]


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


@dataclass(frozen=True)
class Use:
    """When to use a skill and when not.

    `said`: terms of the requests; `signs`: conditions of the records acted on; `other`: a value with which another
    effect is right; `places`: repositories or packages; `worse`: another way for the same requests that ended well less
    often than this one, of which `well` are the successes and runs.
    """

    said: Sequence[Term]
    signs: Sequence[Condition]
    other: OtherValue | None
    places: Sequence[str] = ()
    worse: Way | None = None
    well: tuple[int, int] = (0, 0)


def description(titled: str, steps: Sequence[Stage], use: Use, say: Phrases) -> str:
    """Build a skill's description of at most LONGEST_DESCRIPTION characters: what it does, when to use it, when not."""
    stop = "。" if say.language == "zh" else "."
    parts = [f"{titled}{stop}", use_when(steps, use, say), _not_when(use, say), _other_way(use, say)]
    return cut(("" if say.language == "zh" else " ").join(part for part in parts if part), LONGEST_DESCRIPTION)


def use_when(steps: Sequence[Stage], use: Use, say: Phrases) -> str:
    """Build the sentence about when to use a skill; '' where nothing tells."""
    asks = say("mentions", terms=say.join([term.written for term in use.said[:MOST_TERMS]], "or")) if use.said else ""
    acts, clear = _acts(steps), _shown(steps, use)
    shows = say("shows", facts=say.join(clear)) if clear else ""
    works = say("works_on", places=say.join([code(place) for place in use.places], "or")) if use.places else ""
    if shows and acts and not (works or asks):
        asks = say("asked_to", acts=_said(acts, say))  # what records show tells nothing of the wish
    when = say("and").join(part for part in (works, asks, shows) if part)
    if when:
        return say("use_when", when=when)
    return say("use_asked", acts=_said(acts, say)) if acts else ""


def separates(steps: Sequence[Stage], use: Use) -> bool:
    """Whether something tells when to use the skill beside what its name says."""
    named = {stem(word) for stage in _acts(steps) for word in words(stage.tool)}
    terms = [{stem(word) for word in term.written.lower().split()} for term in use.said[:MOST_TERMS]]
    return bool(use.worse or use.places or _shown(steps, use) or any(not term <= named for term in terms))


def _other_way(use: Use, say: Phrases) -> str:
    """Two ways for one request are one question: the better one names the other, with both counts."""
    if use.worse is None:
        return ""
    tools = say("plus").join([code(tool) for tool in use.worse.tools])
    (n, of), (m, of_m) = use.well, (use.worse.successes, use.worse.runs)
    return say("other_way", n=n, of=of, m=m, of_m=of_m, tools=tools)


def _shown(steps: Sequence[Stage], use: Use) -> list[str]:
    """The conditions of records that tell; alone, to change nothing, only values on which nothing else was right."""
    acts = bool(_acts(steps))
    return _conditions([sign for sign in use.signs if sign.of >= 4 and (acts or use.said or not sign.others)])


def _conditions(signs: Sequence[Condition]) -> list[str]:
    """Return up to two conditions as text; a field with another value for another effect is left out."""
    values: dict[tuple[str, str], set[str]] = {}
    for sign in signs:
        values.setdefault((sign.tool, sign.field), set()).add(sign.value)
    clear = [f"{code(field)} {min(held)}" for (_, field), held in values.items() if len(held) == 1]
    return clear[:2]


def _not_when(use: Use, say: Phrases) -> str:
    """Return the condition under which the skill is wrong, and nothing of other tools.

    A description is what requests are compared with: the names of other skills' tools would find this one instead.
    """
    if use.places or not use.other:
        return ""  # words of an issue report do not tell which commands to run
    return say("not_value", fact=f"{code(use.other.field)} {use.other.value}")
