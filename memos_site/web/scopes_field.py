"""The form field of a list of scopes, written with commas or spaces."""

from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext as _

from memories.values.field_types import SCOPE, SCOPE_IN_WORDS

MOST_SCOPES = 100


class ScopesField(forms.CharField):
    """An empty list stands for every scope."""

    def clean(self, value: Any) -> Any:
        scopes = list(dict.fromkeys(super().clean(value).replace(",", " ").split()))[: MOST_SCOPES + 1]
        for scope in scopes:
            RegexValidator(SCOPE, SCOPE_IN_WORDS)(scope)
        if len(scopes) > MOST_SCOPES:
            raise forms.ValidationError(_("no more than 100"))
        return scopes
