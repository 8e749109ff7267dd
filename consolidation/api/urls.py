from django.urls import path

from consolidation.api.guidance import AskGuidance

urlpatterns = [path("guidance", AskGuidance.as_view(), name="api-guidance")]
