"""Everything under /api/v1/: each room's API, the hall's decisions, and a problem for what is none of these."""

from django.urls import include, path, re_path

from memos_site.api import beside, decisions
from memos_site.api.context import Context
from memos_site.api.inbox import Inbox
from memos_site.api.not_found import Unknown
from memos_site.api.openapi import Schema, SchemaWithoutSlash

urlpatterns = [
    path("", include("memories.api.urls")),
    path("", include("skills.api.urls")),
    path("", include("consolidation.api.urls")),
    path("context", Context.as_view(), name="api-context"),
    path("inbox", Inbox.as_view(), name="api-inbox"),
    path("memories/bulk", decisions.Bulk.as_view(), name="api-bulk"),
    path("memories/<uuid:memory_id>/promote", decisions.Promote.as_view(), name="api-promote"),
    path("memories/<uuid:memory_id>/demote", decisions.Demote.as_view(), name="api-demote"),
    path("memories/<uuid:memory_id>/dismiss", decisions.Dismiss.as_view(), name="api-dismiss"),
    path("memories/<uuid:memory_id>/restore", decisions.Restore.as_view(), name="api-restore"),
    path("memories/<uuid:memory_id>/pin", decisions.Pin.as_view(), name="api-pin"),
    path("memories/<uuid:memory_id>/snooze", decisions.Snooze.as_view(), name="api-snooze"),
    path(
        "skills/<str:name>/versions/<str:number>/reject", decisions.RejectVersion.as_view(), name="api-reject-version"
    ),
    path("audit/<uuid:batch>/undo", decisions.Undo.as_view(), name="api-undo"),
    path("audit", beside.Audit.as_view(), name="api-audit"),
    path("proposals", beside.Proposals.as_view(), name="api-proposals"),
    path("proposals/<uuid:proposal_id>", beside.OneProposal.as_view(), name="api-proposal"),
    path("proposals/<uuid:proposal_id>/accept", beside.Accept.as_view(), name="api-accept"),
    path("proposals/<uuid:proposal_id>/reject", beside.Reject.as_view(), name="api-reject"),
    path("tombstones", beside.Tombstones.as_view(), name="api-tombstones"),
    path("tombstones/<uuid:tombstone_id>/lift", beside.Lift.as_view(), name="api-lift"),
    path("adaptations", beside.Adaptations.as_view(), name="api-adaptations"),
    path("adaptations/<uuid:adaptation_id>/revert", beside.Revert.as_view(), name="api-revert"),
    path("schema/", Schema.as_view(), name="api-schema"),
    path("schema", SchemaWithoutSlash.as_view()),
    re_path(r"", Unknown.as_view()),
]
