"""Relations between pieces: negations, comparisons, names, and which name acts on which."""

import itertools

from memories.claims import chinese
from memories.claims.pieces import Piece
from memories.lexicon.english_verbs import IMPERATIVES
from memories.lexicon.english_words import ACTS, LIGHT, PREFERRING, SUBJECT_OF, WORSE

CONTENT = frozenset({"word", "opposite", "han", "number", "name", "date", "time", "code", "email", "url", "version"})
ENDS = frozenset({"break", "pause"})
NEAR = 12  # most pieces on either side of a comparison
_VERBS = ACTS | IMPERATIVES


def denied(pieces: list[Piece]) -> None:
    """Mark negations, opposites and "stop doing"; a negation right before another one cancels both."""
    last = -9
    for at, piece in enumerate(pieces):
        denies = piece.kind in ("negation", "opposite") or _stops(pieces, at)
        if piece.kind == "negation" and piece.written == "no" and at and pieces[at - 1].written == "with":
            piece.kind = "lack"
            continue
        if piece.kind in ENDS:
            last = -9
        elif denies and piece.written not in ("neither",) and at - last <= 2:
            pieces[last].kind = "stop" if pieces[last].kind == "negation" else "word"
            piece.kind = "stop" if piece.kind == "negation" else "word"
            last = -9
        elif denies:
            if piece.kind == "word":
                piece.kind = "negation"
            last = at


def _stops(pieces: list[Piece], at: int) -> bool:
    after = pieces[at + 1].written if at + 1 < len(pieces) else ""
    return pieces[at].written in ("stop", "stops", "stopped", "quit") and after.endswith("ing") and len(after) > 5


def scopes(pieces: list[Piece]) -> list[bool]:
    """Whether the clause of each piece is negated: in "prefers Slack, dislikes email" only that of email."""
    by_position: list[bool] = []
    start = 0
    denies = False
    for at, piece in enumerate(pieces):
        if piece.kind in ENDS:
            by_position += [denies] * (at - start)
            start, denies = at, False
        denies = denies or piece.kind in ("negation", "opposite")
    return by_position + [denies] * (len(pieces) - start)


def ordered(pieces: list[Piece]) -> set[str]:
    """Extract "a>b" for each comparison, the preferred or first one in front."""
    orders = set()
    for at, piece in enumerate(pieces):
        sign = _sign(pieces, at)
        if not sign:
            continue
        left, right = _operand(pieces, at, -1), _operand(pieces, at, 1)
        if right and not left:
            left = _beyond(pieces, at)
        if left and right and left != right:
            orders.add(f"{left}>{right}" if sign == ">" else f"{right}>{left}")
            piece.kind = "stop"
    return orders


def _sign(pieces: list[Piece], at: int) -> str:
    piece = pieces[at]
    if piece.kind == "order":
        return (
            ""
            if piece.written in ("多于", "高于", "大于", "少于", "低于", "小于") and _counts(pieces, at)
            else piece.value
        )
    if piece.written == "than" and not _counts(pieces, at):
        return "<" if any(before.written in WORSE for before in pieces[max(0, at - 2) : at]) else ">"
    if piece.written == "over" and not _counts(pieces, at):
        return ">" if _prefers(pieces, at) or _says_no_more(pieces) else ""
    if piece.written == "to" and any(before.written.startswith("prefer") for before in pieces[max(0, at - 3) : at - 1]):
        return ">"
    if piece.written in ("to", "with", "by", "into") and _is_replacement(pieces, at):
        return ">"
    return ">" if piece.kind == "negation" and piece.written == "not" and _contrasts(pieces, at) else ""


def _counts(pieces: list[Piece], at: int) -> bool:
    return at + 1 < len(pieces) and pieces[at + 1].kind == "number"


def _prefers(pieces: list[Piece], at: int) -> bool:
    return any(before.written in PREFERRING for before in pieces[max(0, at - NEAR) : at])


def _says_no_more(pieces: list[Piece]) -> bool:
    """Whether the text is only a comparison: Slack over email."""
    kinds = [piece.kind for piece in pieces[:9] if piece.kind not in ENDS]
    return len(pieces) < 9 and len(kinds) == 3 and all(kind in CONTENT for kind in kinds)


def _is_replacement(pieces: list[Piece], at: int) -> bool:
    """Whether a replacement stands here: from a to b, replace a with b."""
    opening = "from" if pieces[at].written == "to" else "replac"
    return any(before.written.startswith(opening) for before in pieces[max(0, at - 4) : at - 1])


