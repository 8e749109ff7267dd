"""The page on which a person edits the fields and files of a skill: preview, then a proposed version like any other."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from memories.models import AuditEntry
from memories.people import permitted
from memories.values.choices import Permission
from memories.values.exceptions import Conflict, Invalid
from memories.values.trust import Trust
from memos_site.platform.outages import StoreUnavailable
from skills import diffs, file_edits, revising
from skills.models import Skill, SkillVersion
from skills.packaging.skill_md_writer import skill_md
from skills.publishing import VERSION
from skills.web import file_rows
from skills.web.drafts import LABELS, Draft, Files, draft_of, draft_of_request
from skills.web.file_rows import FileRow

ROWS = {"title": 1, "description": 3, "trigger": 1, "procedure": 12}
VERSION_CHANGES = {
    "propose": gettext_lazy("%(who)s proposed version %(n)s"),
    "publish": gettext_lazy("%(who)s published version %(n)s"),
    "reject": gettext_lazy("%(who)s rejected version %(n)s"),
}


@dataclass(frozen=True)
class LatestChange:
    """The latest audit entry about a version of the skill."""

    version: SkillVersion
    entry: AuditEntry

    def __str__(self) -> str:
        words = VERSION_CHANGES.get(self.entry.action, gettext_lazy("%(who)s changed version %(n)s"))
        return str(words) % {"who": self.entry.actor, "n": self.version.number}


@require_http_methods(["GET", "HEAD", "POST"])
def edit_skill(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    trust = editor(request)
    base = _base(memory_id, request.POST.get("base", ""), trust)
    before = _files_of(base)
    if request.method != "POST":
        return _page(request, draft_of(base, before))
    draft = draft_of_request(request, base, before)
    try:
        return _preview_or_propose(request, draft, before, trust)
    except Invalid as invalid:
        if _follows(request):
            problems = [error.detail for error in invalid.errors]
            return render(request, "skills/_edit_preview.html", {"problems": problems})
        draft.add_errors(invalid.errors)
        return _page(request, draft, status=400)
    except Conflict as conflict:
        latest = None if isinstance(conflict, revising.Unchanged) else _latest_change(base, trust)
        return _page(request, draft, conflict=str(conflict), latest_change=latest, status=409)
    except StoreUnavailable as failure:
        return _page(request, draft, conflict=str(failure), status=503)


def _latest_change(base: SkillVersion, trust: Trust) -> LatestChange | None:
    """What somebody did while the form was open: to the latest version, or to its own if that was rejected."""
    latest = base.skill.proposed or base.skill.published or base
    version = latest if latest.number > base.number else base
    entry = AuditEntry.objects.visible_to(trust).about(VERSION, version.pk).last()
    return LatestChange(version, entry) if entry else None


def _files_of(base: SkillVersion) -> Files:
    try:
        return revising.files_of(base)
    except Conflict as lost:
        raise Http404(str(lost)) from None


def _preview_or_propose(request: HttpRequest, draft: Draft, before: Files, trust: Trust) -> HttpResponse:
    uploads = request.FILES.getlist("uploads")
    file_rows.add_uploads(draft.files, uploads, reference_folder=draft.base.fields["reference_folder"])
    if "open" in request.POST:
        return _page(request, draft)
    files = file_edits.apply(before, [row.edit for row in draft.files])
    if _follows(request):
        return render(request, "skills/_edit_preview.html", {"preview": _preview(draft, before, files)})
    if request.POST.get("do") != "propose":
        return _page(request, draft, preview=_preview(draft, before, files))
    facts: dict[str, Any] = {"trust": trust, "at": timezone.now(), "why": draft.why}
    version = revising.edit(draft.base, draft.changes, files=files, **facts)
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
    return permitted(request.user, Permission.REVIEW, "editing needs the permission review")


def _versions(trust: Trust) -> QuerySet[SkillVersion]:
    return SkillVersion.objects.visible_to(trust).select_related("skill__memory")


def _base(memory_id: UUID, number: str, trust: Trust) -> SkillVersion:
    """The version that the form was made of; without a number the proposed one, else the published one."""
    if number.isdecimal():
        return get_object_or_404(_versions(trust), skill=memory_id, number=int(number[:9]))
    skill = get_object_or_404(Skill.objects.visible_to(trust), pk=memory_id)
    if skill.current is None:
        raise Http404("this skill has no version yet")
    return get_object_or_404(_versions(trust), pk=skill.current.pk)


def _preview(draft: Draft, before: Files, files: Files) -> dict[str, Any]:
    fields = revising.edited_fields(draft.base, draft.changes, files)
    edited_version = SkillVersion(fields=fields.model_dump(mode="json"))
    changes = [*diffs.section_changes(draft.base, edited_version), *diffs.content_changes(before, files)]
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
