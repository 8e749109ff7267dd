"""URLs of the memory pages."""

from django.urls import path

from memories.web import (
    ended_lists,
    episode_list,
    episodes,
    exports,
    memories,
    memory_table,
    teach,
)

urlpatterns = [
    path("memories/", memory_table.memories, name="memories"),
    path("dismissed/", ended_lists.dismissed, name="dismissed"),
    path("memories/teach/", teach.teach, name="teach"),
    path("memories/teach/look/", teach.look, name="teach-look"),
    path("memories/export.csv", exports.csv_file, name="export-csv"),
    path("memories/export.jsonl", exports.json_lines, name="export-jsonl"),
    path("memories/<uuid:memory_id>/", memories.memory, name="memory"),
    path("memories/<uuid:memory_id>/evidence/", memories.evidence, name="evidence"),
    path("memories/<uuid:memory_id>/as-of/", memories.memory_as_of, name="memory-as-of"),
    path("memories/<uuid:memory_id>/reveal/", memories.reveal, name="reveal"),
    path("memories/<uuid:memory_id>/forget/", memories.forget, name="forget"),
    path("adaptations/", ended_lists.adaptations, name="adaptations"),
    path("episodes/", episode_list.episodes, name="episodes"),
    path("episodes/<uuid:episode_id>/", episodes.episode, name="episode"),
    path("episodes/<uuid:episode_id>/<int:position>/<str:name>/", episodes.part, name="event-part"),
]
