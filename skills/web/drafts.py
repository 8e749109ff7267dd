"""What a person has typed on the page that edits a skill."""

from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from memories.values.exceptions import FieldError
from skills import markdown
from skills.models import SkillVersion
from skills.web import file_rows
from skills.web.file_rows import FileRow

Files = dict[str, bytes]  # by path

LISTS = ("failure_modes", "fallbacks", "experience", "preference", "tool")
LABELS = {
    "title": gettext_lazy("Title"),
    "description": gettext_lazy("Description: what it does, and when to use it"),
    "trigger": gettext_lazy("Triggers, comma-separated"),
    "procedure": gettext_lazy("Procedure, as Markdown"),
    "failure_modes": gettext_lazy("Failure modes, a line each"),
    "fallbacks": gettext_lazy("Fallbacks, a line each"),
    "experience": gettext_lazy("Experience, a line each"),
    "preference": gettext_lazy("User preferences, a line each"),
    "tool": gettext_lazy("Tools, a line each"),
}


@dataclass
class Draft:
    """What a person has typed: the fields by name, the examples, the rows of the files, and what is wrong by place."""

    base: SkillVersion
    texts: dict[str, str]
    examples: list[str]
    files: list[FileRow]
    why: str = ""
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def changes(self) -> dict[str, Any]:
        """The fields that were changed; the others stay exactly as they are."""
        before = _texts_of(self.base)
        changed_texts: dict[str, Any] = {
            name: text for name, text in self.texts.items() if _plain(text) != _plain(before[name])
        }
        changed_texts |= {
            name: markdown.parse_list(markdown.clean(text)) for name, text in changed_texts.items() if name in LISTS
        }
        former = self.base.fields.get("examples") or []
        if [_plain(text) for text in self.examples] != [_plain(text) for text in former]:
            changed_texts["examples"] = self.examples
        return changed_texts

    @property
    def file_errors(self) -> list[str]:
        """What is wrong with the files as a whole, or with an upload."""
        lines = [text for name, text in self.errors.items() if name not in LABELS]
        return [line for text in lines for line in text.splitlines()]

    def add_errors(self, errors: tuple[FieldError, ...]) -> None:
        for error in file_rows.put_errors(self.files, errors):
            name = error.path.partition(".")[0] or "package"
            self.errors[name] = "\n".join(filter(None, [self.errors.get(name), error.detail]))


def _texts_of(base: SkillVersion) -> dict[str, str]:
    values = {name: base.fields.get(name) for name in LABELS}
    lists = {name: markdown.format_list(values[name] or []) for name in LISTS}
    return {**values, **lists, "trigger": ", ".join(values["trigger"] or [])}


def draft_of(base: SkillVersion, files: Files) -> Draft:
    return Draft(base, _texts_of(base), base.fields.get("examples") or [], file_rows.of_version(base, files))


def draft_of_request(request: HttpRequest, base: SkillVersion, files: Files) -> Draft:
    """The draft in a request. Fields that it leaves out are empty, examples and files that it leaves out stay."""
    texts = {name: request.POST.get(name, "") for name in LABELS}
    examples = base.fields.get("examples") or []
    if "example" in request.POST:
        examples = [_plain(text) for text in request.POST.getlist("example") if text.strip()]
    rows = file_rows.of_request(request, file_rows.of_version(base, files))
    return Draft(base, texts, examples, rows, request.POST.get("changelog", "").strip()[:2000])


def _plain(text: str) -> str:
    """Browsers send other line ends, and drop the first one of a text."""
    return text.replace("\r\n", "\n").strip()
