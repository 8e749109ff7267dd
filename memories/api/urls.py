"""URLs of this API under /api/v1/."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from memories.api.agents import Agents, Me
from memories.api.batch import Batch
from memories.api.episodes import EpisodeEvents, Episodes
from memories.api.history import EvidenceList, History, Relations
from memories.api.ingestion import Events, Observations, Outcomes, ToolOutputs, WorkingState, WorkingStates
from memories.api.memories import Export, Memories, Teach
from memories.api.metrics import MetricsView
from memories.api.one_memory import Erase, OneByKey, OneMemory, Reveal
from memories.api.revisions import Contest, Fork, Merge, Penalize, Reinforce, Retract, Supersede
from memories.api.search import Retrieve, Search
from memories.api.subjects import MergeSubject, OneSubjectView, Subjects
from memories.api.traces import Traces


class AnyTextConverter(StringConverter):
    """URL converter for the rest of the path, slashes and line breaks included, e.g. a caller's own key."""

    regex = "(?s:.+)"


register_converter(AnyTextConverter, "any_text")

urlpatterns = [
    path("events", Events.as_view(), name="api-events"),
    path("tool-outputs", ToolOutputs.as_view(), name="api-tool-outputs"),
    path("observations", Observations.as_view(), name="api-observations"),
    path("outcomes", Outcomes.as_view(), name="api-outcomes"),
    path("working-states", WorkingStates.as_view(), name="api-working-states"),
    path("working-states/<any_text:thread_id>", WorkingState.as_view(), name="api-working-state"),
    path("traces", Traces.as_view(), name="api-traces"),
    path("batch", Batch.as_view(), name="api-batch"),
    path("memories", Memories.as_view(), name="api-memories"),
    path("memories/teach", Teach.as_view(), name="api-memories-teach"),
    path("memories/by-key/<any_text:key>", OneByKey.as_view(), name="api-memory-by-key"),
    path("memories/<uuid:memory_id>", OneMemory.as_view(), name="api-memory"),
    path("memories/<uuid:memory_id>/history", History.as_view(), name="api-memory-history"),
    path("memories/<uuid:memory_id>/evidence", EvidenceList.as_view(), name="api-memory-evidence"),
    path("memories/<uuid:memory_id>/relations", Relations.as_view(), name="api-memory-relations"),
    path("memories/<uuid:memory_id>/reinforce", Reinforce.as_view(), name="api-memory-reinforce"),
    path("memories/<uuid:memory_id>/penalize", Penalize.as_view(), name="api-memory-penalize"),
    path("memories/<uuid:memory_id>/reveal", Reveal.as_view(), name="api-memory-reveal"),
    path("memories/<uuid:memory_id>/erase", Erase.as_view(), name="api-memory-erase"),
    path("memories/<uuid:memory_id>/supersede", Supersede.as_view(), name="api-memory-supersede"),
    path("memories/<uuid:memory_id>/fork", Fork.as_view(), name="api-memory-fork"),
    path("memories/<uuid:memory_id>/contest", Contest.as_view(), name="api-memory-contest"),
    path("memories/<uuid:memory_id>/retract", Retract.as_view(), name="api-memory-retract"),
    path("memories/merge", Merge.as_view(), name="api-memories-merge"),
    path("agents", Agents.as_view(), name="api-agents"),
    path("episodes", Episodes.as_view(), name="api-episodes"),
    path("episodes/<uuid:memory_id>/events", EpisodeEvents.as_view(), name="api-episode-events"),
    path("subjects", Subjects.as_view(), name="api-subjects"),
    path("subjects/<uuid:subject_id>", OneSubjectView.as_view(), name="api-subject"),
    path("subjects/<uuid:subject_id>/merge", MergeSubject.as_view(), name="api-merge-subject"),
    path("export", Export.as_view(), name="api-export"),
    path("metrics", MetricsView.as_view(), name="api-metrics"),
    path("search", Search.as_view(), name="api-search"),
    path("retrieve", Retrieve.as_view(), name="api-retrieve"),
    path("me", Me.as_view(), name="api-me"),
]
