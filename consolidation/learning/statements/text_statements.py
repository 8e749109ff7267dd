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
READ = 200  # characters of a request that may say what is wanted
_QUOTED = re.compile(r"[\"“„「].*?[\"”“」]")
_WORD = re.compile(r"[^\W_]+")
_OF_CALENDAR = re.compile(
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|\w+day|januar|februar"
    r"|märz|mai|juni|juli|oktober|dezember|\w+tag|week)s?",
    re.IGNORECASE,
)


def kind_of_text(request: str) -> str:
    """Return the kind of text that a request asks for, as it names it ("weekly report"); "" where it asks for none."""
    start = _QUOTED.sub('"', request.strip()[: 2 * READ].replace("’", "'"))[:READ]
    first = start.splitlines()[0] if start else ""
    if text.detect_lang(first) == "zh":
        match = forms.ASKED_CHINESE.match(first)
        return (match["kind"] or match["reply"]) if match else ""
    if match := next((found for form in forms.ASKED if (found := form.match(first))), None):
        return _named(match["kind"])
    if match := forms.ASKED_GERMAN.match(first):
        return match["kind"][0].upper() + match["kind"][1:]
    return next((kind for kind, form in forms.BY_VERB if form.match(first)), "")


def _named(kind: str) -> str:
    period = re.sub(r"this (day|week|month|quarter|year)'?s", r"\1ly", kind.casefold())
    return {"answer": "reply", "response": "reply"}.get(period, period)


def names_of_kind(kind: str) -> list[str]:
    """The kind, and the wider one that it is of: of a weekly report also "report"."""
    return list(dict.fromkeys((kind, forms.HOW_OFTEN.sub("", kind)))) if kind else []


def speaks_of_style(sentence: str) -> bool:
    """Whether a sentence speaks of how a text is written, and not only of what it is to say."""
    return bool(forms.STYLE.search(sentence))


def says_it_was_taken(reply: str) -> bool | None:
    """Whether a reply to a draft says that the text was used, also after changes; None: it says neither, or goes on."""
    lead = _lead(reply)[:LONGEST_REPLY].replace("’", "'")
    if forms.LEFT.search(lead):
        return False
    goes_on = lead.rstrip().endswith(("?", "？")) or BUT.search(lead)
    return True if forms.TAKEN.search(lead) and not goes_on else None


def text_rules(reply: str, request: str, kind: str) -> list[ExplicitStatement]:
    """What a reply to a draft says of how such texts are written, each with the kind of text before it, in order."""
    if len(reply) > LONGEST_REPLY or _lead(reply) != reply.strip():
        return []
    named = frozenset(_WORD.findall(request))
    rules = (rule for sentence in sentences(reply) if (rule := _rule(sentence, named, kind)))
    return list({rule.text: rule for rule in rules}.values())


def _rule(sentence: str, named: frozenset[str], kind: str) -> ExplicitStatement | None:
    """A sentence as a rule for such texts; None: it tells nothing of how they are written, or only of this one."""
    plain = sentence.replace("’", "'").strip()
    wish = forms.QUESTION.match(plain)
    words = forms.MANNERS.sub("", wish["wish"] if wish else plain).strip(" .!。！,，;；")
    language = text.detect_lang(words)
    size = len(words) if language == "zh" else len(words.split())
    if "?" in words or "？" in words or len(words) > LONGEST:
        return None
    if worded := _wording(words, kind):
        return ExplicitStatement(worded, sentence)
    bare = _bare(words, kind)
    if not forms.STYLE.search(words):
        return None
    if not bare and (size < LEAST or _is_of_this_text(_QUOTED.sub(" ", words), named, kind)):
        return None
    rule = bare or _QUOTED.sub(lambda match: _without(match[0], named), words)
    is_of_all = forms.OF_ALL.search(rule)
    return ExplicitStatement(rule if is_of_all else f"{kind[0].upper()}{kind[1:]}: {rule}", sentence)


def _language(kind: str) -> str:
    """That of a kind of text, by its name: German nouns begin with a capital."""
    return "zh" if text.detect_lang(kind) == "zh" else "de" if kind[0].isupper() else "en"


def _wording(words: str, kind: str) -> str | None:
    """Which word is used for which other one, in one form."""
    match = next((found for form in forms.WORDING if (found := form.fullmatch(words))), None)
    return forms.SAY[_language(kind)].format(match["say"], match["never"]) if match else None


def _bare(words: str, kind: str) -> str | None:
    """What a wish means that says nothing more, in the language of the kind of text."""
    return next((meaning[_language(kind)] for meaning, form in forms.BARE if form.fullmatch(words)), None)


def _is_of_this_text(words: str, named: frozenset[str], kind: str) -> bool:
    """Whether a sentence tells what happened with the draft, or names what the request named: with a capital, or as the
    object of an order."""
    if forms.OF_DRAFT.search(words) or re.search(r"\d", forms.OF_RULE.sub(" ", words)):
        return True
    order = forms.OF_CONTENT.match(words)
    said = [
        word for word in _WORD.findall(words[order.end() if order else 0 :]) if word.casefold() not in kind.casefold()
    ]
    known = {word.casefold() for word in named if not word[0].isupper()} | english_words.STOP | forms.GERMAN_STOP
    capitals = (word for word in said if word[0].isupper() and word in named and word.casefold() not in known)
    if any(not _OF_CALENDAR.fullmatch(word) for word in capitals):
        return True
    things = frozenset(word.casefold() for word in named if len(word) >= LEAST_OBJECT) - english_words.STOP
    objects = (word.casefold() for word in said if not forms.STYLE.fullmatch(word))
    return order is not None and any(word in things for word in objects)


def _without(quoted: str, named: frozenset[str]) -> str:
    """A quoted example without what is of the text at hand."""
    return _WORD.sub(lambda match: "…" if match[0] in named and match[0][0].isupper() else match[0], quoted)


def _lead(reply: str) -> str:
    """The reply without a text that is sent back with it."""
    return reply.strip().partition("\n\n")[0]
