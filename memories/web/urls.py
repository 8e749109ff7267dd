"""URLs of the memory pages."""

from django.urls import path

from memories.web import adaptations, dismissed, episodes, forgetting, memories, teach

urlpatterns = [
    path("memories/", memories.memories, name="memories"),
    path("dismissed/", dismissed.dismissed, name="dismissed"),
    path("memories/teach/", teach.teach, name="teach"),
    path("memories/teach/look/", teach.look, name="teach-look"),
    path("memories/<uuid:memory_id>/", memories.memory, name="memory"),
    path("memories/<uuid:memory_id>/evidence/", memories.evidence, name="evidence"),
    path("memories/<uuid:memory_id>/forget/", forgetting.forget, name="forget"),
    path("adaptations/", adaptations.adaptations, name="adaptations"),
    path("episodes/", episodes.episodes, name="episodes"),
    path("episodes/<uuid:episode_id>/", episodes.episode, name="episode"),
    path("episodes/<uuid:episode_id>/<int:position>/<str:name>/", episodes.part, name="event-part"),
]
