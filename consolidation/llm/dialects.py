"""Which optional fields of a request an endpoint takes, learned from what it rejects."""

import re
from dataclasses import dataclass, replace
from typing import Any

Json = dict[str, Any]
LIMITS = {"max_completion_tokens": "max_tokens", "max_tokens": ""}  # what is tried after it
LIMIT = re.compile(r"max_(?:completion_)?tokens")  # servers may name either, whichever was sent
UNTOLD = ("title", "description")  # words of a schema; fields of these names are no texts there
_SCHEMA = re.compile(r"response_format|json.?schema|structured output|grammar", re.IGNORECASE)
_STREAM = re.compile(r"\bstream(?:_options|ing)?\b", re.IGNORECASE)


@dataclass(frozen=True)
class Dialect:
    """`limit`: the name of the field for the most tokens of an answer; '' where it takes none."""

    schema: bool = True
    streams: bool = True
    limit: str = "max_completion_tokens"

    def fields(self, *, name: str, schema: Json, most: int) -> Json:
        """The optional fields of a request for an answer in a schema. `most`: its tokens; 0: as the endpoint wants."""
        fields: Json = {}
        if self.schema:
            fields["response_format"] = {"type": "json_schema", "json_schema": {"name": name, "schema": schema}}
        if self.streams:
            fields |= {"stream": True, "stream_options": {"include_usage": True}}
        if self.limit and most:
            fields[self.limit] = most
        return fields

    def after(self, complaint: str) -> "Dialect | None":
        """What to try after this rejection: without the field that it names, else without any; None: nothing is left.

        A text that is rejected whatever the fields costs one request more.
        """
        if self.limit and LIMIT.search(complaint):
            return replace(self, limit=LIMITS[self.limit])
        if self.schema and _SCHEMA.search(complaint):
            return replace(self, schema=False)
        if self.streams and _STREAM.search(complaint):
            return replace(self, streams=False)
        return None if self == PLAIN else PLAIN


PLAIN = Dialect(schema=False, streams=False, limit="")


def bare(schema: Any) -> Any:
    """A schema without the names of our classes and their docstrings, which are for readers of the code: hosted models
    read it as a part of the question."""
    if isinstance(schema, dict):
        kept = {key: bare(value) for key, value in schema.items()}
        return {key: value for key, value in kept.items() if not (key in UNTOLD and isinstance(value, str))}
    return [bare(value) for value in schema] if isinstance(schema, list) else schema
