"""Types of the settings that come from the environment: what a value must be, in a sentence without the value."""

import re
from email.utils import parseaddr
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import SplitResult, parse_qs, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import dj_database_url
from pydantic import AfterValidator, BeforeValidator, Field

Sensitivity = Literal["public", "low", "medium", "high", "hyper"]


def _words(value: Any) -> Any:
    return [word.strip() for word in value.split(",") if word.strip()] if isinstance(value, str) else value


Words = Annotated[list[str], BeforeValidator(_words)]


def _postgres(url: str) -> str:
    """ValueError without the value, which may hold a password."""
    try:
        engine = dj_database_url.parse(url).get("ENGINE")
    except (ValueError, KeyError):
        engine = None
    if engine != "django.db.backends.postgresql":
        raise ValueError("must be postgres://user:password@host:port/name")
    return url


def _parts(url: str, *schemes: str) -> SplitResult | None:
    """The parts of an address with one of these schemes, a host and a port that may be; None for any other."""
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if is_one else None


def _redis(url: str) -> str:
    """ValueError without the value, which may hold a password."""
    parts = _parts(url, "redis", "rediss")
    if not parts or not re.fullmatch("/?[0-9]*", parts.path):  # another path would silently be number 0
        raise ValueError("must be redis://user:password@host:port/number")
    return url


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("must be a time zone such as UTC or Europe/Berlin") from None
    return name


def _address(url: str) -> str:
    """ValueError without the value, which may hold a password."""
    if not _parts(url, "http", "https") or not url.isascii() or any(char.isspace() for char in url):
        raise ValueError("must be an address such as https://api.example.com/v1")
    return url


def _network(value: str) -> str:
    try:
        return str(ip_network(value, strict=False))
    except ValueError:
        raise ValueError("must be addresses or networks such as 10.0.0.7 or 10.0.0.0/8") from None


def _host_name(value: str) -> str:
    """Check a host name. ValueError: it has a scheme or a port, which matches no request."""
    if not re.fullmatch(r"\*|[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]", value):
        raise ValueError("must be host names such as memos.example.com, without https:// and port")
    return value


def _token(value: str) -> str:
    if not value.isascii() or not value.isprintable() or " " in value:
        raise ValueError("must be one word of plain characters")
    return value


def _host(value: str) -> str:
    """The address of a host, `https://` unless it says otherwise. ValueError without the value."""
    address = _address(value if "://" in value else f"https://{value}").rstrip("/")
    if not re.fullmatch(r"https?://[A-Za-z0-9.-]+(:[0-9]+)?", address):
        raise ValueError("must be a host such as oss-cn-hangzhou.aliyuncs.com, without a path")
    return address


def _mail(url: str) -> str:
    """ValueError without the value, which may hold a password."""
    parts = _parts(url, "smtp", "smtps")
    if not parts or parts.path not in ("", "/") or parts.fragment:
        raise ValueError("must be smtp://user:password@host:port or smtps://user:password@host:port")
    options = parse_qs(parts.query, keep_blank_values=True)
    if options.keys() - {"from"} or not all(map(_is_mailbox, options.get("from", ()))):
        raise ValueError("may end in ?from= with an address such as memos@example.com or Memos <memos@example.com>")
    return url


def _is_mailbox(value: str) -> bool:
    return bool(re.fullmatch(r"[^@\s<>]+@[^@\s<>]+", parseaddr(value)[1])) and value.isprintable()


def _directory(path: Path) -> Path:
    """`~` as a shell would read it: systemd and Docker pass it as it is, and a directory of that name would be made."""
    try:
        return path.expanduser()
    except RuntimeError:
        raise ValueError("begins with a home directory that is not known") from None


def upper(value: Any) -> Any:
    return value.strip().upper() if isinstance(value, str) else value


Zone = Annotated[str, AfterValidator(_zone)]
Directory = Annotated[Path, AfterValidator(_directory)]
Backend = Annotated[Literal["LOCAL", "S3", "OSS"], BeforeValidator(upper)]
Endpoint = Annotated[str, AfterValidator(_host)]
Address = Annotated[str, AfterValidator(_address)]
Networks = Annotated[list[Annotated[str, AfterValidator(_network)]], BeforeValidator(_words)]
Hosts = Annotated[list[Annotated[str, AfterValidator(_host_name)]], BeforeValidator(_words)]
MailURL = Annotated[str, AfterValidator(_mail)]
Token = Annotated[str, AfterValidator(_token)]
Price = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
Prices = Annotated[tuple[Price, Price], BeforeValidator(_words)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
PostgresURL = Annotated[str, AfterValidator(_postgres)]
PostgresURLs = Annotated[list[PostgresURL], BeforeValidator(_words)]
RedisURL = Annotated[str, AfterValidator(_redis)]
