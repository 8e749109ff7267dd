"""Small pieces of pages that look the same in many rows and for many readers."""

from collections.abc import Hashable
from functools import lru_cache

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language


def fragment(template: str, **facts: Hashable) -> SafeString:
    """Render a template that shows these facts and nothing else, once for each language.

    Not for one that names a request, a person, an instant or a form.
    """
    return (_fresh if settings.DEBUG else _kept)(template, get_language(), **facts)


def _fresh(template: str, _language: str | None, **facts: Hashable) -> SafeString:
    return render_to_string(template, facts)


_kept = lru_cache(maxsize=1_024, typed=True)(_fresh)  # typed: 1 and 1.0 are shown otherwise, safe and other text too
