"""What a user says of work that was just done: that it worked, or that it did not; and whether a message instructs or
corrects whoever does the work.

Precise rather than broad: only plain sentences about the work itself count, no question, no condition, no wish. "That
works for me" agrees to a plan, "the checkout does not work" may be a new task; neither says how the last run ended.
"""

import re
from collections.abc import Iterable

from consolidation.learning.statements.outcome_forms import (
    APPROVALS,
    BUT,
    COMPLAINTS,
    OPEN,
    QUALIFIED,
    QUESTION_FORMS,
    REJECTIONS,
    TELLERS,
    TOLD_WELL,
    UNDECIDED,
    WISHES,
)
from consolidation.learning.statements.result_forms import (
    ACCEPTED,
    ACCEPTED_CHINESE,
    GLAD,
    ILL,
    ILL_CHINESE,
    REFUSED,
    REFUSED_CHINESE,
    SETTLED,
    WELL,
    WELL_CHINESE,
)

LONGEST = 600  # characters that are read of a message
MOST_SENTENCES = 4  # and the last one: "Please correct these."
SENTENCE = re.compile(r"(?:[^.!?\n。！？；]|\.(?=\w))+[.!?。！？；]*")  # a version or a file's name is in one
_APPROVAL = (*APPROVALS, ACCEPTED_CHINESE, WELL_CHINESE)
_REJECTION = (*REJECTIONS, REFUSED, REFUSED_CHINESE, ILL, ILL_CHINESE)
_APOSTROPHE = re.compile(r"\b(did|does|do|is|are|was|wo|ca|has|have)nt\b", re.IGNORECASE)
_FENCE = re.compile(r"```.*?(?:```|\Z)|`[^`]*`|^>.*$|<[^>]{0,200}>", re.DOTALL | re.MULTILINE)


def says_it_worked(text: str) -> bool | None:
    """Whether a user's message says that what was done worked; None: it says neither, or both, or not wholly."""
    plain = _FENCE.sub(" ", text)[:LONGEST]
    is_glad = bool(GLAD.search(plain))
    answers = {answer for sentence in _sentences(text) if (answer := _verdict_of(sentence, is_glad)) is not None}
    if answers == {True}:
        return None if BUT.search(plain) else True
    return False if answers == {False} else None


def _sentences(text: str) -> list[str]:
    own_text = _FENCE.sub(" ", text)
    plain = _APOSTROPHE.sub(r"\1n't", own_text[:LONGEST].replace("’", "'"))
    parts = [part.strip() for part in SENTENCE.findall(plain) if part.strip()]
    return parts[:MOST_SENTENCES] + (parts[MOST_SENTENCES:][-1:] if len(own_text) <= LONGEST else [])


def _verdict_of(sentence: str, is_glad: bool) -> bool | None:
    """Whether a sentence says that the work succeeded, also one that reports another person's words; None: neither.

    `is_glad`: the message thanks or praises somewhere; then a plain "it is there now" is a success.
    """
    teller = next((match for words in TELLERS if (match := words.match(sentence))), None)
    if teller:
        return _verdict_of_another(sentence[teller.end() :], is_glad)
    return _verdict_of_user(sentence, is_glad)


def _verdict_of_another(words: str, is_glad: bool) -> bool | None:
    """The same of another person's words, where a thing may stand for the work; a wish is a new request (None)."""
    if _has_form(WISHES, words):
        return None
    verdict = _verdict_of_user(words, is_glad)
    if verdict is not None or words.rstrip().endswith("?") or QUESTION_FORMS.search(words):
        return verdict
    return False if _has_form(COMPLAINTS, words) else True if TOLD_WELL.search(words) else None


