"""The page that a form or an address names as the one to go to afterwards."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme

MAX_ADDRESS = 8_000


def next_page(request: HttpRequest) -> str:
    """Return the path of this site that `next` names, in the form or else in the query; '' for anything else.

    Only a path is taken: `redirect` would look any other word up as the name of a view.
    """
    path: str = request.POST.get("next", request.GET.get("next", ""))
    is_path = path.startswith("/") and path.isprintable() and len(path) <= MAX_ADDRESS
    return path if is_path and url_has_allowed_host_and_scheme(path, allowed_hosts=None) else ""
