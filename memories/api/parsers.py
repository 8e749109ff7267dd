"""The JSON body parser: limits the size before reading, and rejects what PostgreSQL cannot store."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import APIException
from rest_framework.parsers import BaseParser

from memories.values import strict_json

LARGEST_BODY = 21 * 1024 * 1024


class TooLarge(APIException):
    status_code = 413
    default_detail = "the body is larger than 21 MiB"
    default_code = "too_large"


class StrictJSON(BaseParser):
    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        body = stream.read(LARGEST_BODY + 1)
        if len(body) > LARGEST_BODY:
            raise TooLarge
        return strict_json.loads(body)
