"""The answer to the download of a package, after the caller was authorised: a stream, or an address of the store."""

from django.http import FileResponse, HttpResponseBase, HttpResponseRedirect

from skills import storages
from skills.models import SkillVersion


def download(version: SkillVersion) -> HttpResponseBase:
    """302 to an address that is good for five minutes, or the file. FileNotFoundError: the storage has lost it."""
    filename = f"{version.skill.name}.zip"
    if url := storages.presigned_url(version.package, filename=filename):
        answer: HttpResponseBase = HttpResponseRedirect(url)
        answer["Cache-Control"] = "no-store"  # the address is a key for five minutes
        return answer
    file = storages.open_package(version.package)
    return FileResponse(file, as_attachment=True, filename=filename, content_type="application/zip")
