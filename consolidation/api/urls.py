from django.urls import path

from consolidation.api import backlog, places, runs, webhooks
from consolidation.api.guidance import AskGuidance
from consolidation.api.insights import InsightsView
from consolidation.api.packs import PackContent, Packs
from consolidation.api.verdict import AskVerdict
from consolidation.api.worth import SkillWorth

urlpatterns = [
    path("guidance", AskGuidance.as_view(), name="api-guidance"),
    path("insights", InsightsView.as_view(), name="api-insights"),
    path("skills/<str:name>/worth", SkillWorth.as_view(), name="api-skill-worth"),
    path("packs", Packs.as_view(), name="api-packs"),
    path("packs/<uuid:pack_id>/content", PackContent.as_view(), name="api-pack-content"),
    path("places", places.Places.as_view(), name="api-places"),
    path("places/agents.md", places.AgentsMd.as_view(), name="api-agents-md"),
    path("runs", runs.Runs.as_view(), name="api-runs"),
    path("runs/backlog", backlog.RunBacklog.as_view(), name="api-backlog"),
    path("runs/contrast", runs.RunContrast.as_view(), name="api-contrast-price"),
    path("runs/queue", backlog.RunQueue.as_view(), name="api-run-queue"),
    path("runs/set-aside", runs.SetAsideItems.as_view(), name="api-set-aside"),
    path("runs/<uuid:run_id>", runs.OneRun.as_view(), name="api-run"),
    path("runs/<uuid:run_id>/retry", runs.RetryRun.as_view(), name="api-retry-run"),
    path("runs/<uuid:run_id>/pause", runs.PauseRun.as_view(), name="api-pause-run"),
    path("verdict", AskVerdict.as_view(), name="api-verdict"),
    path("webhooks", webhooks.Webhooks.as_view(), name="api-webhooks"),
    path("webhooks/deliveries", webhooks.WebhookDeliveries.as_view(), name="api-webhook-deliveries"),
    path("webhooks/deliveries/<uuid:delivery_id>/replay", webhooks.Replay.as_view(), name="api-webhook-replay"),
    path("runs/<uuid:run_id>/resume", runs.ResumeRun.as_view(), name="api-resume-run"),
]
