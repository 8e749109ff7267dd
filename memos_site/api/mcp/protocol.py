"""The Model Context Protocol's messages: versions, errors, and what each request must carry. No I/O.

2026-07-28 has no handshake: every request names its version and capabilities, and headers repeat what it is about.
Clients of 2025-11-25 and 2025-06-18 open with `initialize`; they get no session, since no request needs one.
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memories.api.shapes import Json

MODERN, LATEST_LEGACY = "2026-07-28", "2025-11-25"
LEGACY = (LATEST_LEGACY, "2025-06-18")
SUPPORTED = (MODERN, *LEGACY)

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022
LEGACY_NOT_FOUND = -32002  # of a resource; the later protocol says INVALID_PARAMS
STATUS = {METHOD_NOT_FOUND: 404, INTERNAL: 500}  # of the later protocol; every other error is a 400

META = "io.modelcontextprotocol/"
VERSION, CAPABILITIES, SERVER = f"{META}protocolVersion", f"{META}clientCapabilities", f"{META}serverInfo"
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}  # what Mcp-Name repeats
ENCODED, ENCODED_END = "=?base64?", "?="


class RpcError(Exception):
    """A request that is answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.data = code, data

    def body(self, id: Any) -> Json:
        more = {} if self.data is None else {"data": self.data}
        return {"jsonrpc": "2.0", "id": id, "error": {"code": self.code, "message": str(self), **more}}


@dataclass(frozen=True)
class Message:
    """One request, or without an id a notification. `modern`: of the protocol without handshake."""

    id: str | int | None
    method: str
    params: Json
    modern: bool

    @property
    def is_notification(self) -> bool:
        return self.id is None


def parse(body: Any, headers: Mapping[str, str]) -> Message:
    """One message of a POST. RpcError: it is no JSON-RPC, or headers and message disagree."""
    if isinstance(body, list):
        raise RpcError(INVALID_REQUEST, "A batch is not part of this protocol: send each message on its own")
    if not isinstance(body, dict) or body.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, 'A message is a JSON object with "jsonrpc": "2.0"')
    id, method, params = body.get("id"), body.get("method"), body.get("params", {})
    if not isinstance(method, str):
        raise RpcError(INVALID_REQUEST, "A message names its method")
    if not isinstance(params, dict):
        raise RpcError(INVALID_PARAMS, "params must be a JSON object")
    if "id" in body and (isinstance(id, bool) or not isinstance(id, str | int)):
        raise RpcError(INVALID_REQUEST, "id must be a string or a whole number")
    message = Message(id, method, params, _is_modern(method, params, headers))
    if message.modern and not message.is_notification:
        _check_envelope(message, headers)
    return message


def _is_modern(method: str, params: Json, headers: Mapping[str, str]) -> bool:
    """Whether this is a message of the protocol without handshake. RpcError: of a version that is not spoken here."""
    version, declared_version = headers.get("MCP-Protocol-Version"), _meta(params).get(VERSION)
    if method == "initialize":
        return False
    if declared_version is None and version is not None and version not in SUPPORTED:
        raise unsupported(version)
    return declared_version is not None or version == MODERN


def _check_envelope(message: Message, headers: Mapping[str, str]) -> None:
    """RpcError unless the message carries what each of its kind must, and the headers say the same."""
    meta = _meta(message.params)
    version = meta.get(VERSION)
    missing_names = [
        name for name, kind in ((VERSION, str), (CAPABILITIES, dict)) if not isinstance(meta.get(name), kind)
    ]
    if missing_names:
        raise RpcError(INVALID_PARAMS, f"params._meta needs {' and '.join(missing_names)}")
    _check_header(headers, "MCP-Protocol-Version", str(version))
    _check_header(headers, "Mcp-Method", message.method)
    if (field := NAMED_BY.get(message.method)) is not None:
        subject = message.params.get(field)
        if not isinstance(subject, str):
            raise RpcError(INVALID_PARAMS, f"params.{field} must be a string")
        _check_header(headers, "Mcp-Name", subject)
    if version != MODERN:
        raise unsupported(str(version))


def _check_header(headers: Mapping[str, str], name: str, value: str) -> None:
    header = headers.get(name)
    if header is None:
        raise RpcError(HEADER_MISMATCH, f"Header mismatch: {name} is missing")
    if _decode(header) != value:
        raise RpcError(HEADER_MISMATCH, f"Header mismatch: {name} is {header!r}, the message says {value!r}")


def _decode(value: str) -> str | None:
    """The text of a header, which may be base64 between marks; None: it is not well encoded."""
    if not (value.startswith(ENCODED) and value.endswith(ENCODED_END)):
        return value
    try:
        return base64.b64decode(value[len(ENCODED) : -len(ENCODED_END)], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _meta(params: Json) -> Json:
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def unsupported(version: str) -> RpcError:
    data = {"supported": list(SUPPORTED), "requested": version}
    return RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
