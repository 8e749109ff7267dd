"""Values as programs spell them, of texts in which people write them: dates, and numbers with decimals.

1 February 2027, Feb 1st, 2027 and 01.02.2027 are 2027-02-01; 129.00 is 129.
"""

import re
from collections.abc import Iterator

_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "mär": 3, "apr": 4, "may": 5, "mai": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9,
    "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
}  # fmt: skip
_MONTH = rf"({'|'.join(_MONTHS)})[a-zä]*\.?"
_DATE = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?{_MONTH},?\s+(\d{{4}})\b"
    rf"|\b{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b"
    r"|\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b|(\d{4})年(\d{1,2})月(\d{1,2})日",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"(\d+)\.(\d*?)0+")


def dates(text: str) -> Iterator[str]:
    """Yield the dates of a text as YYYY-MM-DD."""
    for found in _DATE.finditer(text):
        if found[1]:
            year, month, day = found[3], _MONTHS[found[2].lower()], found[1]
        elif found[4]:
            year, month, day = found[6], _MONTHS[found[4].lower()], found[5]
        elif found[7]:
            year, month, day = found[9], int(found[8]), found[7]
        else:
            year, month, day = found[10], int(found[11]), found[12]
        yield f"{year}-{int(month):02}-{int(day):02}"


def number(word: str) -> str:
    """Return a decimal number without zeros at its end; any other word as it is."""
    match = _DECIMAL.fullmatch(word)
    return (f"{match[1]}.{match[2]}" if match[2] else match[1]) if match else word
