"""Whether the words around a quote say what a statement says of its object, and not the opposite.

A predicate that any sentence may mean ("works at", "has", "prefers") is not looked for. Of any other, one word must
stand there or be near one that does, by the built-in model of words: "is reset" near "we wipe it", "sends love to"
near nothing in "my sister Ada prefers green tea". Near is broad, so that a paraphrase passes; people review the rest.
"""

import re

from consolidation.learning.wording import german_words
from memories import embedding
from memories.claims import claim_of
from memories.claims.terms import terms
from memories.lexicon.english_words import UNSAID_RELATIONS

PREDICATE, DENIED, TURNED = "predicate_not_said", "denied_in_quote", "turned_round"
NEAR = 0.25  # cosine of two words
LEAST_GERMAN = 2  # different small words of German in a German quote
FEW_SIGNS = 2  # so short a Chinese verb has too many others beside it
_OPEN_HAN = re.compile(
    r"是|有|在|于|为|会|能|可以|想要|想|需要|要求|要|喜欢|喜爱|偏好|爱|使用|用|住|居住|工作|任职|就职|属于|负责|位于|包含|包括|"
    r"叫|名|来自|来|去|到|成为|认识|知道|只|不|没|的|了|着|过"
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_NAME = re.compile(r"\b[A-Z][\w'-]+")
_PLACED = re.compile(r"\bwork(?:s|ed)? (?:at|for|as|in)\b|\bliv(?:es?|ed) (?:in|at)\b")
_WHERE = re.compile(  # without one of these a quote puts nobody anywhere
    r"\b(?:from|at|of|in|to|with|for|here|jobs?|work\w*|join\w*|employ\w*|office|company|team|mov\w+|stay\w*|home|house|flat|"
    r"live[sd]?|living)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w'-]+")
_ACTS = re.compile(  # of this conversation
    r"^(?:is |are |was )?(?:thank|ask|sa(?:ys?|id)\b|t(?:ells?|old)\b|talk|greet|congratulat|wish|apologi"
    r"|hop(?:es?|ing)\b|shared\b|mention|repl(?:y|ied)|answer|sends? (?:love|greetings|regards|wishes)"
    r"|look(?:s|ing) forward|encourag|compliment)"
    r"|^(?:感谢|谢谢|询问|问|说|告诉|祝|道歉|希望|期待|分享了|提到|鼓励|称赞|问候)",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|(?:last|next|this) (?:week|month|year|night|weekend|morning|evening))\b"
    r"|昨天|今天|明天|今晚|上周|下周|这周|本周|上个?月|下个?月|去年|明年",
    re.IGNORECASE,
)
_RECURRING = re.compile(r"\b(?:every|each|always|monthly|weekly|daily|yearly)\b|每|总是|一律", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:I|we|i|We)\b")
_CLAUSE = re.compile(r"[,;.!?:，。；！？：]+|\b(?:but|because|so|and)\b|但是?|因为|所以|而且")
_IDIOMS = re.compile(
    r"\b(?:can(?:not|'?t) (?:wait|help|stop|believe)|(?:do not|don'?t) (?:forget|worry)|not only|no (?:doubt|matter)|"
    r"why (?:not|don'?t)|couldn'?t (?:be|agree)|nothing (?:beats|better))|"
    r"不但|不仅|不错|忍不住|不得不|差不多|不好意思|(?:别|不要)忘",
    re.IGNORECASE,
)
_DENYING = re.compile(
    r"allerg|vegetarian|vegan|\b(?:hat|dislik|avoid|refus|lack|forbid|forbad|prohibit|quit|stop|limit|except|fail|fear|"
    r"struggl|afraid|unable|free|only|rather|without|no|not|never|cannot|won'?t|don'?t|doesn'?t)|过敏|素食|讨厌|拒绝|缺|仅|只|忌|戒|怕|不|没|无",
    re.IGNORECASE,
)


