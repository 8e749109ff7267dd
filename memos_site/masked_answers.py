"""Middleware that masks credentials in every answer: pages and their parts, the API, MCP, files.

What is stored in clear (a person's words, rows of former versions, with MASK_SECRETS_AT_INTAKE off) is shown so. It is
the innermost of all, so that lengths and tags are those of what is sent.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from django.http import HttpRequest, HttpResponse

from memories.scanning.shown_texts import SHOWN


class MaskedAnswers:
    """A view that shows a secret on purpose (a new token, a value that a person asked for) says `shows_secrets`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response: Any = self.get_response(request)
        shown = SHOWN.get(response.headers.get("Content-Type", "").partition(";")[0])
        if shown is None or getattr(response, "shows_secrets", False):
            return response  # type: ignore[no-any-return]
        if response.streaming:
            response.streaming_content = _lines(response.streaming_content, shown)
        elif response.content:
            with suppress(UnicodeDecodeError):  # bytes that are served as a text
                text = response.content.decode()
                if (masked := shown(text)) is not text:
                    response.content = masked.encode()
        return response  # type: ignore[no-any-return]


def _lines(parts: Iterable[bytes], shown: Callable[[str], str]) -> Iterator[bytes]:
    """Our own streams hand out whole lines; a part that ends within a character is handed on."""
    for part in parts:
        try:
            yield shown(part.decode()).encode()
        except UnicodeDecodeError:
            yield part
