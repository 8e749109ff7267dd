"""A small OSS on a real socket: it recomputes signature version 4 of every request, and can be told to misbehave."""

import base64
import hashlib
import hmac
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, quote, unquote, urlsplit

KEY_ID, SECRET, REGION, BUCKET = "LTAI-test", "oss-secret", "cn-hangzhou", "packages"
STAMP = "%Y%m%dT%H%M%SZ"
Answer = tuple[int, Mapping[str, str], bytes]


@dataclass
class Call:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def key(self) -> str:
        return unquote(self.path).removeprefix(f"/{BUCKET}").removeprefix("/")


@dataclass
class Server:
    """`objects`: key -> content; `written`: key -> time. While `fault` answers something, that is the answer."""

    url: str = ""
    objects: dict[str, bytes] = field(default_factory=dict)
    written: dict[str, datetime] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    fault: Callable[[Call], Answer | None] = lambda call: None

    def answer(self, call: Call) -> Answer:
        self.calls.append(call)
        if bad := self.fault(call):
            return bad
        if wrong := refusal(call):
            return error(403, wrong)
        if not call.key:
            return self.listed(call)
        return {"PUT": self.put, "GET": self.get, "HEAD": self.get, "DELETE": self.delete}[call.method](call)

    def put(self, call: Call) -> Answer:
        digest = base64.b64encode(hashlib.md5(call.body).digest()).decode()
        if call.headers.get("content-md5", digest) != digest:
            return error(400, "InvalidDigest")
        if call.headers.get("x-oss-forbid-overwrite") == "true" and call.key in self.objects:
            return error(409, "FileAlreadyExists")
        self.objects[call.key], self.written[call.key] = call.body, datetime.now(UTC)
        return 200, {"ETag": f'"{hashlib.md5(call.body).hexdigest().upper()}"'}, b""

    def get(self, call: Call) -> Answer:
        if call.key not in self.objects:
            return error(404, "NoSuchKey")
        modified = format_datetime(self.written[call.key], usegmt=True)
        disposition = {"Content-Disposition": call.query.get("response-content-disposition", "")}
        return 200, {"Last-Modified": modified, **disposition}, self.objects[call.key]

    def delete(self, call: Call) -> Answer:
        self.objects.pop(call.key, None)
        return 204, {}, b""

    def listed(self, call: Call) -> Answer:
        """Two keys a page, whatever was asked for."""
        after, prefix = call.query.get("continuation-token", ""), call.query.get("prefix", "")
        keys = sorted(key for key in self.objects if key.startswith(prefix) and key > after)
        page, more = keys[:2], len(keys) > 2
        rows = "".join(
            f"<Contents><Key>{quote(key)}</Key><Size>{len(self.objects[key])}</Size><ETag>e</ETag><Type>Normal</Type>"
            f"<LastModified>{self.written[key]:%Y-%m-%dT%H:%M:%S.000Z}</LastModified>"
            "<StorageClass>Standard</StorageClass></Contents>"
            for key in page
        )
        token = f"<NextContinuationToken>{page[-1]}</NextContinuationToken>" if more else ""
        head = f"<EncodingType>url</EncodingType><IsTruncated>{str(more).lower()}</IsTruncated>{token}"
        return 200, {}, f"<ListBucketResult>{head}{rows}</ListBucketResult>".encode()


def error(status: int, code: str) -> Answer:
    """`StringToSign` and the key's id stand in real answers too."""
    details = f"<Code>{code}</Code><Message>no</Message><OSSAccessKeyId>{KEY_ID}</OSSAccessKeyId>"
    body = f"<Error>{details}<StringToSign>OSS4-HMAC-SHA256</StringToSign></Error>".encode()
    return status, {"x-oss-err": base64.b64encode(body).decode()}, body


def refusal(call: Call) -> str:
    """The code of the error for a wrong or late signature; "" for a good one."""
    signs_url = "x-oss-signature" in call.query
    stamp = (call.query if signs_url else call.headers).get("x-oss-date", "19700101T000000Z")
    age = datetime.now(UTC) - datetime.strptime(stamp, STAMP).replace(tzinfo=UTC)
    if signs_url:
        credential, signature = call.query["x-oss-credential"], call.query["x-oss-signature"]
        allowed = timedelta(seconds=int(call.query["x-oss-expires"]))
    else:
        scheme, _, rest = call.headers.get("authorization", "").partition(" ")
        told = dict(part.strip().split("=", 1) for part in rest.split(",") if "=" in part)
        if scheme != "OSS4-HMAC-SHA256":
            return "AccessDenied"
        credential, signature, allowed = told.get("Credential", ""), told.get("Signature", ""), timedelta(minutes=15)
    if credential != f"{KEY_ID}/{stamp[:8]}/{REGION}/oss/aliyun_v4_request":
        return "InvalidAccessKeyId"
    if not hmac.compare_digest(signature, signed(call, stamp)):
        return "SignatureDoesNotMatch"
    return "AccessDenied" if age > allowed else ""


def signed(call: Call, stamp: str) -> str:
    """The signature that this request must have, as Alibaba Cloud describes version 4."""
    query = sorted((encode(name), encode(value)) for name, value in call.query.items() if name != "x-oss-signature")
    names = sorted(
        name for name in call.headers if name.startswith("x-oss-") or name in ("content-type", "content-md5")
    )
    canonical = "\n".join([
        call.method,
        encode(unquote(call.path), safe="/"),
        "&".join(f"{name}={value}" if value else name for name, value in query),
        "".join(f"{name}:{call.headers[name].strip()}\n" for name in names),
        "",
        "UNSIGNED-PAYLOAD",
    ])  # fmt: skip
    scope = f"{stamp[:8]}/{REGION}/oss/aliyun_v4_request"
    text = "\n".join(["OSS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"aliyun_v4{SECRET}".encode()
    for part in (*scope.split("/"), text):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key.hex()


def encode(text: str, safe: str = "") -> str:
    return quote(text, safe=f"{safe}-_.~")


@contextmanager
def listening() -> Iterator[Server]:
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do(self) -> None:
            parts = urlsplit(self.path)
            query = dict(parse_qsl(parts.query, keep_blank_values=True))
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, more, content = server.answer(Call(self.command, parts.path, query, headers, body))
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **more}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_PUT = do_HEAD = do_DELETE = do  # noqa: N815 - the names that http.server calls

        def log_message(self, format: str, *args: object) -> None:
            pass

    socket = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    socket.daemon_threads = True
    threading.Thread(target=socket.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    server.url = f"http://127.0.0.1:{socket.server_address[1]}"
    try:
        yield server
    finally:
        socket.shutdown()
        socket.server_close()
