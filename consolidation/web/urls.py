"""URLs of consolidation's pages."""

from django.urls import path

from consolidation.web import backlog, imports, insights, lessons, packs, places, runs, scheduling, tools

urlpatterns = [
    path("import/", imports.imports, name="import"),
    path("import/<uuid:file_id>/", imports.import_file, name="import-file"),
    path("import/<uuid:file_id>/start/", imports.start, name="import-start"),
    path("packs/", packs.packs, name="packs"),
    path("packs/download/", packs.download, name="pack-download"),
    path("places/", places.places, name="places"),
    path("places/one/", places.place, name="place"),
    path("places/dismiss/", places.dismiss, name="dismiss-line"),
    path("places/AGENTS.md", places.agents_md_file, name="agents-md"),
    path("insights/", insights.insights, name="insights"),
    path("insights/<slug:chart>.csv", insights.insights_csv, name="insights-csv"),
    path("lessons/", lessons.lessons, name="lessons"),
    path("skills/tools/", tools.tools, name="tools"),
    path("skills/tools/decide/", tools.decide_tool, name="decide-tool"),
    path("runs/", runs.runs, name="runs"),
    path("runs/start/", runs.start, name="start-run"),
    path("runs/schedules/<int:schedule_id>/", scheduling.set_interval, name="set-interval"),
    path("runs/backlog/", backlog.start_backlog, name="start-backlog"),
    path("runs/queue/", backlog.decide_queue, name="decide-queue"),
    path("runs/<uuid:run_id>/", runs.run, name="run"),
    path("runs/<uuid:run_id>/<str:verb>/", runs.decide, name="decide-run"),
]
