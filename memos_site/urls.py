"""The address: which door a URL leads to."""

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, URLResolver, include, path, re_path

from memos_site.api.error_pages import Unknown
from memos_site.platform import health
from memos_site.web import account, bulk, decisions, docs, inbox, undo

urlpatterns: list[URLPattern | URLResolver] = [
    path("", inbox.inbox, name="inbox"),
    path("memories/<uuid:memory_id>/decide/", decisions.decide, name="decide"),
    path("memories/<uuid:memory_id>/edit/", inbox.edit, name="edit"),
    path("bulk/", bulk.bulk, name="bulk"),
    path("proposals/<uuid:proposal_id>/decide/", decisions.decide_proposal, name="decide-proposal"),
    path("tombstones/<uuid:tombstone_id>/lift/", decisions.lift, name="lift"),
    path("adaptations/<uuid:adaptation_id>/revert/", decisions.revert, name="revert"),
    path("undo/<uuid:batch>/", undo.undo, name="undo"),
    path("", include("memories.web.urls")),
    path("", include("skills.web.urls")),
    path("", include("consolidation.web.urls")),
    path("login/", account.SignIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    path("health/live", health.live, name="live"),
    path("health/ready", health.ready, name="ready"),
    path("api/docs/", docs.docs, name="api-docs"),
    path("api/v1/", include("memos_site.api.urls")),
    re_path(r"^api(/|$)", Unknown.as_view()),
]
handler400 = "memos_site.api.error_pages.bad_request"
handler403 = "memos_site.api.error_pages.permission_denied"
handler404 = "memos_site.api.error_pages.page_not_found"
handler500 = "memos_site.api.error_pages.server_error"
