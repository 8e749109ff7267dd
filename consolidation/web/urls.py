"""URLs of consolidation's pages."""

from django.urls import path

from consolidation.web import views

urlpatterns = [path("runs/", views.runs, name="runs")]
