from django.urls import path

from memories.api.conversations import Conversations
from memories.api.memories import EpisodeEvents, Me, Memories, OneMemory

urlpatterns = [
    path("conversations", Conversations.as_view(), name="api-conversations"),
    path("memories", Memories.as_view(), name="api-memories"),
    path("memories/<uuid:memory_id>", OneMemory.as_view(), name="api-memory"),
    path("episodes/<uuid:memory_id>/events", EpisodeEvents.as_view(), name="api-episode-events"),
    path("me", Me.as_view(), name="api-me"),
]
