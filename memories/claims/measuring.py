"""Recognition of amounts in a row of pieces: spelled numbers, units, dates with month names, frequencies."""

from memories.claims.pieces import Piece
from memories.claims.quantities import ALONE, PERIODS, SCALES, SPELLED, SUFFIXES, TIMES, UNITS, scaled
from memories.lexicon.english_words import STOP

MOMENTS = frozenset({"in", "since", "until", "till", "before", "after", "by", "from", "during", "year"})
WORKING = frozenset({"business", "working"})


def measured(pieces: list[Piece]) -> list[Piece]:
    """Replace every amount by one number in its smallest unit followed by its unit, and every date by one piece."""
    return _with_units(_with_months(_with_numbers(pieces)))


def _with_numbers(pieces: list[Piece]) -> list[Piece]:
    """Replace spelled numbers: thirty-five, two hundred, twice.

    A lone "one" is a pronoun unless it counts something.
    """
    result: list[Piece] = []
    at = 0
    while at < len(pieces):
        if pieces[at].kind == "spelled":
            end = at + 1
            while end < len(pieces) and end < at + 8 and pieces[end].kind == "spelled":
                end += 1
            result.append(_number([piece.value for piece in pieces[at:end]], following(pieces, end)))
            at = end
        elif pieces[at].written == "one" and following(pieces, at + 1) in PERIODS:
            result.append(Piece("number", "1", "one"))
            at += 1
        else:
            result.append(pieces[at])
            at += 1
    return result


def following(pieces: list[Piece], at: int) -> str:
    return pieces[at].written if at < len(pieces) else ""


def _number(words: list[str], after: str) -> Piece:
    if words == ["once"] and after not in ("a", "per", "every", "each", "daily", "weekly", "monthly"):
        return Piece("stop", "", "once")
    total = value = 0
    for word in words:
        if word in SCALES:
            value = (value or 1) * SCALES[word]
            if SCALES[word] > 100:
                total, value = total + value, 0
        else:
            value += SPELLED.get(word, 0) + TIMES.get(word, 0)
    return Piece("number", str(total + value), words[0], unit="x" if words[0] in TIMES else "")


def _with_months(pieces: list[Piece]) -> list[Piece]:
    """Replace January 15, 2026 and 15th of Jan by dates. "may" and "march" are months only next to a day or a year."""
    result: list[Piece] = []
    skip = 0
    for at, piece in enumerate(pieces):
        if skip:
            skip -= 1
        elif piece.kind != "month":
            result.append(piece)
        else:
            day, year, skip = _behind(pieces, at + 1)
            day = day or _day_before(result)
            if day or year or not (piece.written in ("may", "march", "mar", "dec") and not piece.case):
                result.append(Piece("date", "-".join(filter(None, (year, piece.value, day or "")))))
                result[-1].value += "" if day else "-"
            elif piece.written != "may":
                result.append(Piece("word", piece.written, piece.written, opens=piece.opens))
    return result


def _behind(pieces: list[Piece], at: int) -> tuple[str, str, int]:
    """Read (day, year, number of pieces) after a month."""
    start = at
    day = year = ""
    if _at(pieces, at).kind == "pause" and _at(pieces, at).written == ".":
        at += 1
    if _is_day(_at(pieces, at)):
        day = _at(pieces, at).value.zfill(2)
        at += 1
    comma = 1 if day and _at(pieces, at).kind == "pause" else 0
    if _is_year(_at(pieces, at + comma)):
        year = _at(pieces, at + comma).value
        at += comma + 1
    return day, year, at - start if day or year else 0


def _day_before(pieces: list[Piece]) -> str:
    """Remove "15" or "15th of" from the end of `pieces` and return the day."""
    back = 2 if len(pieces) > 1 and pieces[-1].written == "of" else 1
    if len(pieces) >= back and _is_day(pieces[-back]):
        day = pieces[-back].value.zfill(2)
        del pieces[-back:]
        return day
    return ""


def _at(pieces: list[Piece], at: int) -> Piece:
    return pieces[at] if at < len(pieces) else Piece("", "")


def _is_day(piece: Piece) -> bool:
    ordinal = piece.unit in ("", "st", "nd", "rd", "th")
    return piece.kind == "number" and ordinal and piece.value.isdecimal() and 1 <= len(piece.value) <= 2


def _is_year(piece: Piece) -> bool:
    return piece.kind == "number" and not piece.unit and len(piece.value) == 4 and piece.value[:2] in ("19", "20")


def _with_units(pieces: list[Piece]) -> list[Piece]:
    result: list[Piece] = []
    at = 0
    while at < len(pieces):
        piece = pieces[at]
        at += 1
        if piece.kind == "number":
            at = _unit(pieces, at, result)
        elif piece.written in ("every", "each", "per", "a", "daily") and _at(pieces, at).written in PERIODS:
            has_number = any(before.kind == "number" for before in result[-3:])
            if piece.written != "a" or has_number:
                result.append(Piece("frequency", PERIODS[_at(pieces, at).written]))
                at += 1
        else:
            result.append(piece)
    return result


def _unit(pieces: list[Piece], at: int, result: list[Piece]) -> int:
    """Append to `result` the number before `at`, in its smallest unit, and the unit; return the position after them."""
    piece = pieces[at - 1]
    value, unit = _number_and_unit(piece)
    following_word = _at(pieces, at).written
    if _is_year(piece) and at > 1 and pieces[at - 2].written in MOMENTS and following_word not in UNITS:
        result.append(Piece("date", value, piece.written))
        return at
    if following_word in SCALES and unit in ("", "$", "€", "£", "¥"):
        value, at = scaled(value, SCALES[following_word]), at + 1
        following_word = _at(pieces, at).written
    if not unit and following_word in WORKING and _at(pieces, at + 1).written in ("day", "days"):
        unit, at = "workday", at + 2
    elif not unit and following_word in UNITS and following_word not in ALONE and following_word not in STOP:
        unit, at = following_word, at + 1
    if unit not in UNITS:
        result.append(Piece("number", value, piece.written))
        if unit and unit not in ("st", "nd", "rd", "th"):
            result[-1] = Piece("code", value + unit, piece.written)
        return at
    name, times = UNITS[unit]
    value = scaled(value, times)
    result.append(Piece("number", value, piece.written))
    result.append(Piece("unit", f"{value} {name}", name))
    return at


def _number_and_unit(piece: Piece) -> tuple[str, str]:
    """Return the value of a number and the unit that is written with it, without a suffix such as k."""
    factor = 1_000_000 if piece.unit == "m" and _is_money(piece) else SUFFIXES.get(piece.unit, 0)
    if not factor:
        return piece.value, piece.unit
    return scaled(piece.value, factor), piece.written[0] if _is_money(piece) else ""


def _is_money(piece: Piece) -> bool:
    return piece.written[:1] in ("$", "€", "£", "¥", "₹")
