"""The pages of this room."""

from django.urls import path

from consolidation import views

urlpatterns = [path("runs/", views.runs, name="runs")]
