"""Secrets in the columns of a table whose first row names them: Markdown, CSV, the output of a database's shell."""

import re
from collections.abc import Iterable, Iterator

from memories.scanning.named_secrets import NAME, TELLING

HEADS = ("|token", "| token", "token|", "token |", "token  ", "token\t", "\ttoken", ",token", ", token", "token,")
MOST_ROWS, LONGEST_HEAD = 1_000, 500
_LINE = re.compile(r"\\(?:\\{0,7}r?\\{0,8}n)|\r\n|\n")  # begins with what is looked for at once
_MARKS = " \"'`*\\"
_NAMES = re.compile(r"[\w .:-]{1,60}")  # what columns are called: nothing that only code holds
_LAST_WORDS = re.compile(r"[\w .-]*$")
_JSON_TEXT = re.compile(r"[:\[] ?\\{0,7}\"|\", \"")
_REST_OF_JSON = re.compile(r"\\{0,7}\"\s*(?:,\s*\\{0,7}\"|[}\]]).*", re.DOTALL)
_RULED = frozenset("-+|: #/*;=\t")  # a line between head and rows, perhaps in a comment
_VALUE = re.compile(r"[ \t\"'`*\\]*([^\s\"'`\\]*)")  # a JSON document may go on behind it
_TOKEN = re.compile(r"(?i:(?:\w{1,20}[ _-])?token)")
_LIKE_TOKENS = re.compile(r"(?=\S*\d)(?=\S*[a-z])(?=\S*[A-Z])[\w+/.-]{12,512}={0,2}|[0-9a-f]{32,128}")
_TELLING = re.compile(rf"{TELLING}(?!\d{{2,4}}[-/.]\d{{1,2}}[-/.]|@?\w+\()[^\s'\"\\]{{6,512}}")  # and no date, no call

Columns = dict[int, re.Pattern[str]]  # by the number of a column what its secrets look like


def in_columns(text: str, heads: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Where secrets stand. `heads`: in order, places at which the name of a column may stand."""
    end = -1
    for place in heads:
        if place < end:
            continue
        least = max(0, place - LONGEST_HEAD)
        start = max((line.end() for line in _LINE.finditer(text, least, place)), default=least)
        end = _end(text, start)
        if end == len(text):
            return  # no row follows
        head = text[start:end]
        begun = max((text_of_json.end() for text_of_json in _JSON_TEXT.finditer(head)), default=0)
        head = head[begun:]
        sign = max("|\t,", key=head.count)
        cells = head.split(sign)
        if sign == "," and not all(map(str.strip, cells)):
            continue  # a line of code
        if sign in head and (columns := _columns(cells)):
            yield from _below(text, end, sign, columns, cells=len(cells))


def _columns(cells: list[str]) -> Columns:
    names = [cell.strip(_MARKS) for cell in cells]
    names[0] = _LAST_WORDS.findall(names[0])[0]  # what stands before a table on its line
    if not all(_NAMES.fullmatch(name) for name in filter(None, names)) or "" in names[1:-1]:
        return {}
    secret_columns = {n: _TELLING for n, name in enumerate(names) if NAME.search(name)}
    return secret_columns or {n: _LIKE_TOKENS for n, name in enumerate(names) if _TOKEN.fullmatch(name)}


def _end(text: str, start: int) -> int:
    line = _LINE.search(text, start)
    return line.start() if line else len(text)


def _below(text: str, end: int, sign: str, columns: Columns, *, cells: int) -> Iterator[tuple[int, int]]:
    for _ in range(MOST_ROWS):
        line = _LINE.match(text, end)
        if line is None:
            return
        start, end = line.end(), _end(text, line.end())
        line_text = text[start:end]
        row = line_text.split(sign)
        if len(row) != cells:
            row = _REST_OF_JSON.sub("", line_text).split(sign)
        if len(row) != cells and not set(line_text) <= _RULED:
            return
        for n, pattern in columns.items():
            match = _VALUE.match(row[n]) if n < len(row) else None
            value = match[1] if match else ""
            if pattern.fullmatch(value):
                at = start + sum(len(cell) + 1 for cell in row[:n]) + row[n].index(value)
                yield at, at + len(value)
