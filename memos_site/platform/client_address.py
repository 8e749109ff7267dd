"""The address of the client that sent a request."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

Address = IPv4Address | IPv6Address


def address_of(request: HttpRequest) -> str | None:
    """The address nearest to us that is not one of TRUSTED_PROXIES; of IPv6 the /64 network, which is one client's.

    X-Forwarded-For is believed only as far as trusted proxies wrote it: the rest may be forged.
    """
    address = _parse(request.META.get("REMOTE_ADDR", ""))
    hops = [hop.strip() for hop in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
    while address is not None and hops and _is_trusted_proxy(address):
        further = _parse(hops.pop())
        if further is None:
            break
        address = further
    return _client_network(address) if address is not None else None


def _parse(text: str) -> Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def _is_trusted_proxy(address: Address) -> bool:
    return any(address in ip_network(network) for network in settings.TRUSTED_PROXIES)


def _client_network(address: Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    return str(ip_network((address, 64), strict=False).network_address)
