"""The page that takes in skills; it works without a script."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from skills.models import SkillVersion
from tests.make import make_skill
from tests.pages import signed_in
from tests.skills.test_api_uploads import ZIP
from tests.skills.test_packages_of_others import FILES
from tests.skills.test_unpacking import make_zip

pytestmark = pytest.mark.django_db


def send(files: dict[str, Any], client: Client | None = None, **fields: str) -> Any:
    return (client or signed_in()).post("/skills/upload/", {**files, **fields}, follow=True)


def test_a_zip_leads_to_the_page_of_the_proposed_version() -> None:
    answer = send({"file": SimpleUploadedFile("pdf.zip", ZIP)}, scope="team", changelog="from upstream")
    page = answer.content.decode()
    assert "Uploaded: it waits to be published." in page and "PDF Processing" in page
    version = SkillVersion.objects.get()
    assert (version.skill.scope, version.changelog, version.status) == ("team", "from upstream", "proposed")


def test_a_folder_comes_with_the_paths_that_the_script_noted() -> None:
    files = [SimpleUploadedFile(path.rpartition("/")[2], data) for path, data in FILES.items()]
    send({"files": files}, paths=json.dumps([f"pdf/{path}" for path in FILES]))
    assert {file["path"] for file in SkillVersion.objects.get().files} == set(FILES)


def test_files_of_one_path_are_named_and_none_of_them_is_lost() -> None:
    contents = {"SKILL.md": FILES["SKILL.md"], "a/notes.md": b"one", "b/notes.md": b"two"}
    files = [SimpleUploadedFile(path.rpartition("/")[2], data) for path, data in contents.items()]
    answer = send({"files": files})
    assert answer.status_code == 400 and "notes.md: there is more than one." in answer.content.decode()
    assert not SkillVersion.objects.exists()


def test_all_problems_stand_on_the_page_and_what_was_typed_stays() -> None:
    bad = make_zip({"scripts/a.exe": b"1", "../x": b"2"})
    client = signed_in()
    answer = send({"file": SimpleUploadedFile("a.zip", bad)}, client, scope="team")
    page = answer.content.decode()
    assert answer.status_code == 400
    assert "no SKILL.md at the top" in page and "&quot;..&quot; in the path" in page and 'value="team"' in page
    assert send({}, client).status_code == 400
    assert send({"file": SimpleUploadedFile("a.zip", ZIP)}, client, scope="a b").status_code == 400


def test_warnings_are_shown_once_it_is_taken() -> None:
    text = b"---\nname: Plan Trip\ndescription: b\n---\n"
    page = send({"file": SimpleUploadedFile("a.zip", make_zip({"SKILL.md": text}))}).content.decode()
    assert "became" in page and "rewritten" in page


def test_who_may_not_use_skills_sees_neither_button_nor_page() -> None:
    make_skill()
    viewer = signed_in(group="viewer")
    assert "/skills/upload/" not in viewer.get("/skills/").content.decode()
    assert viewer.get("/skills/upload/").status_code == 403
    assert "/skills/upload/" in signed_in("berta").get("/skills/").content.decode()
