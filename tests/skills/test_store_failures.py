"""A store that fails: the old version stays, nothing is recorded, and who asked is told which store and why."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from memos_site.platform.outages import StoreUnavailable
from skills.manifest import Fields
from skills.models import Skill, SkillVersion
from skills.packaging import pack
from skills.storages import holds, presigned_url, store, stored_packages
from tests.make import bytes_of, caller, make_skill, make_version
from tests.skills import oss_server
from tests.skills.oss_server import Answer, Call, Server
from tests.skills.stores import AWS, oss_settings, using

PATH = "team/refund/" + "0" * 64 + ".zip"
Fault = Callable[[Call], Answer | None]
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:oss2", "ignore::DeprecationWarning:botocore")


@pytest.fixture
def server() -> Iterator[Server]:
    with oss_server.listening() as listening:
        yield listening


@pytest.fixture(params=["S3", "OSS"])
def failing(request: pytest.FixtureRequest, server: Server, tmp_path: Path) -> Iterator[Server]:
    """A server that is set up as the store; whatever it is asked it answers as its `fault` says."""
    s3 = {"SKILLS_REPO_BACKEND": "S3", "SKILLS_S3_BUCKET": "packages", "AWS_ENDPOINT_URL_S3": server.url, **AWS}
    with using(s3 if request.param == "S3" else oss_settings(server.url), tmp_path):
        yield server


def answering(status: int, code: str) -> Fault:
    return lambda call: oss_server.error(404, "NoSuchKey") if call.method == "HEAD" else oss_server.error(status, code)


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (403, "SignatureDoesNotMatch", "refuses the configured credentials (403 SignatureDoesNotMatch)"),
        (403, "QuotaExceeded", "is full (403 QuotaExceeded)"),
        (507, "InsufficientStorage", "is full (507 InsufficientStorage)"),
        (503, "SlowDown", "answered 503 SlowDown"),
        (500, "<script>", "answered 500"),
        (404, "NoSuchBucket", "answered 404 NoSuchBucket"),
    ],
)
def test_a_refusal_is_told_in_plain_words(failing: Server, status: int, code: str, words: str) -> None:
    failing.fault = answering(status, code)
    with pytest.raises(StoreUnavailable) as error:
        store(PATH, b"zip")
    assert str(error.value).startswith("the package store (") and words in str(error.value)
    assert "bucket packages" in str(error.value)
    assert error.value.__suppress_context__  # the cause holds what was signed
    assert len(failing.calls) <= 4  # no retries without end


def test_a_page_of_another_service_is_no_stored_package(failing: Server) -> None:
    page: Answer = (200, {"Content-Type": "text/html"}, b"<html>Welcome</html>")
    failing.fault = lambda call: oss_server.error(404, "NoSuchKey") if call.method == "HEAD" else page
    with pytest.raises(StoreUnavailable, match=r"leads to something that is no (S3|OSS)"):
        store(PATH, b"zip")


def test_silence_ends(failing: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for backend in ("s3", "oss"):
        monkeypatch.setattr(f"skills.storages.{backend}.READ_SECONDS", 0.1)
    over = threading.Event()
    failing.fault = lambda call: (over.wait(60) and None) or oss_server.error(503, "TooLate")
    with pytest.raises(StoreUnavailable, match="does not answer; nothing has changed"):
        store(PATH, b"zip")
    over.set()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("AWS_ENDPOINT_URL_S3", "me:hunter2@store", "AWS_ENDPOINT_URL_S3 is not an address such as https://"),
        ("AWS_DEFAULT_REGION", "two words", "cannot be used (InvalidRegionError)"),
        ("AWS_PROFILE", "nobody", "cannot be used (ProfileNotFound)"),
    ],
)
def test_a_wrong_variable_of_boto3_is_an_outage_that_names_it(
    tmp_path: Path, name: str, value: str, words: str
) -> None:
    s3 = {"SKILLS_REPO_BACKEND": "S3", "SKILLS_S3_BUCKET": "packages", **AWS, name: value}
    for of_keys in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY") if name == "AWS_PROFILE" else ():
        del s3[of_keys]
    with using(s3, tmp_path):
        for use in (lambda: store(PATH, b"zip"), lambda: list(stored_packages())):
            with pytest.raises(StoreUnavailable) as error:
                use()
            assert words in str(error.value) and "hunter2" not in str(error.value)


def test_boto3_reads_keys_from_a_file_and_region_and_address_from_its_own_variables(
    server: Server, tmp_path: Path
) -> None:
    keys = tmp_path / "keys"
    keys.write_text("[default]\naws_access_key_id = of-the-file\naws_secret_access_key = secret\n")
    s3 = {"SKILLS_REPO_BACKEND": "S3", "SKILLS_S3_BUCKET": "packages", "AWS_ENDPOINT_URL_S3": server.url}
    with using({**s3, "AWS_DEFAULT_REGION": "eu-north-1", "AWS_SHARED_CREDENTIALS_FILE": str(keys)}, tmp_path):
        url = presigned_url(PATH, filename="refund.zip")
    assert url and url.startswith(server.url) and "of-the-file%2F" in url and "%2Feu-north-1%2Fs3%2F" in url


def test_a_store_that_redirects_is_an_outage_that_says_so(server: Server, tmp_path: Path) -> None:
    """A proxy that leads from http to https, say."""
    server.fault = lambda call: (307, {"Location": "https://127.0.0.1:1/"}, b"")
    s3 = {"SKILLS_REPO_BACKEND": "S3", "SKILLS_S3_BUCKET": "packages", "AWS_ENDPOINT_URL_S3": server.url, **AWS}
    with using(s3, tmp_path), pytest.raises(StoreUnavailable, match="it redirects: AWS_ENDPOINT_URL_S3"):
        holds(PATH)


def test_nobody_there_is_an_outage_too(tmp_path: Path) -> None:
    with oss_server.listening() as gone:
        pass
    with using(oss_settings(gone.url), tmp_path), pytest.raises(StoreUnavailable, match="does not answer"):
        store(PATH, b"zip")


def test_half_an_upload_is_not_stored(server: Server, tmp_path: Path) -> None:
    def halve(call: Call) -> Answer | None:
        half = replace(call, body=call.body[: len(call.body) // 2])
        return server.put(half) if call.method == "PUT" else None

    server.fault = halve
    with using(oss_settings(server.url), tmp_path), pytest.raises(StoreUnavailable, match="400 InvalidDigest"):
        store(PATH, b"a package")
    assert server.objects == {}


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [("OSS_ACCESS_KEY_SECRET", "wrong", "SignatureDoesNotMatch"), ("OSS_REGION", "cn-beijing", "InvalidAccessKeyId")],
)
def test_a_wrong_key_or_region_is_refused(server: Server, tmp_path: Path, name: str, value: str, code: str) -> None:
    """Without this our server would take any signature, and the contract would prove nothing."""
    with using(oss_settings(server.url, **{name: value}), tmp_path), pytest.raises(StoreUnavailable, match=code):
        store(PATH, b"zip")


@pytest.mark.django_db
def test_a_version_that_cannot_be_stored_is_not_recorded_and_the_old_one_stays(server: Server, tmp_path: Path) -> None:
    """After the outage the same step succeeds."""
    with using(oss_settings(server.url), tmp_path):
        skill = make_skill()
        server.fault = answering(503, "ServiceUnavailable")
        with pytest.raises(StoreUnavailable):
            make_version(skill, description="Books two flights")
        assert [row.status for row in SkillVersion.objects.filter(skill=skill)] == ["published"]
        server.fault = lambda call: None
        make_version(skill, description="Books two flights")
        assert [row.status for row in SkillVersion.objects.filter(skill=skill)] == ["proposed", "published"]
        answer = caller().get("/api/v1/skills/book-flight/versions/latest/content")
        assert answer.status_code == 302 and not bytes_of(answer)


@pytest.mark.django_db
def test_a_bucket_that_is_gone_is_not_told_as_a_package_that_is(failing: Server) -> None:
    failing.fault = lambda call: (
        (200, {"ETag": '"0"'}, b"") if call.method == "PUT" else oss_server.error(404, "NoSuchKey")
    )
    make_skill()
    for code, status in (("NoSuchKey", 404), ("NoSuchBucket", 503)):
        failing.fault = answering(404, code)
        answer = caller().get("/api/v1/skills/book-flight/versions/latest/content")
        assert answer.status_code == status
    assert "bucket packages) answered 404 NoSuchBucket" in answer.json()["detail"]


@pytest.mark.django_db
def test_an_upload_during_an_outage_is_told_which_store_failed_and_stores_nothing(
    server: Server, tmp_path: Path
) -> None:
    server.fault = answering(507, "InsufficientStorage")
    with using(oss_settings(server.url), tmp_path):
        content = pack(Fields(name="refund", description="Refunds"), 1).content
        form = {"file": SimpleUploadedFile("refund.zip", content)}
        answer = caller().post("/api/v1/skills", form, format="multipart")
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (503, "storage_unavailable")
    assert "OSS bucket packages) is full" in problem["detail"]
    assert int(answer["Retry-After"]) > 0
    assert not Skill.objects.exists()