def _verdict_of_user(sentence: str, is_glad: bool) -> bool | None:
    """The same of the user's own words. A failure may be conditional ("it still fails when ..."), a success may not."""
    if sentence.rstrip().endswith(("?", "？")) or _has_form(UNDECIDED, sentence):
        return None
    if _has_form(_REJECTION, sentence):
        return False
    is_well = ACCEPTED.search(sentence) or WELL.search(sentence) or (is_glad and SETTLED.search(sentence))
    if is_well and not QUALIFIED.search(sentence):
        return True
    if OPEN.search(sentence):
        return None
    return True if _has_form(_APPROVAL, sentence) else None


def _has_form(forms: Iterable[re.Pattern[str]], text: str) -> bool:
    return any(form.search(text) for form in forms)


LONGEST_INSTRUCTION = 4_000  # characters that are read of a message that instructs
_TO = r"(?:please |but |and |also |now |then |so |ok(?:ay)?,? |can you |could you )*"
_VERBS = "make|keep|add|remove|delete|drop|change|replace|rename|shorten|rewrite|use|avoid|put|list|include|leave|skip"
# Friends cheer each other up in the same forms.
_CHEER = (
    r"keep (?:\w+ing|on|up|it up|me|you|us|in|at|that|your|believing)\b|make (?:it (?:happen|up|through)|your|the most|"
    r"(?:a )?(?:wish|time|memories)|sure you(?:rs)?\b)|change is|do(?:n't| not) (?:quit|let|be|miss|stop|forget|worry"
    r"|give up|hesitate|sweat|mention|lose)|never (?:give up|stop|quit|lose|let)|put yourself|leave it all"
)
_WORK = "use|write|ask|check|send|add|give|start|put|include|show|answer|call|run|keep|delete|confirm|read|book|reply"
_INSTRUCTS = re.compile(
    rf"^{_TO}(?!{_CHEER})(?:(?:{_VERBS})|(?:do not|don't) [a-z]+|(?:never|always) (?:{_WORK}))\b"
    r"|^no[, ]+(?!way\b|prob|worries|need to|thanks|doubt|wonder|yet\b|really\b|at all|sure\b|bad\b|much\b|i\b|we\b|"
    r"what\b|matter|one\b|it\b|they\b|my\b|but\b|never\b)[a-z]+|^not (?:like that|that|so|the [a-z]+)\b"
    r"|^(?:that(?:'s| is)|this is) (?:still )?(?:too (?!bad|kind|funny|cool)|not what i |not right|wrong|incorrect)"
    r"|^(?:still )?too [a-z]+[.!,]|\byou (?:forgot|missed|left out|misunderstood)\b|\bi (?:meant|asked for) "
    r"|\binstead of\b.*\b(?:use|write|take|put)\b|\b(?:use|write|take|put)\b.*\binstead\b",
    re.IGNORECASE,
)
_INSTRUCTS_CHINESE = re.compile(
    r"^(?:请|那|再|还|也|另外|然后)*(?:不要|别(?!担心|客气|急|难过|灰心)|不能|不用|改成|改为|换成|去掉|删掉|加上|补充|保留|必须|一律|"
    r"先.{1,12}再)|不是.{0,12}(?:而是|是)|(?:你|还)(?:忘了|漏了|少了|弄错|搞错)|(?:不对|错了|不符合)|^(?:还是)?太(?!好|棒|感谢|谢谢|高兴|开心|厉害|可爱|酷).{1,4}了[，。！]"
)
_LIST = re.compile(r"(?:^\s*(?:\d+[.)、]|[-*])\s+\S.*$\s*){2,}", re.MULTILINE)


def instructs(text: str) -> bool:
    """Whether a message instructs or corrects whoever does the work, in a sentence or a list of its own.

    For runs without tool results: there only instructions can teach an agent anything, and small talk has hardly any.
    """
    plain = text[:LONGEST_INSTRUCTION].replace("’", "'")
    sentences = (sentence.strip() for sentence in SENTENCE.findall(plain))
    return bool(_LIST.search(plain)) or any(
        _INSTRUCTS.search(sentence) or _INSTRUCTS_CHINESE.search(sentence) for sentence in sentences
    )
