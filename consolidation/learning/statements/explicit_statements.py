"""Recognise the sentences by which a user asks an agent to keep something: a lasting rule, wish or habit.

Precise rather than complete, because a person reads each one. Not recognised: questions, what concerns only the task at
hand, what cannot be understood alone, quoted and reported speech, code, logs, and forms.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from consolidation.learning.statements.statement_forms import HERE, PROJECT_TRIGGERS, lasting, lasting_chinese
from memories.values import text

LONGEST_MESSAGE = 2_000  # a longer one is a form, a log or a document
SHORTEST = 5
# A message without any of these holds no statement. Each is a regular expression, of PostgreSQL too.
TRIGGERS = (
    *("remember", "in mind", "always", "never", "now on", "here on", "going forward"),
    *("(?:don.?t|do not) (?:forget|ever)", r"(?:^|[^a-z ] *|please +|and +|but +)(?:don.?t|do not) "),
    *("(?:i|we) (?:[a-z]+ )?prefer ", "preference is"),
    *("记住", "记得", "记下", "牢记", "别忘", "不要忘", "以后", "今后", "往后", "从现在", "从今", "永远", "总是"),
    *("始终", "一律", "统一", "每次", "绝不", "任何时候", "不要", "请勿", "切勿", "别", "喜欢", "偏好", "偏爱", "倾向"),
    *("从不", "从来不", "一直"),
    *PROJECT_TRIGGERS,
)  # fmt: skip


@dataclass(frozen=True)
class ExplicitStatement:
    """`text`: the words that are to be kept; `quote`: the sentence in which they were said."""

    text: str
    quote: str


_TRIGGER = re.compile("|".join(TRIGGERS), re.IGNORECASE)
_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^\s*(?:>|\||\$ ).*$", re.MULTILINE)
_FORM = re.compile(
    r"^\s*</?[a-z][\w-]*[^<>\n]*>|^\s*Traceback |^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^#{1,6} \w", re.MULTILINE
)
_QUOTED = re.compile(
    r"\"[^\"\n]{2,300}\"|“[^”\n]{2,300}”|「[^」\n]{2,300}」|『[^』\n]{2,300}』|(?<!\w)'[^'\n]{2,300}'(?!\w)"
)
_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|\.\.\.(?=[\"”')」])|[.!?](?=[^\s\"”')」]))+[.!?。！？]*")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
_LEAD = re.compile(
    r"\s*(?:please\s+)?(?:remember|keep in mind|from now on|going forward|请?记住|请?以后|从现在开始)\s*[:：]\s*",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"[?？]|[吗呢么][。！\s]*$|什么|怎么|为何|是否|能不能|可不可以"
    r"|^\W*(?:why|what|who|whose|which|where|how|do you|does|did|can|could|would you|will you|are|is)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:said|says?|saying|told|tells|asked|asks|wrote|writes|reads|states?|stated|mentioned|claims?|claimed|insists?"
    r"|according to|heard|replied|suggested|advised)\b|[说讲]|据|告诉|声称|表示",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"\W*(?:(?:hi|hello|hey|ok|okay|thanks|thank you|great|perfect|also|and|but|so|oh|yes|no(?=[,.!])|sure|actually|btw"
    r"|again|by the way|one more thing|one thing|finally|lastly|besides|well|for the record|另外|还有|对了|好的?|谢谢)"
    r"(?![\w'])[\s,:，：！!—–-]*)*",
    re.IGNORECASE,
)
_DEPENDENT = re.compile(
    r"(?:if|since|because|as|although|though|unless|while|when|whenever|once|before|after|until|in case|given|for|on|in"
    r"|with|during|every|each|at|如果|因为|由于|既然|虽然|要是)\b",
    re.IGNORECASE,
)
_NEXT_CLAUSE = re.compile(
    r"[,;，；—–]\s*(?:(?:and|but|so|also|then|plus|而且|并且|另外|所以|但是?)\s*(?=\w))?", re.IGNORECASE
)
_HERE = re.compile(HERE)
_POINTS_BACK = re.compile(r"\b(?:it|its|they|them|their|him|her|his|another)\b", re.IGNORECASE)
_TAIL = re.compile(
    r"\s*[,，;；—–]\s*(?:(?:so|but|and|which is why)\s+)(?:i|i'd|i'm|i've|we|please|can|could|let|for)\b.*$",
    re.IGNORECASE,
)


def explicit_statements(message: str) -> list[ExplicitStatement]:
    """The lasting statements of a user's message, in order, each once."""
    spoken = _sentences(_plain(message))
    by_text = {statement.text: statement for each in spoken if (statement := _statement(*each))}
    return list(by_text.values())


