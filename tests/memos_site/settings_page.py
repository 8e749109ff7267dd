"""docs/settings.md, from the settings themselves: `python -m tests.memos_site.settings_page > docs/settings.md`."""

import sys
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo

from memos_site.platform.environment import BASE_DIR, FIRST, SECRETS, Environment, Section

HEAD = """# Settings

All come from the environment, and each has a default: nothing needs to be set. A secret may also stand in a file that
`NAME_FILE` names. A wrong value stops the start with a sentence that names it.
"""
INTRO = {  # by the section
    "Packages": (
        "Keys, region and address of `S3` are variables that boto3 reads by itself: `AWS_ACCESS_KEY_ID`, "
        "`AWS_SECRET_ACCESS_KEY`,\n`AWS_SESSION_TOKEN`, `AWS_DEFAULT_REGION`, and for another store that speaks its "
        "protocol `AWS_ENDPOINT_URL_S3`. Keys may also\nstand in a file that `AWS_SHARED_CREDENTIALS_FILE` names; "
        "without any it takes what AWS gives the machine (a role, a profile).\n"
    ),
}
TABLE = "| setting | default | what |\n|---|---|---|"


def page() -> str:
    """The whole page as Markdown: what people turn first, then all settings by subject."""
    fields = Environment.model_fields
    parts = [HEAD, _section("What people turn first", {name: fields[name] for name in FIRST})]
    sections = [base for base in reversed(Environment.__mro__) if issubclass(base, Section)]
    for section in sections:
        own = {name: field for name, field in fields.items() if name in section.__annotations__}
        if own:
            parts.append(_section(section.__doc__ or "", own, INTRO.get(section.__name__, "")))
    return "\n".join(parts)


def _section(title: str, fields: dict[str, FieldInfo], intro: str = "") -> str:
    rows = [f"| `{name}` | {_default(field.default)} | {_text(name, field)} |" for name, field in fields.items()]
    return "\n".join([f"## {title}\n", *([intro] if intro else []), TABLE, *rows, ""])


def _text(name: str, field: FieldInfo) -> str:
    return f"{field.description}{'; a secret' if name in SECRETS else ''}"


def _default(value: Any) -> str:
    if isinstance(value, Path):
        value = value.relative_to(BASE_DIR)
    if isinstance(value, list):
        value = ", ".join(value)
    return "" if value in ("", None) else f"`{value}`"


if __name__ == "__main__":
    sys.stdout.write(page())
