"""Privacy rules for learned text: nothing that identifies, nothing that fewer than 3 runs of 2 threads hold."""

import re
from collections import Counter
from collections.abc import Collection, Iterable

from memories.claims.chinese import NO_NAME, SURNAMES
from memories.lexicon.english_verbs import OF_TOOLS, WORK
from memories.lexicon.english_words import DETERMINERS, PREPOSITIONS, STOP_OF_REQUESTS
from memories.lexicon.tool_words import PLAIN

HOLDING_RUNS = 3
LONGEST = 80
_UNSAFE = re.compile(r"[\d@*•█▪…\n]|\[[^\]]*\]|<[^>]*>|redacted|masked", re.IGNORECASE)
_BEGIN = r"(?:^|[_ -]|(?-i:(?<=[a-z])(?=[A-Z])))"
_PERSONAL = re.compile(
    rf"{_BEGIN}(?:(?:first|last|full|given|family|middle|user|display|nick|customer|contact)[_ ]?name|surname|e?mail"
    r"|phone|mobile|address\w*|street|city|dob|birth\w*|login|author|owner|assignee|nombres?|apellidos?|correo|tel[eé]fono|"
    r"direcci[oó]n|doctor|m[eé]dico|paciente|patient|cliente|employee|technician|guest|driver|waiter|responsable"
    r"|(?:assignee|assigned|owner|employee|technician|reviewer|approver|recipient|sender)[_ ]?name"
    r"|assign(?:ed)?(?:[_ -]?to)?|reviewer|approver|recipient|sender|handler|responsible|cc|bcc"
    r"|(?:account|case|project|product|sales)[_ ]?(?:manager|rep)"
    r"|(?:approved|assigned|closed|created|handled|opened|reported|requested|reviewed|signed|submitted|updated)[_ ]?by"
    r"|on[_ -]?call)$"
    r"|(?:姓名|员工|(?:负责|责任|处理|经办|审批|审核|联系|对接|跟进|收件|收货|发件|申请|创建|提交|指派)人)$",
    re.IGNORECASE,
)
_MAY_HOLD = re.compile(
    rf"{_BEGIN}(?:agent|client|contact|customer|lead|manager|member|person|rep|user|who)$|客户$|用户$", re.I
)

TITLE = r"\b(?:Drs?|Dra|Sra?|Mrs?|Ms|Prof|Don|Doña|Frau|Herr|Mme)\b"
_TITLE_AND_NAME = re.compile(rf"{TITLE}\.?\s+[A-ZÀ-Ý]")
_CAPITALISED_WORD = re.compile(r"(?<=[a-zà-ÿ,;] )[A-ZÀ-Ý][a-zà-ÿ'’-]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_LINKED_PARTS = re.compile(r"\w[@/\\._:]\w|//")
_SURNAME = re.compile(f"(?!{NO_NAME})[{SURNAMES}]")
_ORDER_WORDS = PLAIN | OF_TOOLS | WORK | STOP_OF_REQUESTS
_AFTER_VERBS = PREPOSITIONS | DETERMINERS | {"a", "an", "the", "all"}
_COMMON_END = re.compile(r"(?:ed|ful|ing|tion|ment|ado|ada|ido|ida|ción)$")


def names_somebody(text: str) -> bool:
    """Return whether a text may name a person: by a title, or by a capitalised word within a sentence that is none of
    those that tools' messages are made of."""
    if _TITLE_AND_NAME.search(text):
        return True
    capitalised_words = [word for word in _CAPITALISED_WORD.findall(text) if not word.isupper()]
    return any(word.lower() not in PLAIN | OF_TOOLS and not _COMMON_END.search(word) for word in capitalised_words)


def may_tell_of_somebody(order: str) -> bool:
    """Return whether an order may name a person, a customer or an address: by any capital, surname or mark of which it
    is not clear that it is none."""
    words = _LETTERS.findall(order)
    begins_with_verb = bool(words[1:]) and words[1].lower() in _AFTER_VERBS
    has_name = any(word[0].isupper() and word.lower() not in _ORDER_WORDS for word in words[begins_with_verb:])
    return has_name or bool(_LINKED_PARTS.search(order) or _SURNAME.search(order))


def safe(text: str) -> bool:
    """Return whether a text has no digit, @ or mask, is not empty and has at most LONGEST characters."""
    return bool(text.strip()) and len(text) <= LONGEST and not identifies(text)


def identifies(text: str) -> bool:
    """Return whether a text has a digit, an @ or a mask."""
    return bool(_UNSAFE.search(text))


def personal(key: str) -> bool:
    """Return whether a field of this name holds details of a person."""
    return bool(_PERSONAL.search(key))


def may_be_person(key: str) -> bool:
    """Return whether the values of a field may be persons: also of one that elsewhere is an object (`customer`)."""
    return personal(key) or bool(_MAY_HOLD.search(key))


class Holders:
    """Counts how many runs and threads hold each value."""

    def __init__(self, values_of_runs: Iterable[tuple[Collection[str], str]] = ()) -> None:
        """(values, thread) of runs, as `add` takes them."""
        self._runs: Counter[str] = Counter()
        self._first: dict[str, str] = {}
        self._several: set[str] = set()
        for values, thread in values_of_runs:
            self.add(values, thread)

    def add(self, values: Collection[str], thread: str) -> None:
        """Count the values of one run; the caller passes each value once."""
        first, several = self._first, self._several
        self._runs.update(iter(values))  # of a mapping the keys, too
        for value in values:
            if first.setdefault(value, thread) != thread:
                several.add(value)

    def common_values(self, least: float) -> list[tuple[str, int]]:
        """Return (common value, number of runs) of what at least so many runs hold, the most frequent first."""
        return [(value, n) for value, n in self._runs.most_common() if n >= least and self.is_common(value)]

    def is_common(self, value: str) -> bool:
        """Return whether at least HOLDING_RUNS runs of two threads hold the value."""
        return self._runs[value] >= HOLDING_RUNS and value in self._several
