"""Pages of the import: upload a file, see what would come in, import it, see what came."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from consolidation import import_run, run_queue
from consolidation.import_run import SKILL, recognise
from consolidation.models import ImportFile
from memories.people import administers, permitted
from memories.transfer.options import Format
from memories.transfer.sqlite_file import Unreadable
from memories.values.choices import Permission
from memories.values.exceptions import Conflict
from memories.values.trust import Trust
from skills.web import uploading

LARGEST = 20 * 1024 * 1024
NAMES = {
    Format.CONVERSATIONS: gettext_lazy("Recorded conversations (JSON lines)"),
    Format.FOUNDER_OS: "Founder OS (memory.db, intelligence.db)",
    Format.MEMBRANE: "Membrane (SQLite)",
    Format.MEM0: "mem0 (JSON, Markdown)",
    Format.OPEN_MEMORY: "OpenMemory (JSON lines)",
    Format.MEMOS: "Memos (export_memories)",
    Format.PACK: gettext_lazy("A pack of Memos (zip)"),
}
FILES_ON_THE_PAGE = 10


class ImportForm(forms.Form):
    file = forms.FileField(label=gettext_lazy("File"), max_length=200)
    format = forms.ChoiceField(
        label=gettext_lazy("From"),
        choices=[("", gettext_lazy("Detected from the file")), *((one.value, name) for one, name in NAMES.items())],
        required=False,
    )
    scope = forms.CharField(label=gettext_lazy("Scope"), max_length=200, required=False)
    status = forms.ChoiceField(
        label=gettext_lazy("Status"),
        required=False,
        choices=[
            ("keep", gettext_lazy("as it was, if it was confirmed")),
            ("candidate", gettext_lazy("everything waits in the inbox")),
        ],
    )
    apply = forms.BooleanField(label=gettext_lazy("Apply here what was applied in the other store"), required=False)

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > LARGEST:
            raise forms.ValidationError(_("It is larger than 20 MiB: use manage.py import_memories."))
        return file

    def clean(self) -> dict[str, Any]:
        """Without a format it is that of the content, or SKILL."""
        given: dict[str, Any] = super().clean() or {}
        if (file := given.get("file")) and not given.get("format"):
            given["format"] = recognise(file.read())
            file.seek(0)
            if given["format"] is None:
                self.add_error("file", _("The file holds no recorded runs or memories and is no pack or skill."))
        return given


@require_http_methods(["GET", "HEAD", "POST"])
def imports(request: HttpRequest) -> HttpResponse:
    trust = _importer(request)
    form = ImportForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        if form.cleaned_data["format"] == SKILL:
            return uploading.upload(request)
        file = _file_of(request, form.cleaned_data)
        try:
            import_run.preview(file)
        except Unreadable as unreadable:
            form.add_error("file", str(unreadable))
        else:
            ImportFile.objects.forget_stale(at=timezone.now())
            file.save(force_insert=True)
            return redirect("import-file", file_id=file.pk)
    context = {
        "form": form,
        "files": ImportFile.objects.of(trust.actor).select_related("run")[:FILES_ON_THE_PAGE],
        "may_apply": administers(request.user),
    }
    return render(request, "consolidation/import.html", context, status=400 if form.errors else 200)


@require_safe
def import_file(request: HttpRequest, file_id: UUID) -> HttpResponse:
    """The preview; once it is ordered, its progress, and then what came of it."""
    trust = _importer(request)
    file = get_object_or_404(ImportFile.objects.of(trust.actor).select_related("run"), pk=file_id)
    ended = file.run is not None and not file.run.is_unfinished
    shown = file.summary if ended else file.preview
    context = {
        "file": file,
        "run": file.run,
        "shown": shown,
        "format_name": NAMES[Format(file.format)],
        "is_partial": import_run.is_partial(file),
        "polls": file.run is not None and not ended,
    }
    by_htmx = request.headers.get("HX-Request") == "true"
    part = "consolidation/_import_state.html" if by_htmx else "consolidation/import-file.html"
    response = render(request, part, context)
    if by_htmx and ended:
        response["HX-Refresh"] = "true"  # the counts beside it changed too
    return response


@require_POST
def start(request: HttpRequest, file_id: UUID) -> HttpResponse:
    trust = _importer(request)
    file = get_object_or_404(ImportFile.objects.of(trust.actor), pk=file_id)
    try:
        import_run.order(file, by=trust.actor, at=timezone.now())
        run_queue.nudge()
    except Conflict as conflict:
        messages.warning(request, str(conflict))
    return redirect("import-file", file_id=file.pk)


def _importer(request: HttpRequest) -> Trust:
    return permitted(request.user, Permission.REVIEW, import_run.NOT_ALLOWED)


def _file_of(request: HttpRequest, said: dict[str, Any]) -> ImportFile:
    assert isinstance(request.user, User)  # `_importer` let them in
    content = said["file"].read()
    return ImportFile(
        person=request.user,
        name=said["file"].name[:200],
        format=said["format"],
        scope=said["scope"].strip(),
        keeps_status=said["status"] != "candidate",
        applies=said["apply"] and administers(request.user),
        content=content,
        size=len(content),
    )
