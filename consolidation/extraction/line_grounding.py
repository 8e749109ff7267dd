"""Whether a line that a model wrote about a run is grounded there: each name, number, tool, field and path occurs.

Words that any language has are free; a line that names what nobody said or called is left out, and counted by reason.
Capitals of a first word, of a heading ("Check The Fare: ..."), and in a German line, name nothing.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from consolidation.extraction.transcripts import Transcript, comparable
from consolidation.learning.wording import german_words
from memories.lexicon.chinese_words import HAN
from memories.scanning import prompt_injection
from memories.values.text import UNSPACED, sentences
from skills.manifest import Fields

NAME, NUMBER, CODE, PATH = "name_not_said", "number_not_said", "code_not_said", "path_not_said"
ORDER, COPIED = "instruction_like", "copied_from_instructions"
SHORTEST_COPY = 25  # characters; a Chinese one says twice as much
LISTS = ("trigger", "experience", "preference", "examples", "tool")  # of the fields
LEAST_GERMAN = 5  # different small words of German in a German conversation
FREE = {"i", "id", "ids", "ok", "am", "pm", "use", "not"}  # capitals that name nothing
NUMERALS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
HAN_NUMERALS = ["零", "一", "二两", "三", "四", "五", "六", "七", "八", "九", "十"]
_BULLET = re.compile(r"^\s*(?:\d+[.)、]\s*|[-*+]\s+|#+\s*)+")
_STEP = re.compile(r"\bsteps?\s+\d+(?:\s*(?:-|–|to|and|or)\s*\d+)?|(?:第\s*|步骤\s*)\d+\s*步?", re.IGNORECASE)
_PATH = re.compile(
    r"(?:https?://|(?<![\w/.])(?:~|\.{1,2})?/|\b[A-Za-z]:\\)[^\s`'\"()<>，。]+|(?<![\w/.-])[\w.-]++(?:/[\w.-]++){2,}"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"
    r"|(?<![\w.-])(?:[A-Za-z0-9-]{1,63}\.)+(?:com|net|org|io|ai|dev|app|info|eu|de|fr|uk|cn|ru|jp|example)\b"
    r"|(?<![\w-])[\w-]++\.(?:py|js|ts|tsx|json|md|txt|sh|ya?ml|toml|cfg|ini|csv|sql|html|css|go|rs|java|log|env|lock"
    r"|xml)\b"
)
_CODE = re.compile(r"`([^`]+)`|(?<![\w`])([A-Za-z]\w*_\w*|[a-z]+[A-Z]\w*)")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_NAME = re.compile(r"(?<=[\w,;’'] )(?:[A-Z][\w’'-]*)(?=[^\w]|$)")
_CAPITAL = r"(?:[A-Z][\w’'-]*|and|of|the|for|to|an?|in|with|or)"
_HEADING = re.compile(rf"^\W*{_CAPITAL}(?:[ &/]+{_CAPITAL})*\W*(?::|$)")
_LATIN = re.compile(r"[A-Za-z][A-Za-z’'-]+")
_INFLECTED = "(?:e?s|e?d|ing|ly)?"
_POSSESSIVE = re.compile(r"['’]s?$")
_NUMBERED = re.compile(r"^\d+([.)])")


@dataclass(frozen=True)
class Ground:
    """What may be named: the texts of a run with its tools, and of skills that it improves. `instructions`: what the
    model was told, whose example weak models repeat."""

    text: str
    instructions: str = ""

    @classmethod
    def of(cls, transcript: Transcript, *further_texts: str, instructions: str = "") -> "Ground":
        lines = (f"{passage.speaker}: {passage.text}" for passage in transcript.passages)
        return cls(comparable("\n".join([*lines, *further_texts])), comparable(instructions))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Whole, and each part of a date, a time or a fraction."""
        numbers = _NUMBER.findall(self.text)
        return frozenset(map(_plain, [*numbers, *(part for name in numbers for part in re.findall(r"\d+", name))]))

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(re.findall(r"\w+", self.text)) | frozenset(re.findall(r"[^\W_]+", self.text))

    @cached_property
    def is_german(self) -> bool:
        return german_words(self.text) >= LEAST_GERMAN

    def fault(self, line: str) -> str:
        """Why the line is not grounded, or ""."""
        bare = _STEP.sub(" ", _BULLET.sub("", line))
        if prompt_injection.is_in(bare) or self._is_copied(bare):
            return ORDER if prompt_injection.is_in(bare) else COPIED
        if not all(comparable(path).rstrip(".,;:") in self.text for path in _PATH.findall(bare)):
            return PATH
        bare = _PATH.sub(" ", bare)
        if not all(self._holds_code(quoted or identifier) for quoted, identifier in _CODE.findall(bare)):
            return CODE
        bare = _CODE.sub(" x ", bare)
        if not all(map(self._holds_number, _NUMBER.findall(bare))):
            return NUMBER
        if self.is_german and german_words(bare):
            return ""
        bare = _HEADING.sub(" ", bare)
        names = _LATIN.findall(bare) if UNSPACED.search(bare) else _NAME.findall(bare)
        return "" if all(map(self._holds_name, names)) else NAME

    def title_fault(self, title: str) -> str:
        """As `fault`, of a title. One Whose Words All Begin So shows no names."""
        return self.fault(title.lower() if _HEADING.fullmatch(title) else title)

    def _is_copied(self, line: str) -> bool:
        words = comparable(line)
        is_long = sum(1 if char.isascii() else 2 for char in words) >= SHORTEST_COPY
        return is_long and words in self.instructions and words not in self.text

    def _holds_code(self, code: str) -> bool:
        return comparable(code) in self.text or all(word in self.words for word in re.findall(r"\w+", comparable(code)))

    def _holds_number(self, number: str) -> bool:
        plain = _plain(number)
        if plain in self.numbers:
            return True
        value = int(plain) if plain.isdigit() and len(plain) < 3 else len(NUMERALS)
        signs = "".join(HAN_NUMERALS[value : value + 1])
        return self.words.issuperset(NUMERALS[value : value + 1] or [plain]) or any(sign in self.text for sign in signs)

    def _holds_name(self, name: str) -> bool:
        bare = _POSSESSIVE.sub("", name.casefold())
        if bare in FREE or bare.isdigit() or bare.removesuffix("s") in self.words:
            return True
        pattern = rf"(?<![^\W\d_{HAN}]){re.escape(bare)}{_INFLECTED}(?![^\W\d_{HAN}])"  # "ann" is not said by "planned"
        return re.search(pattern, self.text) is not None


