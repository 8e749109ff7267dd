"""Every page in Chinese: no English word on it but names, data and programs."""

import zipfile
from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.chinese_store import english, fill
from tests.memos_site.test_catalogues import UPDATE
from tests.pages import HTMX, begin_session, signed_in
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
LISTS = (
    *("/", "/?kind=semantic", "/?q=没有", "/?kind=merge", "/memories/", "/memories/?q=没有", "/memories/teach/"),
    *("/dismissed/", "/dismissed/?lifted=1", "/adaptations/", "/adaptations/?past=1", "/episodes/", "/skills/"),
    *("/runs/", "/import/", "/packs/", "/skills/upload/", "/nowhere/", "/insights/", "/search/?q=没有"),
)


def in_chinese(client: Client) -> Client:
    client.post("/language/", {"language": "zh-hans"})
    return client


def faults(client: Client, paths: dict[str, str]) -> dict[str, list[str]]:
    found = {name: english(client.get(path).content.decode()) for name, path in paths.items()}
    return {name: texts for name, texts in found.items() if texts}


Store = tuple[Client, dict[str, str]]


@shared_rows
def store() -> Store:
    """An administrator who has signed in, and the addresses of pages by name."""
    person, pages = fill()
    client = Client()
    begin_session(client, person)
    return client, pages


def test_pages_with_rows(store: Store) -> None:
    client, pages = store
    assert faults(in_chinese(client), pages | {path: path for path in LISTS}) == {}, UPDATE


def test_empty_pages_and_those_without_permission() -> None:
    viewer = in_chinese(signed_in("vera", group="viewer"))
    assert faults(viewer, {path: path for path in (*LISTS, "/agents/")}) == {}
    assert english(viewer.post("/bulk/", {"decision": "promote"}).content.decode()) == []


def test_the_sign_in_page_and_a_wrong_password() -> None:
    client = in_chinese(Client())
    assert english(client.get("/login/").content.decode()) == []
    for _attempt in range(4):
        page = client.post("/login/", {"username": "olga", "password": "x"})
        assert english(page.content.decode()) == []
    assert page.status_code == 429


@pytest.mark.parametrize(
    "decision",
    ["dismiss stale", "promote", "promote applied", "snooze tomorrow", "pin", "dismiss wrong"],
)
def test_what_a_decision_answers(decision: str, store: Store) -> None:
    client, pages = store
    in_chinese(client)
    for name in ("claim", "gone", "contested"):
        answer = client.post(f"{pages[name]}decide/", {"decision": decision}, headers=HTMX)
        assert english(answer.content.decode()) == []


def test_the_problems_of_an_uploaded_zip(store: Store) -> None:
    client, _pages = store
    in_chinese(client)
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("甲/x", "乙/../x", "乙/y.zip"):
            archive.writestr(name, "x")
    for content in (packed.getvalue(), b"no zip at all"):
        answer = client.post("/skills/upload/", {"file": SimpleUploadedFile("skill.zip", content)})
        assert (answer.status_code, english(answer.content.decode())) == (400, [])
