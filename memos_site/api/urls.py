"""Everything under /api/v1/: each room's API, the hall's decisions, and a problem for what is none of these."""

from django.urls import include, path, re_path

from memos_site.api.decisions import Dismiss, Inbox, Promote, Restore, Undo
from memos_site.api.openapi import Schema
from memos_site.api.unknown import Unknown

urlpatterns = [
    path("", include("memories.api.urls")),
    path("", include("skills.api.urls")),
    path("inbox", Inbox.as_view(), name="api-inbox"),
    path("memories/<uuid:memory_id>/promote", Promote.as_view(), name="api-promote"),
    path("memories/<uuid:memory_id>/dismiss", Dismiss.as_view(), name="api-dismiss"),
    path("memories/<uuid:memory_id>/restore", Restore.as_view(), name="api-restore"),
    path("audit/<uuid:batch>/undo", Undo.as_view(), name="api-undo"),
    path("schema/", Schema.as_view(), name="api-schema"),
    re_path(r"", Unknown.as_view()),
]
