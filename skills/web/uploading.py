"""The page that takes in a skill: a zip, the files of a folder, or a SKILL.md alone."""

import json
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memories.people import permitted
from memories.values.choices import Permission
from memories.values.exceptions import Conflict, FieldError, Invalid
from skills import importing
from skills.names import printable

FIELDS = ("scope", "changelog")


@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    trust = permitted(request.user, Permission.SKILLS, "uploading needs the permission skills")
    form = {name: request.POST.get(name, request.GET.get(name, "")).strip() for name in FIELDS}
    if request.method != "POST":
        return render(request, "skills/upload.html", {"form": form})
    try:
        skill = importing.read(_content(request))
        skill_import = importing.prepare(skill, scope=importing.checked_scope(form["scope"]), trust=trust)
        result = importing.record(skill_import, trust=trust, at=timezone.now(), changelog=form["changelog"][:2000])
    except Invalid as invalid:
        return _refusal_page(request, form, [error.detail for error in invalid.errors], 400)
    except Conflict as conflict:
        return _refusal_page(request, form, [str(conflict)], 409)
    return _redirect_after(request, result)


def _refusal_page(request: HttpRequest, form: dict[str, str], problems: list[str], status: int) -> HttpResponse:
    return render(request, "skills/upload.html", {"form": form, "problems": problems}, status=status)


def _content(request: HttpRequest) -> Mapping[str, bytes] | bytes:
    """The zip, or by path the files of a folder or a SKILL.md. Invalid: nothing was chosen, or one path comes twice."""
    archive, files = request.FILES.get("file"), request.FILES.getlist("files")
    if isinstance(archive, UploadedFile):
        content: bytes = archive.read()
        return {"SKILL.md": content} if content.lstrip().startswith(b"---") else content
    if not files:
        raise Invalid(FieldError("/file", "required", _("Choose a zip or a folder.")))
    paths = _paths(request, files)
    if repeated_paths := sorted({path for path in paths if paths.count(path) > 1}):
        problem = _("%(name)s: there is more than one. Upload the folder as a zip.")
        raise Invalid(
            *(FieldError("/files", "invalid", problem % {"name": printable(path)}) for path in repeated_paths)
        )
    return dict(zip(paths, (file.read() for file in files), strict=True))


def _paths(request: HttpRequest, files: list[Any]) -> list[str]:
    """Where each file lies, as the page's script noted it; without the script, files alone."""
    try:
        paths = json.loads(request.POST.get("paths", ""))
    except ValueError:
        paths = None
    if isinstance(paths, list) and len(paths) == len(files) and all(isinstance(path, str) for path in paths):
        return paths
    return [str(file.name) for file in files]


def _redirect_after(request: HttpRequest, result: importing.Imported) -> HttpResponse:
    if result.version is None:
        messages.info(request, _("Accepted. It is above your clearance, so it is not shown here."))
        return redirect("skills")
    message = _("Uploaded: it waits to be published.") if result.created else _("The same files exist already.")
    messages.success(request, "\n".join([message, *result.warnings]))
    return redirect("memory", memory_id=result.version.skill_id)
