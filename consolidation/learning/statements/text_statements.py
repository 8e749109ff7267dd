"""Read the runs in which an agent writes a text: what kind of text was asked for, what people say of a draft ("Numbers
first, please", "we say members, not customers") that holds for the next one, and whether they took it.

Precise rather than complete, since a person reads each rule. A reply that names what the request named is of this text.
"""

import re

from consolidation.learning.statements import text_forms as forms
from consolidation.learning.statements.explicit_statements import ExplicitStatement, sentences
from consolidation.learning.statements.outcome_forms import BUT
from memories.lexicon import english_words
from memories.values import text

LONGEST_REPLY = 400  # characters of a reply that corrects; a longer one holds a text of its own
LONGEST, LEAST = 160, 2  # characters, and words or signs
LEAST_OBJECT = 3  # letters of a word that names something
LONGEST_OPENING = 200  # characters of a request that may say what is wanted
_QUOTATION = re.compile(r"[\"“„「].*?[\"”“」]")
_WORD = re.compile(r"[^\W_]+")
_OF_CALENDAR = re.compile(
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|\w+day|januar|februar"
    r"|märz|mai|juni|juli|oktober|dezember|\w+tag|week)s?",
    re.IGNORECASE,
)


def kind_of_text(request: str) -> str:
    """Return the kind of text that a request asks for, as it names it ("weekly report"); "" where it asks for none."""
    start = _QUOTATION.sub('"', request.strip()[: 2 * LONGEST_OPENING].replace("’", "'"))[:LONGEST_OPENING]
    first = start.splitlines()[0] if start else ""
    if text.detect_lang(first) == "zh":
        match = forms.ASKED_CHINESE.match(first)
        return (match["kind"] or match["reply"]) if match else ""
    if match := next((form_match for form in forms.ASKED if (form_match := form.match(first))), None):
        return _kind_name(match["kind"])
    if match := forms.ASKED_GERMAN.match(first):
        return match["kind"][0].upper() + match["kind"][1:]
    return next((kind for kind, form in forms.BY_VERB if form.match(first)), "")


def _kind_name(kind: str) -> str:
    period = re.sub(r"this (day|week|month|quarter|year)'?s", r"\1ly", kind.casefold())
    return {"answer": "reply", "response": "reply"}.get(period, period)


def names_of_kind(kind: str) -> list[str]:
    """The kind and its wider one: "weekly report" and "report"; [] for no kind."""
    return list(dict.fromkeys((kind, forms.HOW_OFTEN.sub("", kind)))) if kind else []


def speaks_of_style(sentence: str) -> bool:
    """Whether a sentence is about how a text is written, not only about its content."""
    return bool(forms.STYLE.search(sentence))


def says_it_was_taken(reply: str) -> bool | None:
    """Whether a reply to a draft says that the text was used, also after changes, or not used (False); None: it says
    neither, or asks for more."""
    lead = _lead(reply)[:LONGEST_REPLY].replace("’", "'")
    if forms.LEFT.search(lead):
        return False
    goes_on = lead.rstrip().endswith(("?", "？")) or BUT.search(lead)
    return True if forms.TAKEN.search(lead) and not goes_on else None


def text_rules(reply: str, request: str, kind: str) -> list[ExplicitStatement]:
    """The rules for texts of this kind in a reply to a draft, in order, each once; the kind precedes each rule."""
    if len(reply) > LONGEST_REPLY or _lead(reply) != reply.strip():
        return []
    request_words = frozenset(_WORD.findall(request))
    rules = (rule for sentence in sentences(reply) if (rule := _rule(sentence, request_words, kind)))
    return list({rule.text: rule for rule in rules}.values())


def _rule(sentence: str, request_words: frozenset[str], kind: str) -> ExplicitStatement | None:
    """A sentence as a rule for texts of this kind; None: it is not about how they are written, or about this one."""
    plain = sentence.replace("’", "'").strip()
    wish = forms.QUESTION.match(plain)
    words = forms.MANNERS.sub("", wish["wish"] if wish else plain).strip(" .!。！,，;；")
    language = text.detect_lang(words)
    size = len(words) if language == "zh" else len(words.split())
    if "?" in words or "？" in words or len(words) > LONGEST:
        return None
    if wording_rule := _wording(words, kind):
        return ExplicitStatement(wording_rule, sentence)
    meaning = _meaning_of_wish(words, kind)
    if not forms.STYLE.search(words):
        return None
    if not meaning and (size < LEAST or _is_of_this_text(_QUOTATION.sub(" ", words), request_words, kind)):
        return None
    rule = meaning or _QUOTATION.sub(lambda match: _without(match[0], request_words), words)
    is_of_all = forms.OF_ALL.search(rule)
    return ExplicitStatement(rule if is_of_all else f"{kind[0].upper()}{kind[1:]}: {rule}", sentence)


def language_of(kind: str) -> str:
    """The language of a kind of text, `zh`, `de` or `en`, by its name: German nouns begin with a capital."""
    return "zh" if text.detect_lang(kind) == "zh" else "de" if kind[0].isupper() else "en"


def _wording(words: str, kind: str) -> str | None:
    """A wish to use one word for another, as a rule in the standard form; None for any other wish."""
    match = next((form_match for form in forms.WORDING if (form_match := form.fullmatch(words))), None)
    return forms.SAY[language_of(kind)].format(match["say"], match["never"]) if match else None


def _meaning_of_wish(words: str, kind: str) -> str | None:
    """The rule that a stock wish ("shorter, please") stands for, in the language of the kind; None for any other."""
    return next((meaning[language_of(kind)] for meaning, form in forms.BARE if form.fullmatch(words)), None)


def _is_of_this_text(words: str, request_words: frozenset[str], kind: str) -> bool:
    """Whether a sentence is about this draft alone: it tells what happened with it, or repeats a word of the request as
    a capitalised word or as the object of an order."""
    if forms.OF_DRAFT.search(words) or re.search(r"\d", forms.OF_RULE.sub(" ", words)):
        return True
    order = forms.OF_CONTENT.match(words)
    content_words = [
        word for word in _WORD.findall(words[order.end() if order else 0 :]) if word.casefold() not in kind.casefold()
    ]
    ordinary_words = (
        {word.casefold() for word in request_words if not word[0].isupper()} | english_words.STOP | forms.GERMAN_STOP
    )
    capitals = (
        word
        for word in content_words
        if word[0].isupper() and word in request_words and word.casefold() not in ordinary_words
    )
    if any(not _OF_CALENDAR.fullmatch(word) for word in capitals):
        return True
    things = frozenset(word.casefold() for word in request_words if len(word) >= LEAST_OBJECT) - english_words.STOP
    objects = (word.casefold() for word in content_words if not forms.STYLE.fullmatch(word))
    return order is not None and any(word in things for word in objects)


def _without(example: str, request_words: frozenset[str]) -> str:
    """A quoted example with "…" for the capitalised words of the request."""
    return _WORD.sub(lambda match: "…" if match[0] in request_words and match[0][0].isupper() else match[0], example)


def _lead(reply: str) -> str:
    """The reply without a text that is sent back with it."""
    return reply.strip().partition("\n\n")[0]
