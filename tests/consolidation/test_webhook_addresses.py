"""Where webhooks are sent: which addresses are none, which are not public, and to what the connection goes."""

import socket
from ipaddress import ip_address
from typing import Any

import pytest
from django.utils import timezone

from consolidation.models import Run, Webhook
from consolidation.models.webhooks import BACK_OFF
from consolidation.webhooks import outbox, sending
from tests.consolidation.webhook_server import Receiver, hook, receiving, waiting
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
LOCAL = ((socket.AF_INET6, "::1"), (socket.AF_INET, "127.0.0.1"))
NOT_PUBLIC = {
    "this host": "0.0.0.0 0.1.2.3 ::",
    "loopback": "127.0.0.1 127.255.255.254 ::1",
    "private": "10.0.0.7 172.16.1.1 172.31.255.255 192.168.1.1 fc00::1 fd00::1 fd00:ec2::254",
    "carrier-grade NAT": "100.64.0.1 100.100.100.200 100.127.255.255",
    "link-local": "169.254.169.254 fe80::1 febf::1",
    "site-local": "fec0::1 fec0::10.0.0.1 feff:ffff::1",
    "protocol assignments": "192.0.0.1 192.0.0.9 192.0.0.10 192.0.0.100 192.0.0.170 192.0.0.255 2001:1::1",
    "benchmarks": "198.18.0.1 198.19.255.255 2001:2::1",
    "documentation": "192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1",
    "relays of 6to4": "192.88.99.1",
    "services of a cloud": "168.63.129.16",
    "multicast": "224.0.0.1 239.1.1.1 ff02::1 ff0e::1",
    "reserved": "240.0.0.1 255.255.255.255 200::1 4000::1 5f00::1 100::1",
    "IPv4-mapped": "::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:100.64.0.1 ::ffff:192.0.0.9",
    "IPv4-compatible": "::127.0.0.1 ::10.0.0.1 ::8.8.8.8",
    "NAT64": "64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b:1::10.0.0.1 64:ff9b:1::8.8.8.8",
    "6to4": "2002:a00:1:: 2002:7f00:1::1 2002:c0a8:101::1 2002:6440:1::1",
    "Teredo": "2001:0:808:808::f5ff:fffe 2001:0:808:808::80ff:fffe",
}


@pytest.mark.parametrize("addresses", NOT_PUBLIC.values(), ids=NOT_PUBLIC)
def test_an_address_that_is_not_public_is_refused(addresses: str) -> None:
    assert [one for one in addresses.split() if sending.is_public(ip_address(one))] == []


@pytest.mark.parametrize(
    "address",
    [
        *("8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.1", "172.32.0.1", "192.0.1.1", "198.20.0.1"),
        *("2606:4700:4700::1111", "2400:3200::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"),
    ],
)
def test_a_public_address_is_not(address: str) -> None:
    assert sending.is_public(ip_address(address))


