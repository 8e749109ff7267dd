"""URLs of the skills' pages."""

from django.urls import path

from skills.web import views

urlpatterns = [
    path("skills/", views.skills, name="skills"),
    path("skills/<uuid:memory_id>/<int:number>.zip", views.package, name="package"),
]
