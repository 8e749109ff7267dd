"""The page on which a person edits the fields and files of a skill: preview, then a proposed version like any other."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from memories.people import trust_of
from memories.values.choices import Permission
from memories.values.exceptions import Conflict, FieldError, Invalid
from memories.values.trust import Trust
from memos_site.platform.outages import StoreUnavailable
from skills import diffs, file_edits, markdown, revising
from skills.models import Skill, SkillVersion
from skills.packaging.skill_md_writer import skill_md
from skills.web import file_rows
from skills.web.file_rows import FileRow

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
ROWS = {"title": 1, "description": 3, "trigger": 1, "procedure": 12}


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
        changed: dict[str, Any] = {
            name: text for name, text in self.texts.items() if _plain(text) != _plain(before[name])
        }
        changed |= {name: markdown.parse_list(markdown.clean(text)) for name, text in changed.items() if name in LISTS}
        former = self.base.fields.get("examples") or []
        if [_plain(text) for text in self.examples] != [_plain(text) for text in former]:
            changed["examples"] = self.examples
        return changed

    @property
    def file_errors(self) -> list[str]:
        """What is wrong with the files as a whole, or with an upload."""
        lines = [text for name, text in self.errors.items() if name not in LABELS]
        return [line for text in lines for line in text.splitlines()]

    def add_errors(self, errors: tuple[FieldError, ...]) -> None:
        for error in file_rows.put_errors(self.files, errors):
            name = error.path.partition(".")[0] or "package"
            self.errors[name] = "\n".join(filter(None, [self.errors.get(name), error.detail]))


@require_http_methods(["GET", "HEAD", "POST"])
def edit_skill(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    trust = editor(request)
    base = _base(memory_id, request.POST.get("base", ""), trust)
    before = _files_of(base)
    if request.method != "POST":
        return _page(request, _draft_of(base, before))
    draft = _typed(request, base, before)
    try:
        return _preview_or_propose(request, draft, before, trust)
    except Invalid as invalid:
        if _follows(request):
            problems = [error.detail for error in invalid.errors]
            return render(request, "skills/_edit_preview.html", {"problems": problems})
        draft.add_errors(invalid.errors)
        return _page(request, draft, status=400)
    except Conflict as conflict:
        return _page(request, draft, conflict=str(conflict), status=409)
    except StoreUnavailable as failure:
        return _page(request, draft, conflict=str(failure), status=503)


def _files_of(base: SkillVersion) -> dict[str, bytes]:
    try:
        return revising.files_of(base)
    except Conflict as lost:
        raise Http404(str(lost)) from None


def _preview_or_propose(request: HttpRequest, draft: Draft, before: dict[str, bytes], trust: Trust) -> HttpResponse:
    uploads = request.FILES.getlist("uploads")
    file_rows.add_uploads(draft.files, uploads, reference_folder=draft.base.fields["reference_folder"])
    if "open" in request.POST:
        return _page(request, draft)
    files = file_edits.apply(before, [row.edit for row in draft.files])
    if _follows(request):
        return render(request, "skills/_edit_preview.html", {"preview": _preview(draft, before, files)})
    if request.POST.get("do") != "propose":
        return _page(request, draft, preview=_preview(draft, before, files))
    about: dict[str, Any] = {"trust": trust, "at": timezone.now(), "why": draft.why}
    version = revising.edit(draft.base, draft.changes, files=files, **about)
    messages.success(request, _("Version %(n)s waits to be published.") % {"n": version.number})
    return redirect("memory", memory_id=draft.base.skill_id)


@require_POST
def restore_version(request: HttpRequest, memory_id: UUID, number: int) -> HttpResponse:
    trust = editor(request)
    old = get_object_or_404(_versions(trust), skill=memory_id, number=number)
    try:
        version = revising.restore(old, trust=trust, at=timezone.now())
        messages.success(request, _("Version %(n)s waits to be published.") % {"n": version.number})
    except Conflict as conflict:
        messages.error(request, str(conflict))
    return redirect("memory", memory_id=memory_id)


def _follows(request: HttpRequest) -> bool:
    """Whether the preview alone is asked for, by the script that follows what is typed."""
    return request.headers.get("HX-Request") == "true"


def editor(request: HttpRequest) -> Trust:
    trust = trust_of(request.user)
    if not trust.may(Permission.REVIEW):
        raise PermissionDenied("editing needs the permission review")
    return trust


def _versions(trust: Trust) -> QuerySet[SkillVersion]:
    return SkillVersion.objects.visible_to(trust).select_related("skill__memory")


def _base(memory_id: UUID, number: str, trust: Trust) -> SkillVersion:
    """The version that the form was made of; without a number the proposed one, else the published one."""
    if number.isdecimal():
        return get_object_or_404(_versions(trust), skill=memory_id, number=int(number[:9]))
    skill = get_object_or_404(Skill.objects.visible_to(trust), pk=memory_id)
    current = skill.proposed or skill.published or skill.versions.first()
    if current is None:
        raise Http404("this skill has no version yet")
    return get_object_or_404(_versions(trust), pk=current.pk)


def _texts_of(base: SkillVersion) -> dict[str, str]:
    values = {name: base.fields.get(name) for name in LABELS}
    lists = {name: markdown.format_list(values[name] or []) for name in LISTS}
    return {**values, **lists, "trigger": ", ".join(values["trigger"] or [])}


def _draft_of(base: SkillVersion, files: dict[str, bytes]) -> Draft:
    return Draft(base, _texts_of(base), base.fields.get("examples") or [], file_rows.of_version(base, files))


def _typed(request: HttpRequest, base: SkillVersion, files: dict[str, bytes]) -> Draft:
    """What was sent. Fields that the request leaves out are empty, examples and files that it leaves out stay."""
    texts = {name: request.POST.get(name, "") for name in LABELS}
    examples = base.fields.get("examples") or []
    if "example" in request.POST:
        examples = [_plain(text) for text in request.POST.getlist("example") if text.strip()]
    rows = file_rows.of_request(request, file_rows.of_version(base, files))
    return Draft(base, texts, examples, rows, request.POST.get("changelog", "").strip()[:2000])


def _plain(text: str) -> str:
    """Browsers send other line ends, and drop the first one of a text."""
    return text.replace("\r\n", "\n").strip()


def _preview(draft: Draft, before: dict[str, bytes], files: dict[str, bytes]) -> dict[str, Any]:
    fields = revising.edited_fields(draft.base, draft.changes, files)
    edited = SkillVersion(fields=fields.model_dump(mode="json"))
    changes = [*diffs.section_changes(draft.base, edited), *diffs.content_changes(before, files)]
    return {"skill_md": skill_md(fields, draft.base.number + 1), "changes": changes}


def _page(request: HttpRequest, draft: Draft, *, status: int = 200, **shown: Any) -> HttpResponse:
    fields = [
        {
            "name": name,
            "label": label,
            "value": draft.texts[name],
            "rows": ROWS.get(name, 4 if draft.texts[name] else 2),
            "error": error,
        }
        for name, label in LABELS.items()
        for error in [draft.errors.get(name)]
    ]
    base = draft.base
    context = {"memory": base.skill.memory, "skill": base.skill, "base": base, "fields": fields, "draft": draft}
    context["files"] = [*draft.files, FileRow()]
    context["withholds"] = any(row.is_withheld for row in draft.files)
    return render(request, "skills/edit_skill.html", {**context, **shown}, status=status)
