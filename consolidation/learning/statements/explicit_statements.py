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
    sentences_and_leads = _sentences(_plain(message))
    by_text = {statement.text: statement for pair in sentences_and_leads if (statement := _statement(*pair))}
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


def is_question_or_report(sentence: str) -> bool:
    """Whether a sentence asks, quotes, or says what somebody else has said."""
    return bool(_QUESTION.search(sentence) or _QUOTED.search(sentence) or _REPORTED.search(sentence))


def _sentences(message: str) -> Iterator[tuple[str, str]]:
    """(sentence, lead) of each; the lead is "Remember: " for sentences of a list that such a line begins, else ""."""
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
    quoted_spans = [match.span() for match in _QUOTED.finditer(plain)]
    first = next(_clause_starts(plain))
    for start in _clause_starts(plain):
        words = form(lead + _TAIL.sub("", plain[start:]).strip())
        if words and not any(begin <= start < end for begin, end in quoted_spans):
            self_contained = _self_contained(words, plain, first=first, start=start)
            return _with_quote(self_contained.strip().rstrip(",，;；:："), sentence, plain.find(self_contained, first))
    return None


def _self_contained(words: str, sentence: str, *, first: int, start: int) -> str:
    """The words, together with the part of the sentence before them where they refer to it by a pronoun; "" where that
    part is about the task at hand."""
    at = sentence.find(words, start)
    if start == first or at < 0 or not _POINTS_BACK.search(words):
        return words
    sentence_part = sentence[first : at + len(words)]
    return "" if _HERE.search(sentence_part) else sentence_part


def _with_quote(words: str, sentence: str, start: int) -> ExplicitStatement | None:
    words_of_user = sentence[start : start + len(words)] if start >= 0 else words
    return ExplicitStatement(words_of_user, sentence) if len(words_of_user) >= SHORTEST else None


def _clause_starts(sentence: str) -> Iterator[int]:
    """The offsets at which a statement may begin: of the sentence, and after commas; not within a condition or reported
    speech."""
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
