"""SQL by what it does: `UPDATE shop.orders` of a statement that changes this table, `SELECT orders` of a query."""

import re

_QUOTED = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:''|[^'])*'", re.DOTALL)
_T = r"([\w$.\"`\[\]]+)"  # a table
_CHANGES = re.compile(
    rf"\b(INSERT|REPLACE|MERGE)\s+(?:INTO|OVERWRITE)\s+(?:TABLE\s+)?{_T}"
    rf"|\b(UPDATE)\s+(?:ONLY\s+)?{_T}(?:\s+(?:AS\s+)?\w+)?\s+SET\b|\b(DELETE)\s+FROM\s+{_T}"
    rf"|(?:^|;)\s*(TRUNCATE(?:\s+TABLE)?|(?:CREATE|ALTER|DROP)(?:\s+\w+){{0,3}}?\s+(?:TABLE|VIEW|INDEX|SCHEMA|SEQUENCE))"
    rf"\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?{_T}",
    re.IGNORECASE,
)
_READS = re.compile(r"\s*\(*\s*(?:SELECT|WITH|SHOW|DESCRIBE|DESC|EXPLAIN|PRAGMA|VALUES)\b", re.IGNORECASE)
_FROM = re.compile(rf"\bFROM\s+{_T}", re.IGNORECASE)


def name_of(text: str) -> str:
    """Return the verb and the table of the first statement that changes something, else of a query; '' for no SQL."""
    plain = _QUOTED.sub(lambda quoted: "''" if quoted[0][0] == "'" else " ", text)
    if change := _CHANGES.search(plain):
        verb, table = filter(None, change.groups())
        return f"{verb.split()[0].upper()} {_bare(table)}"
    if not _READS.match(plain):
        return ""
    source = _FROM.search(plain)
    return f"SELECT {_bare(source[1])}" if source else "SELECT"


def _bare(table: str) -> str:
    return re.sub(r"[\"`\[\]]", "", table).strip(".")
