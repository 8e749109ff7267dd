"""Names of models and their fields, as the admin shows them, in the reader's language.

Django derives them from the code. They are marked here once for all, so that no field needs a name of its own and no
migration knows of languages.
"""

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.utils.translation import override, pgettext_lazy

CONTEXT = "in the admin"
ROOMS = ("memories", "skills", "consolidation", "memos_site")


def names() -> set[str]:
    """The names that the admin shows, in English."""
    all_names = set()
    with override(None):
        for model in filter(admin.site.is_registered, _models()):
            all_names |= {str(model._meta.verbose_name), str(model._meta.verbose_name_plural)}
            all_names |= {str(field.verbose_name) for field in model._meta.local_fields}
    return all_names


def translate() -> None:
    """Have the names follow the language of the request. Called once all models are loaded."""
    for model in _models():
        model._meta.verbose_name = pgettext_lazy(CONTEXT, str(model._meta.verbose_name))
        model._meta.verbose_name_plural = pgettext_lazy(CONTEXT, str(model._meta.verbose_name_plural))
        for field in model._meta.local_fields:
            field.verbose_name = pgettext_lazy(CONTEXT, str(field.verbose_name))


def _models() -> Iterator[Any]:
    for room in ROOMS:
        yield from apps.get_app_config(room).get_models()
