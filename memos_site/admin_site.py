"""The admin site under /admin/: it uses the site's sign-in page, and has a content security policy of its own."""

from collections.abc import Callable
from typing import Any

from csp.constants import SELF, UNSAFE_EVAL, UNSAFE_INLINE
from csp.decorators import csp_update
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from unfold.sites import UnfoldAdminSite

# Unfold's scripts are files, but Alpine reads its expressions from attributes and themes are written inline.
POLICY = {"script-src": [SELF, UNSAFE_EVAL], "style-src": [SELF, UNSAFE_INLINE]}
ORDER = ("memories", "skills", "consolidation", "auth", "axes", "django_q")


class Site(UnfoldAdminSite):
    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Any:
        return csp_update(POLICY)(super().admin_view(view, cacheable))

    @method_decorator(never_cache)
    @method_decorator(login_not_required)
    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Redirect to the site's sign-in page: a second one would not count wrong passwords."""
        if request.user.is_authenticated and not self.has_permission(request):
            raise PermissionDenied("the admin is for administrators only")
        return redirect_to_login(request.GET.get(REDIRECT_FIELD_NAME) or reverse("admin:index"))

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """The apps in the order of ORDER: memories first, the job queue last."""
        apps = super().get_app_list(request, app_label)
        return sorted(apps, key=lambda app: ORDER.index(app["app_label"]) if app["app_label"] in ORDER else len(ORDER))

    def get_sidebar_list(self, request: HttpRequest) -> list[dict[str, Any]]:
        """The sidebar: the models that the user may open, grouped by app."""
        return [
            {
                "title": app["name"],
                "separator": True,
                "items": [
                    {
                        "title": model["name"],
                        "link": model["admin_url"],
                        "active": request.path.startswith(model["admin_url"]),
                        "has_permission": True,
                    }
                    for model in app["models"]
                    if model["admin_url"]
                ],
            }
            for app in self.get_app_list(request)
        ]
