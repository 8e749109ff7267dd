"""The three places for packages, each as an operator would set it up."""

import logging
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
from django.core.files.storage import storages
from django.test import override_settings

from memos_site.platform.env import read
from memos_site.platform.service_settings import package_storage
from tests.skills import oss_server

AWS = {"AWS_ACCESS_KEY_ID": "AKIA-test", "AWS_SECRET_ACCESS_KEY": "aws-secret", "AWS_DEFAULT_REGION": "eu-central-1"}
BUCKET = "team-packages"


@dataclass
class Store:
    """`files`: what lies in the store, by path; `age`: makes everything in it two days old."""

    backend: str
    files: Callable[[], dict[str, bytes]]
    age: Callable[[], None]


@contextmanager
def local(folder: Path) -> Iterator[Store]:
    place = folder / "packages"

    def files() -> dict[str, bytes]:
        return {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}

    def age() -> None:
        for path in place.rglob("*"):
            os.utime(path, (0, 0))

    with using({"SKILLS_REPO_BACKEND": "local", "SKILLS_LOCAL_DIR": str(place)}, folder):
        yield Store("LOCAL", files, age)


@contextmanager
def s3_server() -> Iterator[tuple[str, Any]]:
    """The address of a store that speaks S3's protocol, with an empty bucket, and a client of it."""
    with _moto() as (url, client, _server):
        yield url, client


@contextmanager
def _moto() -> Iterator[tuple[str, Any, Any]]:
    import boto3
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
        server.start()
    url = "http://{}:{}".format(*server.get_host_and_port())
    try:
        client = boto3.client("s3", endpoint_url=url, region_name="eu-central-1", **keys())
        client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        yield url, client, server._server
        client.close()
    finally:
        httpx.post(f"{url}/moto-api/reset")  # the buckets belong to the process
        server.stop()


@dataclass
class RefusingStore:
    """A store that answers 503 while it `refuses`: an application around that of the store."""

    url: str
    application: Any
    refuses: bool = False

    def __call__(self, environ: Any, start_response: Any) -> Any:
        if not self.refuses:
            return self.application(environ, start_response)
        start_response("503 Slow Down", [("Content-Type", "application/xml"), ("Connection", "close")])
        return [b"<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>"]

    def accept(self) -> None:
        self.refuses = False


@contextmanager
def refusing_s3_server() -> Iterator[RefusingStore]:
    with _moto() as (url, _client, server):
        server.app = RefusingStore(url, server.app)
        yield server.app


@contextmanager
def s3(folder: Path) -> Iterator[Store]:
    from moto.core import DEFAULT_ACCOUNT_ID
    from moto.s3.models import s3_backends

    with s3_server() as (url, _client):
        stored = s3_backends[DEFAULT_ACCOUNT_ID]["aws"].buckets[BUCKET].keys

        def files() -> dict[str, bytes]:
            return {name.removeprefix("memos/"): key.value for name, key in stored.items()}

        def age() -> None:
            for key in stored.values():
                key.last_modified = datetime(2020, 1, 1)  # noqa: DTZ001 - as moto keeps it

        place = {"SKILLS_S3_BUCKET": BUCKET, "SKILLS_S3_PREFIX": "/memos/", "AWS_ENDPOINT_URL_S3": url}
        with using({"SKILLS_REPO_BACKEND": "s3", **place, **AWS}, folder):
            yield Store("S3", files, age)


@contextmanager
def oss(folder: Path) -> Iterator[Store]:
    with oss_server.listening() as server, using(oss_settings(server.url), folder):

        def age() -> None:
            server.written.update(dict.fromkeys(server.written, datetime.now(UTC) - timedelta(days=2)))

        yield Store("OSS", lambda: {k.removeprefix("memos/"): body for k, body in server.objects.items()}, age)


def oss_settings(url: str, **more: str) -> dict[str, str]:
    place = {"SKILLS_REPO_BACKEND": "OSS", "SKILLS_OSS_DIR": "memos", "OSS_ENDPOINT": url}
    names = {"OSS_REGION": oss_server.REGION, "OSS_BUCKET_NAME": oss_server.BUCKET}
    secrets = {"OSS_ACCESS_KEY_ID": oss_server.KEY_ID, "OSS_ACCESS_KEY_SECRET": oss_server.SECRET}
    return {**place, **names, **secrets, **more}


def keys() -> dict[str, str]:
    return {name.lower(): value for name, value in AWS.items() if "KEY" in name}


@contextmanager
def using(environ: dict[str, str], data_dir: Path) -> Iterator[None]:
    """The storage that these variables of the environment choose; those of boto3 are set in the environment itself."""
    from django.conf import settings

    env, problems = read(environ)
    assert problems == []
    chosen: dict[str, Any] = settings.STORAGES | {"skills": package_storage(data_dir, env)}
    of_boto3 = {name: value for name, value in environ.items() if name.startswith("AWS_")}
    with patch.dict(os.environ, of_boto3), override_settings(STORAGES=chosen):
        yield
        storages["skills"]  # the instance lives as long as the settings


STORES = {"LOCAL": local, "S3": s3, "OSS": oss}
