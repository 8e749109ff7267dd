"""What differs between runs of one kind, as marks: `parcels-1.4.1` is `parcels-{version}` where 1.4.1 is asked for."""

import re

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs.privacy import Holders, names_somebody, safe
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.terms import versions

VERSION, DATE = "{version}", "{date}"
_VERSION = re.compile(r"(?<![\d.])\d{1,4}\.\d{1,2}\.\d{1,3}(?!\d|\.\d)")
_DATE = re.compile(r"(?<![\d-])\d{4}-\d\d-\d\d(?![\d-])")
_MARK = re.compile(r"\{(?:version|date)\}")


def marked(run: Run, text: str) -> str:
    """Return a text with marks for dates, and for the version that the request names, else for the only one in it."""
    told = _DATE.sub(DATE, text)
    asked, own = versions(run.opening), set(_VERSION.findall(told))
    version = asked if len(asked) == 1 else asked & own or own
    if len(version) != 1:
        return told
    return re.sub(rf"(?<![\d.]){re.escape(version.pop())}(?!\d|\.\d)", VERSION, told)


def holds_mark(text: str) -> bool:
    return bool(_MARK.search(text))


def may_be_told(scope: Scope, text: str, holders: Holders) -> bool:
    """Return whether a text with marks may stand in a skill: several runs hold it, and it names nobody."""
    plain = _MARK.sub(" ", text)
    if not holders.common(text) or not (plain.strip() or plain != text):
        return False
    words = re.findall(r"[^\W\d_]+", plain.lower())
    return (not plain.strip() or safe(plain)) and not names_somebody(plain) and not scope.names.intersection(words)
