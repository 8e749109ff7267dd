"""Templates without their indentation, so that it is written for readers of the source and not sent with every page."""

import re

from django.conf import settings
from django.template import Origin
from django.template.loaders.filesystem import Loader as FilesystemLoader

INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)
CONTROL_LINE = re.compile(
    r"^(\{% (?:load|if|elif|else|endif|for|empty|endfor|with|endwith|(?:row_)?url [^\n]* as|translate [^\n]* as)\b"
    r"[^\n]*%\})\n",
    re.MULTILINE,
)


class Loader(FilesystemLoader):
    """Read templates from DIRS without indentation, and without the ends of control lines and of the file.

    No template may rely on indentation, as within <pre> or <textarea>; values that are inserted keep theirs. With DEBUG
    templates stay as they are, so that an error names its line.
    """

    def get_contents(self, origin: Origin) -> str:
        contents: str = super().get_contents(origin)
        return contents if settings.DEBUG else compact(contents)


def compact(contents: str) -> str:
    return CONTROL_LINE.sub(_without_end, INDENTATION.sub("", contents)).removesuffix("\n")


def _without_end(match: re.Match[str]) -> str:
    """The line without its end if it is one control tag; one of several tags may show text, and keeps its end."""
    line = match[1]
    return line if line.count("{%") == 1 and "{{" not in line else match[0]