def _plain(number: str) -> str:
    return number.replace(",", "").rstrip(".:/-").lstrip("0") or "0"


class LeftOut(NamedTuple):
    """A line that is not grounded, and why."""

    line: str
    fault: str


def grounded(fields: Fields, ground: Ground) -> tuple[Fields | None, list[LeftOut]]:
    """The fields without the lines that are not grounded, and these.

    None: nothing is left of how the work is done, or of what the skill is for. Programs are not read here: they are
    scanned, and marked for the reviewer.
    """
    left_out: list[LeftOut] = []

    def keep(lines: Iterable[str]) -> list[str]:
        faults = [LeftOut(line, ground.fault(line) if line.strip() else "") for line in lines]
        left_out.extend(line_fault for line_fault in faults if line_fault.fault)
        return [line for line, fault in faults if not fault]

    lists = {name: keep(getattr(fields, name) or []) or None for name in LISTS}
    documents = {file: "\n".join(keep(text.splitlines())) for file, text in (fields.others or {}).items()}
    procedure = _renumbered(keep(fields.procedure.splitlines()))
    joint = "" if UNSPACED.search(fields.description) else " "
    description = joint.join(keep(sentences(fields.description)))
    title = fields.title if not ground.title_fault(fields.title) else ""
    if not description or (fields.procedure and not procedure.strip()):
        return None, left_out
    texts = {"procedure": procedure, "description": description, "title": title}
    files = {"others": {file: text for file, text in documents.items() if text.strip()} or None}
    return Fields.model_validate({**fields.model_dump(), **lists, **texts, **files}), left_out


def _renumbered(lines: list[str]) -> str:
    """A list without gaps in its numbers."""
    number = 0

    def following(match: re.Match[str]) -> str:
        nonlocal number
        number += 1
        return f"{number}{match[1]}"

    return "\n".join(_NUMBERED.sub(following, line) for line in lines)
