"""The answer to the download of a package, after the caller was authorised: a stream, or an address of the store."""

from django.core.files.base import File
from django.http import FileResponse, HttpResponseBase, HttpResponseRedirect

from memories.values.exceptions import Lost
from skills import storages
from skills.models import SkillVersion


def download(version: SkillVersion) -> HttpResponseBase:
    """302 to an address that is good for five minutes, or the file. Lost: the store does not hold it."""
    filename = f"{version.skill.name}.zip"
    if not storages.holds(version.package):  # an address of it would lead to an error of the store
        package_of(version).close()  # tells whether the package or the whole bucket is missing
    if url := storages.presigned_url(version.package, filename=filename):
        answer: HttpResponseBase = HttpResponseRedirect(url)
        answer["Cache-Control"] = "no-store"  # the address is a key for five minutes
        return answer
    file = package_of(version)
    return FileResponse(file, as_attachment=True, filename=filename, content_type="application/zip")


def package_of(version: SkillVersion) -> "File[bytes]":
    """Its file. Lost: the store does not hold it as it was written."""
    try:
        return storages.open_package(version.package)
    except FileNotFoundError:
        raise lost(version) from None


def lost(version: SkillVersion) -> Lost:
    remedy = "manage.py move_packages copies it from the former store; else bring the file back or upload it again"
    return Lost(f"the package of {version} is not in the package store: {remedy}")
