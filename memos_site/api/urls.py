"""Routes of /api/v1/: the API of every app, decisions of reviewers, and a 404 problem for any other address."""

from django.urls import include, path, re_path

from consolidation.api.conversations import Conversations
from memos_site.api import decisions
from memos_site.api.adaptations import Adaptations, Revert
from memos_site.api.audit import Audit
from memos_site.api.bulk import Bulk
from memos_site.api.context import Context
from memos_site.api.error_pages import UnknownAddress
from memos_site.api.inbox import Inbox
from memos_site.api.judging import Judge, ToJudge
from memos_site.api.openapi import Schema, SchemaWithoutSlash
from memos_site.api.proposals import Accept, OneProposal, Proposals, Reject
from memos_site.api.skill_decisions import MergeSkill, PublishVersion, RejectVersion, RenameSkill, RetireSkill
from memos_site.api.tombstones import Lift, Tombstones
from memos_site.api.tools import CallTool, Tools
from memos_site.review.verbs import OF_MANY

urlpatterns = [
    path("conversations", Conversations.as_view(), name="api-conversations"),  # first: behind fifty others to try
    path("", include("memories.api.urls")),
    path("", include("skills.api.urls")),
    path("", include("consolidation.api.urls")),
    path("context", Context.as_view(), name="api-context"),
    path("inbox", Inbox.as_view(), name="api-inbox"),
    path("memories/bulk", Bulk.as_view(), name="api-bulk"),
    *(
        path(f"memories/<uuid:memory_id>/{verb.name}", decisions.view_of(verb).as_view(), name=f"api-{verb.name}")
        for verb in OF_MANY
    ),
    path("skills/<str:name>/rename", RenameSkill.as_view(), name="api-rename-skill"),
    path("skills/<str:name>/merge", MergeSkill.as_view(), name="api-merge-skill"),
    path("skills/<str:name>/retire", RetireSkill.as_view(), name="api-retire-skill"),
    path("skills/<str:name>/versions/<str:number>/publish", PublishVersion.as_view(), name="api-publish-version"),
    path("skills/<str:name>/versions/<str:number>/reject", RejectVersion.as_view(), name="api-reject-version"),
    path("outcomes/queue", ToJudge.as_view(), name="api-outcomes-queue"),
    path("episodes/<uuid:memory_id>/outcome", Judge.as_view(), name="api-judge"),
    path("audit/<uuid:batch>/undo", decisions.Undo.as_view(), name="api-undo"),
    path("audit", Audit.as_view(), name="api-audit"),
    path("proposals", Proposals.as_view(), name="api-proposals"),
    path("proposals/<uuid:proposal_id>", OneProposal.as_view(), name="api-proposal"),
    path("proposals/<uuid:proposal_id>/accept", Accept.as_view(), name="api-accept"),
    path("proposals/<uuid:proposal_id>/reject", Reject.as_view(), name="api-reject"),
    path("tombstones", Tombstones.as_view(), name="api-tombstones"),
    path("tombstones/<uuid:tombstone_id>/lift", Lift.as_view(), name="api-lift"),
    path("adaptations", Adaptations.as_view(), name="api-adaptations"),
    path("adaptations/<uuid:adaptation_id>/revert", Revert.as_view(), name="api-revert"),
    path("tools", Tools.as_view(), name="api-tools"),
    path("tools/<str:tool>", CallTool.as_view(), name="api-tool"),
    path("schema/", Schema.as_view(), name="api-schema"),
    path("schema", SchemaWithoutSlash.as_view()),
    re_path(r"", UnknownAddress.as_view()),
]
