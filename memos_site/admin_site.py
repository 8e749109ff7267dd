"""The admin site under /admin/: it uses the site's sign-in page, and has a content security policy of its own."""

from collections.abc import Callable
from typing import Any

from csp.constants import SELF, UNSAFE_EVAL, UNSAFE_INLINE
from csp.decorators import csp_update
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from unfold.sites import UnfoldAdminSite

from memories.web.paging import next_page

# Unfold's scripts are files, but Alpine reads its expressions from attributes and themes are written inline.
POLICY = {"script-src": [SELF, UNSAFE_EVAL], "style-src": [SELF, UNSAFE_INLINE]}
# What an operator looks for, and the models in which it stands; every other model follows under the name of its app.
PLACES: list[tuple[Any, Any, tuple[str, ...]]] = [
    (_("Who may do what"), _("People, groups, agents and their tokens, sign-ins."), ("auth", "axes", "agent")),
    (_("What came in and what is believed"), _("Every row, read-only except for decisions."), ("memories", "skills")),
    (_("Webhooks"), _("The addresses of webhooks, and the status of each message."), ("webhook", "webhookdelivery")),
    (_("Mails"), _("Mails sent to people, and why some were not sent."), ("mail",)),
    (_("What is learned, and its runs"), _("Patterns, runs and questions to the model."), ("consolidation",)),
    (_("Jobs"), _("Schedules, the queue, and what succeeded or failed."), ("django_q",)),
]
ABOUT = {  # model -> what an operator finds there
    "user": _("people who sign in, and their groups"),
    "group": _("permissions that people share"),
    "agent": _("tokens, scopes, permissions"),
    "accessattempt": _("wrong passwords, and who is locked out"),
    "accessfailurelog": _("every sign-in that failed"),
    "accesslog": _("who signed in, and from where"),
    "auditentry": _("who did what, when and why"),
    "episode": _("runs and conversations that agents reported"),
    "event": _("what agents reported, line by line"),
    "evidence": _("what speaks for and against each memory"),
    "idempotencykey": _("answers kept for repeated requests"),
    "lease": _("which worker holds which scope"),
    "mail": _("digests and alerts to people, and how sending ended"),
    "memory": _("facts, preferences, skills and plans, whatever their status"),
    "performance": _("how often skills worked"),
    "proposal": _("changes that wait for a decision"),
    "adaptation": _("what agents do otherwise since a memory was applied"),
    "tombstone": _("what was dismissed and is kept from coming back"),
    "relation": _("what supersedes or contradicts what"),
    "skill": _("names of skills, and the memory of each"),
    "skillversion": _("packages, their text and their scan"),
    "skilluse": _("how agents reported that a use ended"),
    "webhook": _("addresses that may get messages"),
    "webhookdelivery": _("messages that were sent or failed"),
    "llmcall": _("questions to the language model, and their cost"),
    "pattern": _("ways of working that runs share"),
    "run": _("what background jobs did, and what went wrong"),
    "runstep": _("the steps of a run, with their answers and errors"),
    "schedule": _("which job runs how often"),
    "ormq": _("jobs that wait for a worker"),
    "failure": _("jobs that ended with an error"),
    "success": _("jobs that ended well"),
}
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
        return redirect_to_login(next_page(request) or reverse("admin:index"))

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """The apps in the order of ORDER: memories first, the job queue last. Each page asks twice."""
        lists: dict[str | None, list[Any]] = vars(request).setdefault("app_lists", {})
        if app_label not in lists:
            apps = super().get_app_list(request, app_label)
            places = {label: place for place, label in enumerate(ORDER)}
            lists[app_label] = sorted(apps, key=lambda app: places.get(app["app_label"], len(ORDER)))
        return lists[app_label]

    def index(self, request: HttpRequest, extra_context: Any = None) -> TemplateResponse:
        return super().index(request, {"places": self._places(request), **(extra_context or {})})

    def _places(self, request: HttpRequest) -> list[dict[str, Any]]:
        """The models that the user may open, by what an operator looks for; a model named itself leaves its app."""
        listed_names = {name for _title, _lead, names in PLACES for name in names}
        models: dict[str, list[Any]] = {}
        for app in self.get_app_list(request):
            for model in app["models"]:
                object_name = model["object_name"].lower()
                entry = {**model, "about": ABOUT.get(object_name, "")}
                models.setdefault(object_name if object_name in listed_names else app["app_label"], []).append(entry)
        places = [
            {"title": title, "lead": lead, "models": [model for name in names for model in models.pop(name, [])]}
            for title, lead, names in PLACES
        ]
        places += [{"title": name, "lead": "", "models": rest} for name, rest in models.items()]
        return [place for place in places if place["models"]]

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
