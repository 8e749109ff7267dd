"""Exceptions of domain operations, with messages fit for the API and the pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True)
class FieldError:
    """One invalid value: `pointer` is an RFC 6901 JSON pointer into the input."""

    pointer: str
    code: str
    detail: str
    names_field: bool = False  # the detail names the field itself

    def __str__(self) -> str:
        return f"{self.path}: {self.detail}" if self.path and not self.names_field else self.detail

    @property
    def path(self) -> str:
        """The pointer in readable form: `/messages/3/role` -> `messages[3].role`."""
        path = ""
        for part in self.pointer.split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            path += f"[{name}]" if name.isdigit() else f".{name}"
        return path.removeprefix(".")


def within(pointer: str, part: object) -> str:
    """The pointer to a member of what `pointer` points to, escaped as RFC 6901 requires."""
    return f"{pointer}/{str(part).replace('~', '~0').replace('/', '~1')}"


class Invalid(Exception):
    """The input is invalid; every wrong field is named. 400 at the API."""

    def __init__(self, *errors: FieldError) -> None:
        super().__init__("; ".join(str(error) for error in errors))
        self.errors = errors


class Conflict(Exception):
    """The row's state does not allow this; the message names the state and, if known, who set it. 409 at the API."""

    code = "conflict"
    more: Mapping[str, Any] = {}  # additional members of the problem


class Outdated(Exception):
    """The row's version is no longer the one in the caller's If-Match. 412 at the API."""


class NotAllowed(Exception):
    """The caller may not do this, but may know that the object exists. 403 at the API."""


class NotFound(Exception):
    """The object does not exist, or the caller may not see it: both give the same answer. 404 at the API."""


class Rows(Protocol[R_co]):
    """What has a first row: a QuerySet, also of single values."""

    def first(self) -> R_co | None: ...


def one_of(rows: Rows[R_co], missing: str = "") -> R_co:
    """The first of these rows. NotFound: there is none, or the caller may not see it; `missing` says so."""
    row = rows.first()
    if row is None:
        raise NotFound(missing) if missing else NotFound
    return row


class Lost(NotFound):
    """The object is there, and the caller may see it, but not what belongs to it: the message says what to do. 404."""


class UnknownKey(NotFound):
    """No visible memory has this key; `suggestions` are similar keys. 404 at the API."""

    def __init__(self, suggestions: list[str]) -> None:
        super().__init__("no such key")
        self.suggestions = suggestions
