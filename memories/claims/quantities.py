"""Normal forms of numbers, units, dates and times."""

import re
from decimal import Decimal, InvalidOperation

LONGEST_NUMBER = 40


def _words(text: str) -> list[str]:
    return text.split()


_SMALL = _words(
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
    """
)
_TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")
SPELLED = {word: n for n, word in enumerate(_SMALL)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
TIMES = {"once": 1, "twice": 2}
COUNTING = frozenset({*SPELLED, *SCALES, *TIMES})
SUFFIXES = {"k": 1_000, "mn": 1_000_000, "bn": 1_000_000_000, "千": 1_000, "万": 10_000, "亿": 100_000_000}

# spelling: (smallest unit, factor)
_UNITS = {
    "day": ("day", 1), "week": ("day", 7), "fortnight": ("day", 14), "hour": ("min", 60), "minute": ("min", 1),
    "second": ("s", 1), "month": ("month", 1), "quarter": ("quarter", 1), "year": ("month", 12),
    "percent": ("percent", 1), "dollar": ("usd", 1), "euro": ("eur", 1), "pound": ("gbp", 1), "kilometer": ("m", 1_000),
    "kilometre": ("m", 1_000), "meter": ("m", 1), "metre": ("m", 1), "mile": ("mile", 1), "gram": ("g", 1),
    "kilogram": ("g", 1_000), "time": ("times", 1), "person": ("person", 1), "workday": ("workday", 1),
}  # fmt: skip
_SHORT = {
    "d": "day", "wk": "week", "wks": "week", "h": "hour", "hr": "hour", "hrs": "hour", "min": "minute",
    "mins": "minute", "sec": "second", "secs": "second", "mo": "month", "yr": "year", "yrs": "year", "pct": "percent",
    "people": "person", "km": "kilometer", "kg": "kilogram", "x": "time", "天": "day", "日": "day", "周": "week",
    "星期": "week", "礼拜": "week", "小时": "hour", "钟头": "hour", "分钟": "minute", "秒": "second", "秒钟": "second",
    "个月": "month", "月": "month", "年": "year", "季度": "quarter", "次": "time", "人": "person",
    "个工作日": "workday", "工作日": "workday", "美元": "dollar", "欧元": "euro", "英镑": "pound", "公里": "kilometer",
    "公斤": "kilogram", "米": "meter", "克": "gram", "%": "percent", "$": "dollar", "€": "euro", "£": "pound",
    "usd": "dollar", "eur": "euro", "gbp": "pound", "个小时": "hour", "个星期": "week", "个人": "person",
}  # fmt: skip
UNITS: dict[str, tuple[str, int]] = (
    _UNITS
    | {f"{word}s": unit for word, unit in _UNITS.items()}
    | {short: _UNITS[word] for short, word in _SHORT.items()}
    | dict.fromkeys(("cny", "rmb", "yuan", "元", "块", "块钱", "人民币", "¥"), ("cny", 1))
    | {word: (word, 1) for word in ("gb", "mb", "kb", "tb", "cm", "mm", "ms", "px", "chf", "jpy", "inr", "g", "m", "s")}
    | {"yen": ("jpy", 1), "円": ("jpy", 1), "日元": ("jpy", 1), "₹": ("inr", 1), "w": ("day", 7), "y": ("month", 12)}
)
ALONE = frozenset({"s", "m", "g", "w", "y", "d", "h", "x", "k"})  # units only directly after a number
PERIODS = {
    "day": "day", "days": "day", "week": "week", "weeks": "week", "month": "month", "months": "month", "year": "year",
    "quarter": "quarter", "hour": "hour",
}  # fmt: skip
CHINESE_PERIODS = {
    "天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "个星期": "week", "月": "month",
    "个月": "month", "年": "year", "季度": "quarter", "个季度": "quarter", "小时": "hour", "个小时": "hour",
}  # fmt: skip

_NAMES = _words("january february march april may june july august september october november december")
MONTHS = {name: n for n, name in enumerate(_NAMES, 1)} | {name[:3]: n for n, name in enumerate(_NAMES, 1)} | {"sept": 9}
_DAYS = _words("monday tuesday wednesday thursday friday saturday sunday")
WEEKDAYS = (
    {name: name for name in _DAYS}
    | {f"{name}s": name for name in _DAYS}
    | {"mon": "monday", "tue": "tuesday", "tues": "tuesday", "wed": "wednesday", "thu": "thursday", "thur": "thursday"}
    | {"thurs": "thursday", "fri": "friday", "weekend": "weekend", "weekends": "weekend"}
)
CHINESE_WEEKDAYS = dict(zip("一二三四五六日天末", [*_DAYS, "sunday", "weekend"], strict=True))


def number(written: str) -> str:
    """Normalise a number: 1,200.50 -> 1200.5; 007 -> 7; 3.10 stays, for it may be a version; with two points as
    written.
    """
    plain = written.replace(",", "")
    if plain.count(".") > 1 or len(plain) > LONGEST_NUMBER or re.fullmatch(r"\d{1,2}\.\d0", plain):
        return plain
    return scaled(plain, 1)


def scaled(value: str, factor: int) -> str:
    """Multiply a value by `factor`; unchanged when it is no number to calculate with."""
    try:
        exact = Decimal(value) * factor
    except InvalidOperation:
        return value
    return f"{exact.normalize():f}" if exact else "0"


def clock(hour: str, minute: str, half: str) -> str | None:
    """Normalise a time: 9, 05, "pm" -> 21:05. `half` is am, pm or empty."""
    h, m = int(hour), int(minute or 0)
    if h > 24 or m > 59 or (half and h > 12):
        return None
    h = h % 12 + (12 if half == "pm" else 0) if half else h % 24
    return f"{h:02}:{m:02}"


_DIGITS = {char: n for n, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_PLACES = {"十": 10, "百": 100, "千": 1_000}


def chinese_number(written: str) -> str:
    """Convert a Chinese numeral of at most twelve characters.

    三十 -> 30, 一百二十 -> 120, 二〇二六 -> 2026, 三万五千 -> 35000.
    """
    if not any(char in _PLACES or char in SUFFIXES for char in written):
        return "".join(str(_DIGITS[char]) for char in written)
    total = section = digit = 0
    for char in written:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _PLACES:
            section, digit = section + (digit or 1) * _PLACES[char], 0
        else:
            total, section, digit = (total + section + digit or 1) * SUFFIXES[char], 0, 0
    return str(total + section + digit)