def test_a_private_address_is_refused_before_anything_is_sent() -> None:
    with receiving() as receiver:
        delivery = waiting(receiver.url)
        outbox.send_due()
        assert receiver.received == []
    delivery.refresh_from_db()
    assert (delivery.answered, delivery.error) == (None, "the address is not public")


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is asked twice could answer with a public address first, and a private one then."""
    asked: list[str] = []

    def rebinding(host: str, port: int, *_args: Any, **_kwargs: Any) -> list[Any]:
        asked.append(host)
        address = "8.8.8.8" if len(asked) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    connected: list[tuple[str, int]] = []

    def connect(address: tuple[str, int], *_args: Any, **_kwargs: Any) -> Any:
        connected.append(address)
        raise OSError("not in a test")

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    monkeypatch.setattr(socket, "create_connection", connect)
    answer = sending.post("http://rebinding.example.com:8080/x", "{}", {})
    assert (asked, connected) == (["rebinding.example.com"], [("8.8.8.8", 8080)])
    assert answer.error == "cannot be reached: ConnectError"


def test_one_private_address_among_several_is_enough_to_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)) for address in ("8.8.8.8", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_kwargs: answers)
    assert sending.post("http://mixed.example.com/", "{}", {}).error == "the address is not public"


NO_ADDRESSES = ("ftp://example.com/", "http://", "http://exa mple/", "gopher://x", "http://[::1", "", "high", "/hook")
NO_HOSTS = (
    "http://☃\u200d.example/",
    "http://-.ä/",
    "http://" + "ä" * 64 + ".example/",
    "http://·.example/",
)
NO_PORTS = ("http://example.com:99999/", "http://example.com:high/", "http://example.com/\0", "http://example.com/\n")


@pytest.mark.parametrize("url", [*NO_ADDRESSES, *NO_HOSTS, *NO_PORTS])
def test_an_address_that_is_none_is_an_error_of_the_message(url: str) -> None:
    assert sending.post(url, "{}", {}).error


def test_a_host_and_a_path_in_other_letters_are_sent_as_a_network_knows_them(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, asked = receiver.url.rpartition(":")[2].partition("/")[0], []

    def resolving(host: str, port: int, *_args: Any, **_kwargs: Any) -> list[Any]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolving)
    answer = sending.post(f"http://münchen.example:{port}/高/a b?q=é&r=%20#part", "{}", {})
    assert (answer.status, answer.error, asked[0]) == (204, "", "xn--mnchen-3ya.example")
    [(headers, _body)] = receiver.received
    assert headers["host"] == f"xn--mnchen-3ya.example:{port}"
    assert receiver.paths == ["/%E9%AB%98/a%20b?q=%C3%A9&r=%20"]


@pytest.mark.parametrize("url", ["https://☃.·/", "http://höst.example:99999/", "ftp://hook.example/", "https:///x"])
def test_one_webhook_that_cannot_be_sent_to_holds_up_no_other(receiver: Receiver, url: str) -> None:
    """As rows of former versions may have it: the form refuses such an address now."""
    bad = waiting(url)
    hook(receiver.url, events=["run_failed"])
    outbox.collect(at=timezone.now())
    assert outbox.send_due() == 2
    bad.refresh_from_db()
    assert (bad.status, bad.attempts, bad.error.partition(":")[0]) == ("waiting", 1, "the address cannot be read")
    assert bad.next_at - timezone.now() < BACK_OFF[0]
    assert len(receiver.received) == 1


def test_a_fault_of_the_sender_itself_is_the_end_of_one_try(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = waiting("https://hooks.example.com/")
    monkeypatch.setattr(sending, "_headers", lambda *_args: 1 / 0)
    assert outbox.send_due() == 1
    bad.refresh_from_db()
    assert (bad.status, bad.error) == ("waiting", "cannot be sent: ZeroDivisionError")


@pytest.mark.parametrize("url", ["http://höst.example:99999/", "https://··.example/"])
def test_the_form_refuses_an_address_that_cannot_be_sent_to(url: str) -> None:
    admin = signed_in("root", group="administrator")
    fields = {"name": "chat", "url": url, "events": ["run_failed"], "clearance": 1}
    page = admin.post("/admin/consolidation/webhook/add/", fields)
    assert page.status_code == 200
    assert page.context["adminform"].form.errors["url"]
    assert not Webhook.objects.exists()


def test_the_form_takes_an_address_in_other_letters() -> None:
    admin = signed_in("root", group="administrator")
    fields = {"name": "chat", "url": "https://münchen.example/高", "events": ["run_failed"], "clearance": 1}
    admin.post("/admin/consolidation/webhook/add/", fields)
    assert Webhook.objects.get().url == "https://münchen.example/高"


def test_an_address_that_does_not_answer_is_asked_once_a_job_and_keeps_no_message_to_another(
    receiver: Receiver,
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        silent = hook(f"http://127.0.0.1:{closed.getsockname()[1]}/", events=["run_failed"])
        hook(receiver.url, events=["run_failed"])
        Run.objects.bulk_create(
            Run(kind="consolidate", trigger="api", status="failed", finished_at=timezone.now()) for _ in range(4)
        )
        outbox.collect(at=timezone.now())
        assert outbox.send_due() == 5 and len(receiver.received) == 4
    tries = silent.deliveries.values_list("status", "attempts").order_by("-attempts")
    assert [*tries] == [("waiting", 1), *[("waiting", 0)] * 3]


def test_a_host_is_reached_at_its_second_address_where_nobody_answers_at_the_first(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `localhost` is where only IPv4 is listened to."""
    port = int(receiver.url.rpartition(":")[2].partition("/")[0])

    def resolving(host: str, port: int, *_args: Any, **_kwargs: Any) -> list[Any]:
        ips = [(family, ip) for family, ip in LOCAL if host in ("localhost", ip)]
        return [(family, socket.SOCK_STREAM, 6, "", (ip, port)) for family, ip in ips]

    monkeypatch.setattr(socket, "getaddrinfo", resolving)
    answer = sending.post(f"http://localhost:{port}/", "{}", {})
    assert (answer.status, answer.error, len(receiver.received)) == (204, "", 1)
