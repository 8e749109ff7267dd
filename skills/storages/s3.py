"""Packages in a bucket of S3, or of another store that speaks its protocol."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from django.core.files.base import ContentFile, File
from storages.backends.s3 import S3Storage

from skills.storages import CONNECT_SECONDS, READ_SECONDS, failure, no_answer

SECONDS = 300  # that a presigned address is good for
EXISTS, MISSING, NO_CONDITIONS, NO_BUCKET = (409, 412), 404, 501, "NoSuchBucket"


class S3PackageStorage(S3Storage):
    """django-storages' S3 with bounded waiting, writes that replace nothing, and failures in plain words.

    Keys, region and address are those that boto3 reads from its own variables (AWS_...) and files.
    """

    def __init__(self, *, prefix: str = "", **settings: Any) -> None:
        config = Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            retries={"mode": "standard", "total_max_attempts": 2},
            signature_version="s3v4",
        )
        super().__init__(client_config=config, querystring_expire=SECONDS, location=prefix.strip("/"), **settings)

    def _save(self, name: str, content: "File[bytes]") -> str:
        body, key = content.read(), self._normalize_name(name)
        put = {"Bucket": self.bucket_name, "Key": key, "Body": body, "ContentType": "application/zip"}
        with self._failures():
            try:
                answer = self._client.put_object(**put, IfNoneMatch="*")
            except ClientError as error:
                if _status(error) == NO_CONDITIONS:
                    answer = self._client.put_object(**put)
                elif _status(error) in EXISTS:
                    return name
                else:
                    raise
            if not answer.get("ETag"):  # a page of another service, say
                raise failure(self._store, 0, "AWS_ENDPOINT_URL_S3 leads to something that is no S3")
        return name

    def _open(self, name: str, mode: str = "rb") -> "File[bytes]":
        with self._failures():
            try:
                answer = self._client.get_object(Bucket=self.bucket_name, Key=self._normalize_name(name))
            except ClientError as error:
                if _status(error) == MISSING and _code(error) != NO_BUCKET:
                    raise FileNotFoundError(name) from None
                raise
            return ContentFile(answer["Body"].read(), name=name)  # whole: no answer breaks off in its middle

    def exists(self, name: str) -> bool:
        with self._failures():
            return bool(super().exists(name))

    def delete(self, name: str) -> None:
        with self._failures():
            super().delete(name)

    def stored_files(self) -> Iterator[tuple[str, datetime]]:
        prefix = self.location + "/" if self.location else ""
        with self._failures():
            pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket_name, Prefix=prefix)
            for page in pages:
                for entry in page.get("Contents", ()):
                    yield entry["Key"].removeprefix(prefix), entry["LastModified"]

    def presigned_url(self, name: str, *, filename: str) -> str:
        disposition = f'attachment; filename="{filename}"'
        with self._failures():
            return str(self.url(name, parameters={"ResponseContentDisposition": disposition}))

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return name

    @property
    def connection(self) -> Any:
        try:
            return super().connection
        except BotoCoreError:  # some are ValueErrors too
            raise
        except ValueError:  # it repeats the value
            problem = "AWS_ENDPOINT_URL_S3 is not an address such as https://s3.example.com"
            raise failure(self._store, 0, problem) from None

    @property
    def _client(self) -> Any:
        return self.connection.meta.client

    @property
    def _store(self) -> str:
        return f"the package store (S3 bucket {self.bucket_name})"

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except ClientError as error:
            raise failure(self._store, _status(error), _code(error)) from None
        except RecursionError:  # boto3 asks a redirection again and again
            problem = "it redirects: AWS_ENDPOINT_URL_S3 has to be its own address, https where it wants that"
            raise failure(self._store, 0, problem) from None
        except HTTPClientError:
            raise no_answer(self._store) from None
        except BotoCoreError as error:  # no credentials, say
            raise failure(self._store, 0, type(error).__name__) from None


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))
