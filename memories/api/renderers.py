"""The JSON renderer: the JSON of DRF's, written by pydantic instead of a function called for each id and instant."""

from collections.abc import Mapping
from typing import Any

from pydantic_core import PydanticSerializationError, to_json
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder

FOR_SCRIPTS = {b"\xe2\x80\xa8": b"\\u2028", b"\xe2\x80\xa9": b"\\u2029"}  # end a line in old JavaScript; as DRF does
_otherwise = JSONEncoder().default


class JSON(JSONRenderer):
    """A fifth of the time of DRF's for ten memories; what pydantic does not write, or with an indent, DRF's writes."""

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        if data is None or self.get_indent(accepted_media_type or "", dict(renderer_context or {})) is not None:
            return bytes(super().render(data, accepted_media_type, renderer_context))
        try:
            text = to_json(data, fallback=_otherwise, inf_nan_mode="null")  # JSON has no NaN
        except PydanticSerializationError:
            return bytes(super().render(data, accepted_media_type, renderer_context))
        for character, escape in FOR_SCRIPTS.items():
            if character in text:
                text = text.replace(character, escape)
        return text
