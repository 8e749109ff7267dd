"""A file is what its content says: its name and the words around it do not count."""

import json
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from consolidation.import_run import SKILL, recognise
from consolidation.models import ImportFile
from memories.transfer.options import Format
from skills.models import SkillVersion
from tests.pages import signed_in
from tests.transfer.sources import FOUNDER_OS, database

RUN = json.dumps({"messages": [{"role": "user", "content": "Refund order 7"}]})
MARKDOWN = "---\nid: 7\ncategories: food\n---\nLikes tea\n"
SKILL_MD = (
    "---\nname: refund\ndescription: Refund an order, when its parcel arrived broken.\n---\n# Refund\n\n1. Pay.\n"
)


def zipped(**files: str) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("_", "."), text)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (RUN.encode(), Format.CONVERSATIONS),
        (f"\ufeff\n{{broken\n{RUN}".encode(), Format.CONVERSATIONS),
        (b'{"kind": "memory", "content": "Tea"}', Format.MEMOS),
        (b'{"content": "Tea", "state": "active"}', Format.OPEN_MEMORY),
        (b'[{"memory": "Tea"}]', Format.MEM0),
        (b'{\n  "results": [{"memory": "Tea"}]\n}', Format.MEM0),
        (MARKDOWN.encode(), Format.MEM0),
        (SKILL_MD.encode(), SKILL),
        (zipped(SKILL_md=SKILL_MD), SKILL),
        (zipped(pack_json="{}"), Format.PACK),
        (b"PK\x03\x04 damaged", SKILL),
        (b"SQLite format 3\0 ... CREATE TABLE memory_records (id TEXT)", Format.MEMBRANE),
        (b"hello", None),
        (b"", None),
    ],
)
def test_what_a_file_is_stands_in_its_content(content: bytes, kind: str | None) -> None:
    assert recognise(content) == kind


def test_a_database_is_told_from_another_by_its_tables(tmp_path: Path) -> None:
    assert recognise(database(tmp_path / "memory.db", FOUNDER_OS, memories=[]).read_bytes()) == Format.FOUNDER_OS


@pytest.mark.django_db
def test_what_is_dropped_without_a_word_is_previewed_as_what_it_is() -> None:
    anna = signed_in(group="administrator")
    page = anna.post("/import/", {"file": SimpleUploadedFile("x", RUN.encode())}, follow=True)
    assert "Recorded conversations" in page.content.decode()
    assert (ImportFile.objects.get().format, ImportFile.objects.get().keeps_status) == ("conversations", True)
    for name, content in (("refund.zip", zipped(SKILL_md=SKILL_MD)), ("SKILL.md", SKILL_MD.encode())):
        page = anna.post("/import/", {"file": SimpleUploadedFile(name, content)}, follow=True)
        assert page.redirect_chain[-1][0].startswith("/memories/"), "the page of the skill, which waits"
    assert [(one.skill.name, one.status) for one in SkillVersion.objects.all()] == [("refund", "proposed")]
    refused = anna.post("/import/", {"file": SimpleUploadedFile("runs.jsonl", b"hello")})
    assert (refused.status_code, "The file holds no recorded runs" in refused.content.decode()) == (400, True)
