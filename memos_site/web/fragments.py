"""Small pieces of pages that look the same in many rows and for many readers, and addresses of rows."""

from collections.abc import Hashable
from functools import cache, lru_cache
from uuid import UUID

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import get_script_prefix, reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language

ANY_ROW = UUID(int=0)


def fragment(template: str, **facts: Hashable) -> SafeString:
    """Render a template that shows these facts and nothing else, once for each language.

    Not for one that names a request, a person, an instant or a form.
    """
    return (_render if settings.DEBUG else _kept)(template, get_language(), **facts)


def _render(template: str, _language: str | None, **facts: Hashable) -> SafeString:
    return render_to_string(template, facts)


_kept = lru_cache(maxsize=1_024, typed=True)(_render)  # typed: 1 and 1.0 are shown otherwise, safe and other text too


def row_url(name: str, pk: UUID) -> str:
    """Return the address of this name for a row, as `{% url %}` does: a list has up to five for each of its rows."""
    return _address(name, get_script_prefix()).replace(str(ANY_ROW), str(pk))


@cache
def _address(name: str, _prefix: str) -> str:
    return reverse(name, args=[ANY_ROW])