def sentences(message: str) -> list[str]:
    """The sentences of a message that its user wrote as such: none of a form or a log, of code or a quoted line."""
    lines = _plain(message).splitlines()
    return [match[0].strip() for line in lines for match in _SENTENCE.finditer(_BULLET.sub("", line, count=1))]


def _plain(message: str) -> str:
    """A message without code and quoted lines; '' for a form, a log or a document."""
    if len(message) > LONGEST_MESSAGE or _FORM.search(message):
        return ""
    return _QUOTED_LINE.sub("", _FENCE.sub("\n", message))


def is_told_otherwise(sentence: str) -> bool:
    """Whether a sentence asks, quotes, or says what somebody else has said."""
    return bool(_QUESTION.search(sentence) or _QUOTED.search(sentence) or _REPORTED.search(sentence))


def _sentences(message: str) -> Iterator[tuple[str, str]]:
    """Each sentence with the words under which it stands: "Remember:" on a line of its own begins a list."""
    lead = ""
    for line in message.splitlines():
        if not line.strip():
            lead = ""
        elif _LEAD.fullmatch(line):
            lead = line.strip() + " "
        else:
            for match in _SENTENCE.finditer(_BULLET.sub("", line, count=1)) if lead or _TRIGGER.search(line) else ():
                yield match[0].strip(), lead


def _statement(sentence: str, lead: str) -> ExplicitStatement | None:
    plain = sentence.replace("’", "'")
    if len(plain) < SHORTEST or not _TRIGGER.search(lead + plain) or _QUESTION.search(plain):
        return None
    form = lasting_chinese if text.detect_lang(plain) == "zh" else lasting
    quoted = [match.span() for match in _QUOTED.finditer(plain)]
    first = next(_clause_starts(plain))
    for start in _clause_starts(plain):
        words = form(lead + _TAIL.sub("", plain[start:]).strip())
        if words and not any(begin <= start < end for begin, end in quoted):
            alone = _understood_alone(words, plain, first=first, start=start)
            return _as_spoken(alone.strip().rstrip(",，;；:："), sentence, plain.find(alone, first))
    return None


def _understood_alone(words: str, sentence: str, *, first: int, start: int) -> str:
    """The words, with what stands before them in the sentence where they point back to it; "" where that is the task at
    hand."""
    at = sentence.find(words, start)
    if start == first or at < 0 or not _POINTS_BACK.search(words):
        return words
    whole = sentence[first : at + len(words)]
    return "" if _HERE.search(whole) else whole


def _as_spoken(words: str, sentence: str, start: int) -> ExplicitStatement | None:
    spoken = sentence[start : start + len(words)] if start >= 0 else words
    return ExplicitStatement(spoken, sentence) if len(spoken) >= SHORTEST else None


def _clause_starts(sentence: str) -> Iterator[int]:
    """Where a statement may begin: with the sentence, or after a comma; not in what depends on a condition, nor in what
    somebody else says."""
    first = _POLITE.match(sentence)
    start = first.end() if first else 0
    yield start
    if _DEPENDENT.match(sentence, start):
        return
    for match in _NEXT_CLAUSE.finditer(sentence, start):
        if not _REPORTED.search(sentence, 0, match.start()):
            yield match.end()
        if _DEPENDENT.match(sentence, match.end()):
            return
