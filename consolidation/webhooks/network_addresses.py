"""Which network addresses a webhook may be connected to. Names are resolved here, once, for the connection itself."""

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

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