def _contrasts(pieces: list[Piece], at: int) -> bool:
    """Whether a contrast stands here (Slack, not email): a short end after a pause or "and", or right after its
    counterpart (tabs not spaces).
    """
    follows_pause = at and (pieces[at - 1].kind == "pause" or pieces[at - 1].written in ("and", "but"))
    if not follows_pause and not (at > 1 and all(before.kind in CONTENT for before in pieces[at - 2 : at])):
        return False
    rest = 0
    for piece in pieces[at + 1 : at + 6]:
        if piece.kind in ENDS:
            break
        rest += piece.kind in CONTENT
    return 1 <= rest <= 2


def _operand(pieces: list[Piece], at: int, step: int) -> str:
    at += step
    for _ in range(NEAR):
        if not 0 <= at < len(pieces) or pieces[at].kind == "break":
            break
        piece = pieces[at]
        if piece.kind == "pause" and step > 0:
            break
        if piece.kind in CONTENT and piece.written not in LIGHT:
            return chinese.compared(piece.value, is_left=step < 0) if piece.kind == "han" else piece.value
        at += step
    return ""


def _beyond(pieces: list[Piece], at: int) -> str:
    """The first term after the pause: instead of email, use Slack."""
    for later in range(at + 1, min(len(pieces), at + NEAR)):
        if pieces[later].kind == "pause":
            return _operand(pieces, later, 1)
    return ""


def names(pieces: list[Piece]) -> set[str]:
    """Mark and return the names: capital letters inside a sentence, and subjects of verbs like "prefers"."""
    plain = _says_nothing(pieces)
    names_known = {piece.value for piece in pieces if piece.kind == "name"}
    for at, piece in enumerate(pieces):
        if piece.kind == "han":
            names_known.update(chinese.names(piece.value))
        elif piece.kind == "word" and _is_name(pieces, at, plain):
            piece.kind = "name"
            names_known.add(piece.value)
    return names_known


def _says_nothing(pieces: list[Piece]) -> bool:
    """Whether capitals carry no information: the text is all capitals, or every word begins with one."""
    words = [piece.case for piece in pieces if piece.kind == "word"]
    if not words:
        return True
    return all(case == "shout" for case in words) or (len(words) > 3 and "" not in words)


def _is_name(pieces: list[Piece], at: int, plain: bool) -> bool:
    piece = pieces[at]
    if piece.case == "inner" or (piece.case == "shout" and not plain):
        return True
    if piece.case == "capital" and not piece.opens and not plain:
        return True
    if not piece.opens or piece.written in ACTS:
        return False
    after = pieces[at + 1] if at + 1 < len(pieces) else Piece("break", "")
    if after.case == "capital" and not plain and at + 2 < len(pieces):
        after = pieces[at + 2]
    follows = pieces[at + 2] if at + 2 < len(pieces) else after
    if piece.case and after.written.endswith("ed") and follows.case == "capital" and not plain:
        return True
    return after.written in SUBJECT_OF or piece.written.endswith("'s")


def subjects(pieces: list[Piece]) -> set[str]:
    """The names that open a sentence and are its topic. "Sarah is the contact" is about the contact."""
    subjects_known = set()
    for at, piece in enumerate(pieces):
        if piece.opens and piece.kind == "name" and not fills_a_role(pieces, at + 1):
            subjects_known.add(piece.value)
        elif piece.opens and piece.kind == "han":
            subjects_known.update(chinese.names(piece.value, opening=True))
    return subjects_known


def openings(pieces: list[Piece]) -> set[str]:
    """The words, no verbs, that open a sentence, which it may be about: "Globex orders ..." says nothing of Acme."""
    openers = (piece for piece in pieces if piece.opens and piece.kind in ("word", "name"))
    return {piece.value for piece in openers if _VERBS.isdisjoint((piece.written, piece.written.removesuffix("s")))}


def fills_a_role(pieces: list[Piece], at: int) -> bool:
    written = [piece.written for piece in pieces[at : at + 4]]
    return any(
        verb in ("is", "was") and article in ("the", "our", "my", "your")
        for verb, article in itertools.pairwise(written)
    )


def roles(pieces: list[Piece]) -> set[str]:
    """Extract "a>b" where one name acts on another: Sarah manages Maria."""
    roles_known = set()
    actor, acts = "", False
    for at, piece in enumerate(pieces):
        if piece.kind in ENDS or piece.written in ("and", "or", "by"):
            actor, acts = "", False
        elif piece.kind == "name" and actor and acts:
            roles_known.add(f"{actor}>{piece.value}")
            actor, acts = "", False
        elif piece.kind == "name":
            actor, acts = piece.value, at + 1 < len(pieces) and _acts(pieces[at + 1].written)
    return {pair for pair in roles_known if len(set(pair.split(">"))) == 2}


def _acts(word: str) -> bool:
    return (
        word in ACTS
        or word.endswith("ed")
        or (len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "'s", "us", "is")))
    )
