"""The pages of this room."""

from django.urls import path

from consolidation.web import views

urlpatterns = [path("runs/", views.runs, name="runs")]
