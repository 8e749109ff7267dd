"""URLs of the skills' pages."""

from django.urls import path

from skills.web import editing, skills, uploading

urlpatterns = [
    path("skills/", skills.skills, name="skills"),
    path("skills/upload/", uploading.upload, name="upload"),
    path("skills/<uuid:memory_id>/edit/", editing.edit_skill, name="edit_skill"),
    path("skills/<uuid:memory_id>/<int:number>/restore/", editing.restore_version, name="restore_version"),
    path("skills/<uuid:memory_id>/merge/", skills.merge_skill, name="merge_skill"),
    path("skills/<uuid:memory_id>/rename/", skills.rename_skill, name="rename_skill"),
    path("skills/<uuid:memory_id>/<int:number>/", skills.version, name="skill_version"),
    path("skills/<uuid:memory_id>/<int:number>.zip", skills.package, name="package"),
]
