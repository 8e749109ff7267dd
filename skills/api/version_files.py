"""GET skills/{name}/versions/{number}/files/{path}: one file of a package, as harmless bytes."""

import io
import zipfile

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from memories.api.base import FileNegotiation
from memories.api.openapi import operation
from memories.values.exceptions import NotFound
from skills import downloads, storages
from skills.api.skills import NAME, REFUSES, SCOPE, SkillView
from skills.api.versions import NUMBER
from skills.models import SkillVersion

PATH = OpenApiParameter(
    "path", {"type": "string"}, OpenApiParameter.PATH, description="Where the file lies in the skill's folder."
)
HARMLESS = {  # no browser runs or renders it
    "X-Content-Type-Options": "nosniff",
    "Content-Disposition": "attachment",
    "Content-Security-Policy": "sandbox; default-src 'none'",
}


class OneFile(SkillView):
    filters = frozenset({"scope"})
    content_negotiation_class = FileNegotiation

    @operation(
        "GetSkillFile",
        "Skills",
        {200: {"type": "string", "format": "binary"}},
        parameters=(NAME, NUMBER, PATH, SCOPE),
        refuses=REFUSES,
        media_type="text/plain",
    )
    def get(self, request: Request, name: str, number: str, path: str) -> HttpResponse:
        """One file of a version

        Every file comes as `text/plain`, byte for byte; a browser neither shows nor runs it.
        """
        version = self.version(request, name, number)
        if path not in {file["path"] for file in version.files}:
            raise NotFound
        return HttpResponse(_read(version, path), content_type="text/plain; charset=utf-8", headers=HARMLESS)


def _read(version: SkillVersion, path: str) -> bytes:
    try:
        with storages.open_package(version.package) as file, zipfile.ZipFile(io.BytesIO(file.read())) as archive:
            return archive.read(f"{version.fields['name']}/{path}")
    except FileNotFoundError:
        raise downloads.lost(version) from None
    except KeyError:
        raise NotFound from None
