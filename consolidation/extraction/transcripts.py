"""An episode as a text for the language model, and the places in it that may be quoted."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from uuid import UUID

from django.db.models import Case, JSONField, TextField, When
from django.db.models.functions import Cast, Left, Length

from consolidation.learning.wording import Language
from consolidation.llm.tokens import estimate
from memories.models import Episode, Event
from memories.scanning import credentials, prompt_injection
from memories.values import roles
from memories.values.text import as_text, detect_lang, normal, unspaced_letters

MOST_EVENTS = 400
LONGEST_READ = 200_000  # characters of a text or result that are loaded
LONGEST_SHOWN = 6_000  # of a text or result that the model sees: its beginning and its end
LENGTHS = (LONGEST_SHOWN, 2_000, 800, 300, 120)  # of a passage, tried in turn where a transcript must be short
CUT = "\n[… {left} characters left out …]\n"
PASSAGES_CUT = "[… {left} passages left out …]"
SPEAKERS = {roles.USER: "user", roles.ASSISTANT: "agent", roles.TOOL: "tool"}
AROUND = 300  # characters around a quote in which an order to a model makes it suspect
PASSAGE_START = re.compile(r"^\[\d+\] ", re.MULTILINE)
SHORTEST_HALF = 200  # characters
SPACES = re.compile(r"\s+")
ALIKE = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "‚": "'", "–": "-", "—": "-"})


@dataclass(frozen=True)
class Passage:
    """One text of an episode: what somebody wrote, or the arguments or the result of a call. Secrets are masked.

    `proves`: a user wrote it or a tool answered it; what the agent says proves nothing.
    """

    event_id: UUID
    at: datetime
    position: int
    speaker: str
    text: str
    proves: bool
    tool: str = ""

    @property
    def shown(self) -> str:
        """As the model sees it."""
        return self.shortened(LONGEST_SHOWN)

    def shortened(self, longest: int) -> str:
        """At most so many characters of it. Further lines are indented: none can pass for a passage of its own."""
        text = "\n  ".join(_shortened(self.text, longest).splitlines())
        return f"[{self.position}] {self.speaker}: {text}"

    @cached_property
    def comparable(self) -> str:
        return comparable(self.text)


@dataclass(frozen=True)
class Transcript:
    """The passages of an episode in order. `unread`: there were more events than are read."""

    passages: tuple[Passage, ...]
    messages: int
    unread: int = 0

    @property
    def characters(self) -> int:
        """Of its texts; a Chinese one counts twice, for it says as much."""
        return sum(len(passage.text) + unspaced_letters(passage.text) for passage in self.passages)

    @cached_property
    def language(self) -> Language:
        """Of what users wrote, else of everything."""
        words = "\n".join(passage.text[:LONGEST_SHOWN] for passage in self.passages if passage.speaker == "user")
        return detect_lang(words or "\n".join(passage.text[:LONGEST_SHOWN] for passage in self.passages))

    def parts(self, tokens: int) -> list[str]:
        """The transcript in texts of about so many tokens, whole passages each."""
        parts, part, size = [], list[str](), 0
        for passage in self.passages:
            shown = passage.shown
            if part and size + estimate(shown) > tokens:
                parts.append("\n".join(part))
                part, size = [], 0
            part.append(shown)
            size += estimate(shown)
        return [*parts, "\n".join(part)] if part else parts

    def within(self, tokens: int) -> str:
        """The transcript in about so many tokens: long passages are cut, at worst passages in the middle left out."""
        for longest in LENGTHS:
            lines = [passage.shortened(longest) for passage in self.passages]
            if estimate(*lines) <= tokens:
                return "\n".join(lines)
        while len(lines) > 1 and estimate(*lines) > tokens:
            del lines[len(lines) // 2]
        half = (len(lines) + 1) // 2
        return "\n".join([*lines[:half], PASSAGES_CUT.format(left=len(self.passages) - len(lines)), *lines[half:]])

    def proof(self, quote: str) -> Passage | None:
        """The first passage that proves something and holds these words; blanks and look-alike signs count the same."""
        return next((passage for passage in self.holding(quote) if passage.proves), None)

    def holding(self, quote: str) -> Iterator[Passage]:
        """The passages that hold these words, whoever said them."""
        words = comparable(quote)
        return (passage for passage in self.passages if words and words in passage.comparable)


def halved(part: str) -> list[str]:
    """A part of a transcript in two, between two passages, or within the only one; one text where it cannot be."""
    starts = [match.start() for match in PASSAGE_START.finditer(part)]
    if len(starts) > 1:
        at = min(starts[1:], key=lambda start: abs(start - len(part) // 2))
        return [part[:at].rstrip("\n"), part[at:]]
    half = len(part) // 2
    head = part[starts[0] : part.find(":", starts[0]) + 1] if starts else ""
    return [part[:half], f"{head} {part[half:]}"] if half > SHORTEST_HALF else [part]


def orders_near(passage: Passage, quote: str) -> bool:
    """Whether the words around a quote tell a model what to do."""
    text, words = passage.comparable, comparable(quote)
    at = text.find(words)
    return prompt_injection.is_in(text[max(0, at - AROUND) : at + len(words) + AROUND])


def comparable(text: str) -> str:
    """A text without what a copy may change: Unicode form, blanks, kinds of quotation marks and dashes, case."""
    return SPACES.sub(" ", normal(unicodedata.normalize("NFC", text)).translate(ALIKE)).strip().casefold()


def of(episode: Episode, *, end: bool = False) -> Transcript:
    """Read an episode, without what its operator told the agent. `end`: the last events of a long one."""
    first = max(0, episode.event_count - MOST_EVENTS) if end else 0
    events = list(_events(episode, after=first))
    passages = tuple(passage for event in events for passage in _passages(event))
    return Transcript(passages, messages=len(events), unread=max(0, episode.event_count - MOST_EVENTS))


def _events(episode: Episode, *, after: int) -> Iterator[Event]:
    small = When(result_length__lte=LONGEST_READ, then="result")
    rows = Event.objects.filter(episode=episode, position__gt=after, position__lte=after + MOST_EVENTS)
    rows = rows.filter(instruction=None)
    rows = rows.not_spoken_by(roles.SYSTEM).defer("text", "result").order_by("position")
    rows = rows.annotate(words_read=Left("text", LONGEST_READ), result_length=Length(Cast("result", TextField())))
    start = Left(Cast("result", TextField()), LONGEST_SHOWN)
    yield from rows.annotate(whole_result=Case(small, output_field=JSONField()), result_start=start)


def _passages(event: Event) -> Iterator[Passage]:
    text, result = getattr(event, "words_read", ""), getattr(event, "whole_result", None)
    result = getattr(event, "result_start", None) if result is None else result
    if text or (event.summary and not event.tool):
        speaker = SPEAKERS.get(roles.of(event.role), "report")
        yield _passage(event, speaker, text or event.summary, proves=speaker in ("user", "tool"))
    if event.tool and event.args is not None:
        yield _passage(event, f"tool {event.tool}, called with", as_text(event.args), proves=False)
    if result is not None:
        yield _passage(event, f"tool {event.tool}, answer".replace(" ,", ","), as_text(result), proves=True)


def _passage(event: Event, speaker: str, text: str, *, proves: bool) -> Passage:
    line = SPACES.sub(" ", speaker)[:200]
    return Passage(event.pk, event.at, event.position, line, credentials.masked(text), proves, event.tool or "")


def _shortened(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    half = longest // 2
    return text[:half] + CUT.format(left=len(text) - 2 * half) + text[-half:]
