"""Send one signed message: connected to the very address that was checked, no redirect, a bounded time.

Names are resolved here, once, for the connection itself.
"""

import hashlib
import hmac
import logging
import socket
import ssl
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

import httpcore
from django.conf import settings

from consolidation.models.webhooks import Format
from consolidation.webhooks import chat

NAT64 = ip_network("64:ff9b::/96")  # an IPv4 address stands in its last four bytes
GLOBAL_UNICAST = ip_network("2000::/3")  # of IPv6, nothing else is routed on the Internet: not fec0::/10 either
NOT_PUBLIC = tuple(  # though `is_global` calls them so, in some Python that runs this
    map(
        ip_network,
        (
            "168.63.129.16/32",  # services of Azure to the machine that asks
            "192.0.0.0/24",  # protocol assignments
            "192.88.99.0/24",  # relays of 6to4
            "198.18.0.0/15",  # benchmarks
            "3fff::/20",  # documentation
        ),
    )
)
Address = IPv4Address | IPv6Address


class Refused(Exception):
    """The address may not be connected to."""


def is_public(address: Address) -> bool:
    """Whether this is an address of the open Internet, also where an IPv4 address is written within an IPv6 one."""
    if isinstance(address, IPv6Address):
        within = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if address in NAT64:
            within = IPv4Address(int(address) & 0xFFFFFFFF)
        if within is not None:
            return is_public(within)
        if address not in GLOBAL_UNICAST:
            return False
    if any(address in network for network in NOT_PUBLIC):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def resolve(host: str, port: int, *, private: bool) -> list[str]:
    """The addresses of a host. Refused: one of them is not public, and `private` ones are not allowed.

    One is enough: who owns the name could otherwise have the connection go to it.
    """
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Refused("the host has no address") from None
    addresses = list(dict.fromkeys(str(answer[4][0]) for answer in answers))
    if not private and not all(is_public(ip_address(address.partition("%")[0])) for address in addresses):
        raise Refused("the address is not public")
    if not addresses:
        raise Refused("the host has no address")
    return addresses


log = logging.getLogger(__name__)
MOST_READ = 4096  # bytes of an answer
SECONDS = 10.0  # for all of it: connection, request, answer
SIGNATURE, EVENT, DELIVERY = "X-Memos-Signature", "X-Memos-Event", "X-Memos-Delivery"


@dataclass(frozen=True)
class Answer:
    """How a try ended. `error` '': it was taken."""

    status: int | None
    error: str = ""


def signature(secret: str, body: str, *, at: datetime) -> str:
    """`t=<unix seconds>,v1=<hex of HMAC-SHA256 over "<t>.<body>">`."""
    seconds = int(at.timestamp())
    digest = hmac.digest(secret.encode(), f"{seconds}.{body}".encode(), hashlib.sha256)
    return f"t={seconds},v1={digest.hex()}"


def target(url: str) -> httpcore.URL:
    """Return an address as it is sent: the host by IDNA, the rest percent-encoded. Refused: it cannot be."""
    import httpx  # loaded by what sends, not by every process

    try:
        parsed = httpcore.URL(str(httpx.URL(url)))
    except (httpx.InvalidURL, ValueError) as error:  # the latter of a port that is none, or of a label
        raise Refused(f"the address cannot be read: {error}") from None
    if parsed.scheme not in (b"http", b"https") or not parsed.host:
        raise Refused("the address cannot be read: it needs http:// or https:// and a host")
    return parsed


@cache
def _certificates() -> ssl.SSLContext:
    """Reading those that are trusted takes 40 ms."""
    return ssl.create_default_context()


def post(url: str, body: str, headers: dict[str, str], *, format: str = Format.JSON) -> Answer:
    """Send a message. Never raises: whatever goes wrong is the end of this try, and the next message goes out."""
    backend = _CheckedNetwork(private=settings.WEBHOOK_ALLOW_PRIVATE, deadline=time.monotonic() + SECONDS)
    try:
        with httpcore.ConnectionPool(network_backend=backend, ssl_context=_certificates()) as pool:
            timeout = {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), SECONDS)}
            to = target(url)
            sent = _headers(to, headers)
            with pool.stream("POST", to, headers=sent, content=body.encode(), extensions=timeout) as response:
                judged = _judged(response.status)
                if judged.error or format == Format.JSON:
                    return judged
                return Answer(response.status, chat.refusal(format, _beginning(response)))
    except Refused as refused:
        return Answer(None, str(refused))
    except (httpcore.TimeoutException, TimeoutError):
        return Answer(None, f"no answer within {SECONDS:g} seconds")
    except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
        return Answer(None, f"cannot be reached: {type(error).__name__}")
    except Exception as error:
        log.exception("a message to a webhook could not be sent")
        return Answer(None, f"cannot be sent: {type(error).__name__}")


def _beginning(response: httpcore.Response) -> bytes:
    """The first MOST_READ bytes of an answer, where a chat may say that it took nothing."""
    read = b""
    for part in response.iter_stream():
        read += part
        if len(read) >= MOST_READ:
            break
    return read[:MOST_READ]


def _judged(status: int) -> Answer:
    if 200 <= status < 300:
        return Answer(status)
    if 300 <= status < 400:
        return Answer(status, "answered with a redirect, which is not followed")
    return Answer(status, f"answered {status}")


def _headers(url: httpcore.URL, headers: dict[str, str]) -> list[tuple[bytes | str, bytes | str]]:
    host, port = url.host.decode(), url.port
    host = f"[{host}]" if ":" in host else host
    named = {"Host": host if port is None else f"{host}:{port}", "User-Agent": "Memos"}
    return list({**named, "Content-Type": "application/json", **headers}.items())


class _CheckedNetwork(httpcore.NetworkBackend):
    """Resolves a host itself, checks each address and connects to one of these: nothing is resolved a second time."""

    def __init__(self, *, private: bool, deadline: float) -> None:
        self._private, self._deadline, self._network = private, deadline, httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        *others, last = resolve(host, port, private=self._private)
        for address in others:  # a host may have an address that nobody answers at, as `localhost` has ::1
            with suppress(httpcore.ConnectError):
                return self._connected(address, port, local_address, socket_options)
        return self._connected(last, port, local_address, socket_options)

    def _connected(self, address: str, port: int, local_address: str | None, socket_options: Any) -> "_Bounded":
        left = _left(self._deadline)
        return _Bounded(self._network.connect_tcp(address, port, left, local_address, socket_options), self._deadline)

    def connect_unix_socket(self, *_args: Any, **_kwargs: Any) -> httpcore.NetworkStream:
        raise Refused("no socket of this machine")


class _Bounded(httpcore.NetworkStream):
    """A connection that ends at its deadline, however slowly the other side goes on."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: float) -> None:
        self._stream, self._deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(self._deadline))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Bounded(self._stream.start_tls(ssl_context, server_hostname, _left(self._deadline)), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout
    return left
