"""Which view an address leads to."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import TemplateView

from memories.api.traces import ExporterTraces
from memos_site.api.error_pages import UnknownAddress
from memos_site.api.mcp.endpoint import Mcp, protected_resource
from memos_site.api.prometheus import Prometheus
from memos_site.web import (
    account,
    agent_runs,
    agents,
    bulk,
    bulk_orders,
    decisions,
    harness_plugins,
    health,
    inbox,
    judging,
    people,
    profile,
    reader,
    saved_views,
    search,
    settle,
    subjects,
    undo,
    welcome,
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include("memos_site.api.urls")),  # first: patterns are tried one after the other
    path("", inbox.inbox, name="inbox"),
    path("memories/<uuid:memory_id>/decide/", decisions.decide, name="decide"),
    path("memories/<uuid:memory_id>/edit/", inbox.edit, name="edit"),
    path("memories/<uuid:memory_id>/pane/", inbox.memory_pane, name="pane"),
    path("memories/<uuid:memory_id>/settle/", settle.settle, name="settle"),
    path("memories/<uuid:memory_id>/merge/", settle.merge, name="merge"),
    path("proposals/<uuid:proposal_id>/pane/", inbox.proposal_pane, name="proposal-pane"),
    path("decided/", undo.decided, name="decided"),
    path("views/", saved_views.save, name="save-view"),
    path("views/<uuid:view_id>/", saved_views.change, name="change-view"),
    path("bulk/", bulk.bulk, name="bulk"),
    path("bulk/<uuid:order_id>/", bulk_orders.order_page, name="bulk-order"),
    path("bulk/<uuid:order_id>/line/", bulk_orders.line, name="bulk-line"),
    path("decided/<uuid:batch>/elsewhere/", bulk_orders.known_elsewhere, name="known-elsewhere"),
    path("proposals/<uuid:proposal_id>/decide/", decisions.decide_proposal, name="decide-proposal"),
    path("tombstones/<uuid:tombstone_id>/lift/", decisions.lift, name="lift"),
    path("adaptations/<uuid:adaptation_id>/revert/", decisions.revert, name="revert"),
    path("welcome/", welcome.welcome, name="welcome"),
    path("welcome/demo/", welcome.load_demo, name="load-demo"),
    path("welcome/demo/remove/", welcome.remove_demo, name="remove-demo"),
    path("agents/", agents.agents, name="agents"),
    path("agents/first-report/", agent_runs.first_report, name="first-report"),
    path("agents/<uuid:agent_id>/", agents.agent, name="agent"),
    path("agents/<uuid:agent_id>/arrivals/", agent_runs.arrivals, name="arrivals"),
    path("agents/<uuid:agent_id>/memos-<slug:name>.zip", harness_plugins.harness_plugin, name="harness-plugin"),
    path("agents/<uuid:agent_id>/rotate/", agents.rotate, name="rotate-agent"),
    path("agents/<uuid:agent_id>/revoke/", agents.revoke, name="revoke-agent"),
    path("agents/<uuid:agent_id>/set-aside/", agents.set_aside, name="set-aside-agent"),
    path("episodes/<uuid:episode_id>/helped/", agent_runs.helped, name="helped"),
    path("outcomes/", judging.outcomes, name="outcomes"),
    path("outcomes/judge/", judging.judge, name="judge"),
    path("outcomes/judge/<uuid:batch>/undo/", judging.take_back, name="take-back"),
    path("subjects/", subjects.subjects, name="subjects"),
    path("subjects/<uuid:subject_id>/", subjects.subject, name="subject"),
    path("subjects/<uuid:subject_id>/merge/", subjects.merge, name="merge-subject"),
    path("unread/", inbox.unread, name="unread"),
    path("undo/<uuid:batch>/", undo.undo, name="undo"),
    path("people/", people.everybody, name="people"),
    path("people/<int:person_id>/", people.person, name="person"),
    path("people/join/<uidb64>/<token>/", people.ChoosePassword.as_view(), name="join"),
    path("profile/", profile.profile, name="profile"),
    path("mails/stop/<str:token>/", profile.stop_mails, name="stop-mails"),
    path("time-zone/", reader.choose_time_zone, name="time-zone"),
    path("search/", search.search, name="search"),
    path("", include("memories.web.urls")),
    path("", include("skills.web.urls")),
    path("", include("consolidation.web.urls")),
    path("login/", account.SignIn.as_view(), name="login"),
    path("language/", reader.choose_language, name="language"),
    path("logout/", account.SignOut.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    path("metrics", Prometheus.as_view(), name="prometheus"),
    path("health/live", health.live, name="live"),
    path("health/ready", health.ready, name="ready"),
    path("v1/traces", ExporterTraces.as_view(), name="otlp-traces"),  # where exporters of OpenTelemetry send to
    re_path(r"^mcp/?$", Mcp.as_view(), name="mcp"),
    path(".well-known/oauth-protected-resource", protected_resource),
    path(".well-known/oauth-protected-resource/<path:resource>", protected_resource),
    path("api/docs/", TemplateView.as_view(template_name="api/docs.html"), name="api-docs"),
    re_path(r"^api(/|$)", UnknownAddress.as_view()),
]
handler400 = "memos_site.api.error_pages.bad_request"
handler403 = "memos_site.api.error_pages.permission_denied"
handler404 = "memos_site.api.error_pages.page_not_found"
handler500 = "memos_site.api.error_pages.server_error"
