"""One contract for the three places where packages may lie."""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages

from memos_site.web import health
from skills import orphans
from skills.models import SkillVersion
from skills.storages import delete, open_package, package_path, presigned_url, store, stored_packages
from tests.make import bytes_of, caller, make_skill, make_version
from tests.pages import signed_in
from tests.skills.stores import STORES, Store

ONE = package_path("team:a+b@c", "refund", hashlib.sha256(b"one").hexdigest())
PATH = package_path("team:a+b@c", "refund", "0" * 64)
SECRETS = ("aws-secret", "oss-secret")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:oss2", "ignore::DeprecationWarning:botocore")


@pytest.fixture(params=list(STORES), scope="module")
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with STORES[request.param](tmp_path_factory.mktemp("data")) as made:
        yield made


@pytest.fixture(autouse=True)
def clean(place: Store) -> None:
    for path in place.files():
        delete(path)


def test_what_is_stored_comes_back_byte_for_byte(place: Store) -> None:
    content = bytes(range(256)) * 5000
    path = package_path("", "refund", hashlib.sha256(content).hexdigest())
    store(path, content)
    with open_package(path) as file:
        assert file.read() == content
    assert place.files() == {path: content}


def test_an_object_is_neither_renamed_nor_overwritten(place: Store) -> None:
    store(PATH, b"one")
    assert storages["skills"].save(PATH, ContentFile(b"two")) == PATH
    assert place.files() == {PATH: b"one"}
    store(PATH, b"one")
    assert place.files() == {PATH: b"one"}


@pytest.mark.parametrize("damaged", [b"on", b"0ne"])
def test_an_object_that_was_damaged_is_not_handed_out_and_written_again(place: Store, damaged: bytes) -> None:
    store(ONE, damaged)
    with pytest.raises(FileNotFoundError):
        open_package(ONE)
    store(ONE, b"one")
    assert place.files() == {ONE: b"one"}
    with open_package(ONE) as file:
        assert file.read() == b"one"


def test_what_is_not_there_is_a_missing_file(place: Store) -> None:
    with pytest.raises(FileNotFoundError):
        open_package(PATH)
    delete(PATH)
    assert not storages["skills"].exists(PATH)
    assert list(stored_packages()) == []


def test_a_store_that_answers_is_ready(place: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "WAIT_SECONDS", 60)
    assert health.packages_can_be_stored() == "ok"


def test_the_list_holds_every_package_and_nothing_foreign(place: Store) -> None:
    paths = {package_path("", f"skill-{n}", f"{n:064}") for n in range(5)}
    for path in (*paths, "notes.txt", "team/skill/readme.txt"):
        store(path, b"zip")
    found = dict(stored_packages())
    assert set(found) == paths
    assert all(abs((datetime.now(UTC) - at).total_seconds()) < 3600 for at in found.values())


def test_an_address_downloads_for_five_minutes_without_a_token(place: Store) -> None:
    store(PATH, b"zip")
    url = presigned_url(PATH, filename="refund.zip")
    if place.backend == "LOCAL":
        assert url is None
        return
    assert url is not None
    answer = httpx.get(url)
    assert (answer.status_code, answer.content) == (200, b"zip")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="refund.zip"'
    query = {name.lower(): value for name, [value] in parse_qs(urlsplit(url).query).items()}
    assert query.get("x-amz-expires", query.get("x-oss-expires")) == "300"
    assert not any(secret in url for secret in SECRETS)


@pytest.mark.django_db
@pytest.mark.parametrize("way", ["api", "page"])
def test_a_download_is_a_stream_or_an_address_of_the_store(place: Store, way: str) -> None:
    skill = make_skill()
    address = "/api/v1/skills/book-flight/versions/latest/content" if way == "api" else f"/skills/{skill.pk}/1.zip"
    answer = (caller() if way == "api" else signed_in()).get(address)
    [content] = place.files().values()
    if place.backend == "LOCAL":
        assert bytes_of(answer) == content
        return
    assert (answer.status_code, answer["Cache-Control"]) == (302, "no-store")
    assert httpx.get(answer["Location"]).content == content


@pytest.mark.django_db
def test_a_package_that_the_store_lost_is_not_found(place: Store) -> None:
    make_skill()
    for path in place.files():
        delete(path)
    answer = caller().get("/api/v1/skills/book-flight/versions/latest/content")
    assert answer.status_code == 404
    assert answer.json()["detail"].startswith("the package of book-flight 1 is not in the package store")


@pytest.mark.django_db
def test_packages_that_no_version_names_are_swept_after_a_day(place: Store) -> None:
    skill = make_skill()
    lost = make_version(skill, description="Books two flights")
    SkillVersion.objects.filter(pk=lost.pk).delete()
    now = datetime.now(UTC)
    assert (orphans.delete_orphans(at=now), len(place.files())) == (0, 2)
    place.age()
    store(PATH, b"new")
    assert orphans.delete_orphans(at=now) == 1
    assert set(place.files()) == {SkillVersion.objects.get(skill=skill).package, PATH}


@pytest.mark.django_db
def test_a_package_that_is_recorded_while_it_is_swept_comes_back(place: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    skill = make_skill()
    package = SkillVersion.objects.get(skill=skill).package
    SkillVersion.objects.update(package=f"_/elsewhere/{uuid4()}")
    place.age()

    def record_meanwhile(path: str) -> None:
        SkillVersion.objects.update(package=package)
        delete(path)

    monkeypatch.setattr("skills.storages.delete", record_meanwhile)
    assert orphans.delete_orphans(at=datetime.now(UTC)) == 0
    assert set(place.files()) == {package}


def test_neither_store_nor_address_shows_a_secret(place: Store, tmp_path: Path) -> None:
    shown = repr(storages["skills"]) + str(storages["skills"])
    assert not any(secret in shown for secret in SECRETS)
