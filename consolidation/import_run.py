"""The import of an uploaded file: what it is by its content, a preview, and the run that brings it in.

The run goes on where it stopped, because the import knows what it has brought.
"""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from django.db import transaction
from django.utils import timezone

from consolidation.execution import Reporter, never
from consolidation.models import ImportFile, Run
from consolidation.packs.bringing_in import bring_in
from consolidation.packs.making import MANIFEST
from memories.people import administers, trust_of
from memories.transfer.importing import Summary, import_file
from memories.transfer.membrane import RECORDS
from memories.transfer.memos_lines import SHAPES
from memories.transfer.options import Format, Options, RowResult
from memories.transfer.sqlite_file import Unreadable
from memories.values.choices import Permission
from memories.values.exceptions import Conflict, NotAllowed
from memories.values.trust import Actor

KIND = "import"
PREVIEWED = 300  # rows
LINES = (Format.CONVERSATIONS, Format.OPEN_MEMORY, Format.MEMOS)  # a row a line
GONE = "what it was about has been forgotten meanwhile"
NOT_ALLOWED = "importing needs the permission review"
SKILL = "skill"
SQLITE, ZIP, BOM = b"SQLite format 3\0", b"PK\x03\x04", b"\xef\xbb\xbf"
FIRST_LINES = 20  # looked at until one is an object
OF_MEMBRANE = re.compile(rb'CREATE TABLE "?' + RECORDS.encode(), re.IGNORECASE)
FRONTMATTER = re.compile(rb"---\s*\n(?:[^\n]*\n){0,40}?(name|description|id):")


def recognise(content: bytes) -> Format | str | None:
    """The format of an import, or SKILL for a package or a SKILL.md; None: nothing that comes in.

    It only guesses: whoever reads the file says what is wrong with it.
    """
    if content.startswith(ZIP):
        return _packed(content)
    if content.startswith(SQLITE):
        return Format.MEMBRANE if OF_MEMBRANE.search(content) else Format.FOUNDER_OS
    text = content.removeprefix(BOM).lstrip()
    if begun := FRONTMATTER.match(text):
        return Format.MEM0 if begun[1] == b"id" else SKILL
    return _of_lines(text)


def _packed(content: bytes) -> Format | str:
    try:
        with ZipFile(BytesIO(content)) as packed:
            return Format.PACK if MANIFEST in packed.namelist() else SKILL
    except BadZipFile:
        return SKILL  # its page names what is damaged


def _of_lines(text: bytes) -> Format | None:
    for line in text.split(b"\n", FIRST_LINES)[:FIRST_LINES]:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict) and (language := _of_row(row)):
            return language
    return Format.MEM0 if text[:1] in (b"[", b"{") else None


def _of_row(row: dict[str, Any]) -> Format | None:
    if "messages" in row:
        return Format.CONVERSATIONS
    if row.get("kind") in SHAPES:
        return Format.MEMOS
    return Format.OPEN_MEMORY if "content" in row or "text" in row else None


def preview(file: ImportFile) -> None:
    """Find out what the first rows would become, and keep nothing of them. Unreadable: it is no such file."""
    summary = Summary()
    for results in _results(file, keeps=False, most=PREVIEWED):
        for result in results:
            summary.add(result)
    file.preview = summary.as_json


def is_partial(file: ImportFile) -> bool:
    """Whether the preview shows the first rows only; that of a pack is whole."""
    return file.run is None and file.format != Format.PACK and file.preview.get("rows") == PREVIEWED


def order(file: ImportFile, *, by: Actor, at: datetime) -> Run:
    """Queue the import of a file. Conflict: it was ordered before."""
    with transaction.atomic():
        file.refresh_from_db(fields=["run"], from_queryset=ImportFile.objects.select_for_update(of=("self",)))
        if file.run is not None:
            raise Conflict("it is imported already")
        file.run = Run.objects.create(kind=KIND, trigger=Run.Trigger.PAGE, subject=file.pk, scope=_scope(file))
        file.save(update_fields=["run"])
        file.run.audit("start", by=by, at=at).save(force_insert=True)
    return file.run


def process(run: Run, *, should_stop: Callable[[], bool] = never) -> None:
    """The work of a run."""
    assert run.subject is not None
    file = ImportFile.objects.select_related("person").get(pk=run.subject)
    if not file.content:  # a day after it failed
        run.finish(Run.Status.FAILED, counters=run.counters, at=timezone.now(), error=GONE)
        return
    counters: Counter[str] = Counter()
    summary, reporter = Summary(), Reporter(run, counters, should_stop)
    reporter.done, reporter.total = 0, _rows_of(file)
    try:
        reporter.stage("importing")
        for results in _results(file):
            for result in results:
                summary.add(result)
            reporter.batch(len(results), summary.counts)
    except (Unreadable, NotAllowed) as refusal:
        run.finish(Run.Status.FAILED, counters=dict(summary.counts), at=timezone.now(), error=str(refusal))
        return
    file.summary, file.content = summary.as_json, b""
    file.save(update_fields=["summary", "content"])
    run.total = summary.rows
    run.finish(Run.Status.SUCCEEDED, counters=dict(summary.counts), at=timezone.now())


def _results(file: ImportFile, *, keeps: bool = True, most: int | None = None) -> Iterator[list[RowResult]]:
    """A pack is previewed whole: it is small."""
    options = options_of(file)
    if options.format == Format.PACK:
        yield from bring_in(bytes(file.content), options, at=timezone.now, keeps=keeps)
        return
    with _on_disk(file) as path:
        yield from import_file(path, options, at=timezone.now, keeps=keeps, most=most)


def _rows_of(file: ImportFile) -> int:
    """How many rows are to come: exact for files of lines and for short ones, 0 where only the end tells."""
    if file.format in LINES:
        return sum(1 for line in bytes(file.content).splitlines() if line.strip())
    previewed: int = file.preview.get("rows", 0)
    return previewed if previewed < PREVIEWED else 0


def options_of(file: ImportFile) -> Options:
    """NotAllowed: the person may not, or not any more."""
    trust = trust_of(file.person)
    if not file.person.is_active or not trust.may(Permission.REVIEW):
        raise NotAllowed(NOT_ALLOWED)
    return Options(
        format=Format(file.format),
        trust=trust,
        scope=file.scope or None,
        keeps_status=file.keeps_status,
        applies=file.applies and administers(file.person),
    )


def _scope(file: ImportFile) -> str:
    return "" if "{" in file.scope else file.scope


@contextmanager
def _on_disk(file: ImportFile) -> Iterator[Path]:
    """The file in a directory of its own: SQLite reads no bytes of memory."""
    with tempfile.TemporaryDirectory(prefix="memos-import-") as directory:
        path = Path(directory) / "upload"
        path.write_bytes(bytes(file.content))
        yield path
