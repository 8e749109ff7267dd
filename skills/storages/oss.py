"""Packages in a bucket of Alibaba Cloud OSS, with requests and addresses signed by signature version 4."""

import base64
import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import oss2
from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage
from django.utils.deconstruct import deconstructible
from requests.exceptions import RequestException

from skills.storages import CONNECT_SECONDS, READ_SECONDS, failure, no_answer

SECONDS = 300  # that a presigned address is good for
EXISTS = "FileAlreadyExists"


@deconstructible
class OSSPackageStorage(Storage):
    """A storage over oss2 that never replaces an object."""

    def __init__(
        self, *, endpoint: str, region: str, bucket_name: str, access_key: str, secret_key: str, prefix: str = ""
    ) -> None:
        self.bucket_name = bucket_name
        self._prefix = prefix.strip("/") + "/" if prefix.strip("/") else ""
        self._auth = oss2.AuthV4(access_key, secret_key)
        self._place = (endpoint, bucket_name)
        self._region = region
        self._buckets = threading.local()  # a session of requests belongs to one thread

    def exists(self, name: str) -> bool:
        with self._failures():
            return bool(self._bucket.object_exists(self._key(name)))

    def delete(self, name: str) -> None:
        with self._failures():
            self._bucket.delete_object(self._key(name))

    def stored_files(self) -> Iterator[tuple[str, datetime]]:
        with self._failures():
            for entry in oss2.ObjectIteratorV2(self._bucket, prefix=self._prefix, max_keys=1000, max_retries=1):
                yield entry.key.removeprefix(self._prefix), datetime.fromtimestamp(entry.last_modified, UTC)

    def presigned_url(self, name: str, *, filename: str) -> str:
        disposition = f'attachment; filename="{filename}"'
        params = {"response-content-disposition": disposition}
        return str(self._bucket.sign_url("GET", self._key(name), SECONDS, params=params, slash_safe=True))

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return name

    def _open(self, name: str, mode: str = "rb") -> "File[bytes]":
        with self._failures():
            try:
                return ContentFile(self._bucket.get_object(self._key(name)).read(), name=name)
            except oss2.exceptions.NoSuchKey:
                raise FileNotFoundError(name) from None

    def _save(self, name: str, content: "File[bytes]") -> str:
        body = content.read()
        md5 = base64.b64encode(hashlib.md5(body, usedforsecurity=False).digest()).decode()
        headers = {
            "Content-Type": "application/zip",
            "Content-MD5": md5,  # half an upload is refused
            "x-oss-forbid-overwrite": "true",
        }
        with self._failures():
            try:
                result = self._bucket.put_object(self._key(name), body, headers=headers)
            except oss2.exceptions.ServerError as error:
                if error.code != EXISTS:
                    raise
                return name
            if not result.etag:  # a page of another service, say
                raise failure(self._store, 0, "OSS_ENDPOINT leads to something that is no OSS")
        return name

    def _key(self, name: str) -> str:
        return self._prefix + name

    @property
    def _bucket(self) -> Any:
        if not hasattr(self._buckets, "bucket"):
            self._buckets.bucket = oss2.Bucket(
                self._auth, *self._place, region=self._region, connect_timeout=(CONNECT_SECONDS, READ_SECONDS)
            )
        return self._buckets.bucket

    @property
    def _store(self) -> str:
        return f"the package store (OSS bucket {self.bucket_name})"

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except (oss2.exceptions.RequestError, RequestException):
            raise no_answer(self._store) from None
        except oss2.exceptions.OssError as error:
            raise failure(self._store, max(error.status, 0), error.code or type(error).__name__) from None
