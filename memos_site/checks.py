"""System checks of the settings: a wrong value is a sentence here, before anything starts."""

from typing import Any

from django.core.checks import Error, register

from memos_site.platform.env import PROBLEMS


@register()
def environment_is_readable(**kwargs: Any) -> list[Error]:
    """memos_site.E001: a variable of the environment has a value that cannot be used."""
    return [Error(problem, id="memos_site.E001") for problem in PROBLEMS]
