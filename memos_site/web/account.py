"""Sign-in page, the address from which somebody signs in, and the lockout after too many failed attempts."""

from datetime import datetime
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from math import ceil
from typing import Any

from axes.helpers import get_client_ip_address, get_client_username
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth import views
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.decorators import method_decorator
from django_htmx.http import HttpResponseClientRefresh

from memories.web.paging import next_page
from memos_site.web import reader


class _ToNextPage(views.RedirectURLMixin):
    """Redirect to the page of this site that `next` names; never to the form itself, which would redirect for ever."""

    request: HttpRequest

    def get_redirect_url(self, _request: HttpRequest | None = None) -> str:
        path = next_page(self.request)
        return "" if path == self.request.path else path


@method_decorator(login_not_required, name="dispatch")
class SignIn(_ToNextPage, views.LoginView):
    """Sign-in form; a person who is signed in is redirected."""

    template_name = "account/login.html"
    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        """Reload the page when htmx asks for a fragment after the session has ended; that leads to the sign-in."""
        if request.headers.get("HX-Request") == "true":
            return HttpResponseClientRefresh()
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Sign in, and answer in the language that this person chose: here just now, else in another browser."""
        response = super().form_valid(form)
        reader.follow(self.request, response)
        return response


class SignOut(_ToNextPage, views.LogoutView):
    """Sign out."""


def locked_out(
    request: HttpRequest, _response: HttpResponse | None = None, credentials: dict[str, Any] | None = None
) -> HttpResponse:
    """Answer 429 after too many wrong passwords for this name and address (called by axes)."""
    until = locked_until(get_client_username(request, credentials), get_client_ip_address(request))
    response = render(request, "account/locked.html", {"until": until}, status=429)
    response["Retry-After"] = str(max(1, ceil((until - timezone.now()).total_seconds())))
    return response


def locked_until(username: str, address: str | None) -> datetime:
    """Return the time at which fewer failures than the limit are younger than the cool-off."""
    attempts = AccessAttempt.objects.filter(username=username, ip_address=address).order_by("attempt_time")
    recent_attempts = list(attempts.filter(attempt_time__gte=timezone.now() - settings.AXES_COOLOFF_TIME))
    failure_count = sum(attempt.failures_since_start for attempt in recent_attempts)
    for attempt in recent_attempts:
        failure_count -= attempt.failures_since_start
        if failure_count < settings.AXES_FAILURE_LIMIT:
            return attempt.attempt_time + settings.AXES_COOLOFF_TIME
    return timezone.now()


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