def predicate_fault(subject: str, predicate: str, object: str, quote: str, around: str) -> str:
    """Return why the quote, with the words around it, does not say so of the subject, or "". Reasons: DENIED (it denies
    it), TURNED (it says so of the object), PREDICATE (nothing there means it)."""
    if is_denied(predicate, object, quote):
        return DENIED
    if is_turned(subject, predicate, object, quote):
        return TURNED
    has_place = not _PLACED.search(predicate) or _WHERE.search(quote) or _HAN.search(quote)
    return "" if has_place and is_said(predicate, object, around) else PREDICATE


def is_passing(predicate: str, object: str) -> bool:
    """Whether it tells what somebody does in this conversation, or at a time that only the conversation knows."""
    lasts = _RECURRING.search(f"{predicate} {object}")
    return bool(_ACTS.search(predicate.strip()) or (_PASSING.search(object) and not lasts))


def is_said(predicate: str, object: str, around: str) -> bool:
    """Whether the words around the quote, or the object, hold the predicate or a word near to one of its own."""
    if _HAN.search(predicate):
        signs = set(_HAN.findall(_OPEN_HAN.sub("", predicate)))
        return len(signs) <= FEW_SIGNS or bool(signs & set(f"{around}{object}"))
    predicate_words = _own_words(predicate, object)
    if not predicate_words:
        return True
    text = f"{around} {object}"
    if claim_of(" ".join(predicate_words)).tokens & claim_of(text).tokens:
        return True
    predicate_vectors, _ = embedding.built_in().words(
        [term.word for term in terms(" ".join(predicate_words)) if term.word]
    )
    text_vectors, _ = embedding.built_in().words([term.word for term in terms(text) if term.word])
    return (
        not (len(predicate_vectors) and len(text_vectors)) or float((predicate_vectors @ text_vectors.T).max()) >= NEAR
    )


def is_denied(predicate: str, object: str, quote: str) -> bool:
    """Whether the quote denies what the statement affirms: "I hate not being on the court" of "works at the court"."""
    if _DENYING.search(f"{predicate} {object}"):
        return False
    object_tokens = claim_of(object).tokens if object.strip() else frozenset()
    clauses = [clause for clause in _CLAUSE.split(_IDIOMS.sub(" ", quote)) if clause.strip()]
    about_object = [clause for clause in clauses if object_tokens & claim_of(clause).tokens or object in clause]
    return bool(about_object) and all("negation:not" in claim_of(clause).hard for clause in about_object)


def is_turned(subject: str, predicate: str, object: str, quote: str) -> bool:
    """Whether the quote says it the other way round: "Ada sends you love" of "Nora sends love to Ada". Of names that
    stand before an active verb of English, where neither the subject nor a first person does; in German the object may
    stand there.
    """
    verb_tokens, names = claim_of(" ".join(_own_words(predicate, object)) or "-").tokens, _NAME.findall(object)
    if not names or _HAN.search(predicate) or " by" in f"{predicate} " or german_words(quote) >= LEAST_GERMAN:
        return False
    for clause in _CLAUSE.split(quote):
        verb = next((match for match in _WORD.finditer(clause) if claim_of(match[0]).tokens & verb_tokens), None)
        if verb is None or re.match(r"\W+by\b", clause[verb.end() :]):
            continue
        before = clause[: verb.start()]
        if any(name in before for name in names) and not _FIRST.search(before):
            return not claim_of(subject).tokens & claim_of(before).tokens
    return False


def _own_words(predicate: str, object: str) -> list[str]:
    """The words of a predicate that not any sentence may mean, and that are not the object's."""
    predicate_text, words_to_ignore = (
        _PLACED.sub(" ", predicate.casefold()),
        UNSAID_RELATIONS | set(_WORD.findall(object.casefold())),
    )
    return [word for word in _WORD.findall(predicate_text) if word not in words_to_ignore]
