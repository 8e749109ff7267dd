"""Validation of single input values that collects every error with its JSON pointer."""

from datetime import UTC, datetime
from typing import Any

from memories.values.exceptions import FieldError, Invalid

LONGEST_NAME = 512
LARGEST_VALUE = 10 * 1024 * 1024
MOST_ERRORS = 100  # reported at once; more are usually one mistake repeated
FIRST_YEAR, LAST_YEAR = 1900, 9000  # far from both ends of the calendar, where a time zone would leave it


class Faults:
    """The errors found so far. The hundredth ends the validation (Invalid)."""

    def __init__(self) -> None:
        self.errors: list[FieldError] = []

    def add(self, pointer: str, code: str, detail: str) -> None:
        self.errors.append(FieldError(pointer, code, detail))
        if len(self.errors) == MOST_ERRORS:
            self.settle()

    def settle(self) -> None:
        """Raise Invalid if there were errors."""
        if self.errors:
            raise Invalid(*self.errors)

    def text(self, holder: dict[str, Any], name: str, pointer: str, *, longest: int = LONGEST_NAME) -> str | None:
        """Return `holder[name]`, '' when it is absent; None when it is no text, which is recorded as an error."""
        value = holder.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.add(f"{pointer}/{name}", "not_a_text", "must be a text")
            return None
        if len(value) > longest:
            self.add(f"{pointer}/{name}", "too_long", f"is longer than {longest} characters")
        return value

    def identifier(self, holder: dict[str, Any], name: str, pointer: str) -> str:
        """As `text`, but an integer is accepted as its digits."""
        return self.text({name: as_text(holder.get(name))}, name, pointer) or ""

    def instant(self, holder: dict[str, Any], name: str, pointer: str) -> datetime | None:
        value = holder.get(name)
        instant = parse_instant(value)
        if value is not None and instant is None:
            self.add(f"{pointer}/{name}", "not_an_instant", NOT_AN_INSTANT)
        return instant

    def fits(self, value: Any, pointer: str) -> None:
        size = len(value) if isinstance(value, str) else len(repr(value)) if value is not None else 0
        if size > LARGEST_VALUE:
            self.add(pointer, "too_large", "is larger than 10 MiB")


NOT_AN_INSTANT = f"must be an RFC 3339 time with its zone, from {FIRST_YEAR} to {LAST_YEAR}"


def parse_instant(value: Any) -> datetime | None:
    """Parse an RFC 3339 instant to UTC; None when it is invalid or has no time zone."""
    if not isinstance(value, str):
        return None
    try:
        instant = datetime.fromisoformat(value)
        instant = instant.astimezone(UTC) if instant.tzinfo else instant
    except (ValueError, OverflowError):
        return None
    return instant if instant.tzinfo and FIRST_YEAR <= instant.year <= LAST_YEAR else None


def format_instant(at: datetime) -> str:
    """Format an instant as in every answer, also within stored JSON: RFC 3339 in UTC, with `Z`."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def as_text(value: Any) -> Any:
    """Convert an integer to text, since ids are often sent as numbers; return anything else unchanged."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value
