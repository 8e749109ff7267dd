"""URLs of the memory pages."""

from django.urls import path

from memories.web import (
    ended_lists,
    episode_list,
    exports,
    memory_table,
    one_episode,
    one_memory,
    teach,
)

urlpatterns = [
    path("memories/", memory_table.memories, name="memories"),
    path("dismissed/", ended_lists.dismissed, name="dismissed"),
    path("memories/teach/", teach.teach, name="teach"),
    path("memories/teach/look/", teach.look, name="teach-look"),
    path("memories/export.csv", exports.csv_file, name="export-csv"),
    path("memories/export.jsonl", exports.json_lines, name="export-jsonl"),
    path("memories/<uuid:memory_id>/", one_memory.memory, name="memory"),
    path("memories/<uuid:memory_id>/evidence/", one_memory.evidence, name="evidence"),
    path("memories/<uuid:memory_id>/as-of/", one_memory.memory_as_of, name="memory-as-of"),
    path("memories/<uuid:memory_id>/reveal/", one_memory.reveal, name="reveal"),
    path("memories/<uuid:memory_id>/forget/", one_memory.forget, name="forget"),
    path("adaptations/", ended_lists.adaptations, name="adaptations"),
    path("episodes/", episode_list.episodes, name="episodes"),
    path("episodes/<uuid:episode_id>/", one_episode.episode, name="episode"),
    path("episodes/<uuid:episode_id>/<int:position>/<str:name>/", one_episode.part, name="event-part"),
]
