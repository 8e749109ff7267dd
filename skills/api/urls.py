from django.urls import path

from skills.api.skills import OneSkill, Skills
from skills.api.uses import Uses
from skills.api.versions import Content, OneVersion, Versions

urlpatterns = [
    path("skills", Skills.as_view(), name="api-skills"),
    path("skills/<str:name>", OneSkill.as_view(), name="api-skill"),
    path("skills/<str:name>/uses", Uses.as_view(), name="api-skill-uses"),
    path("skills/<str:name>/versions", Versions.as_view(), name="api-skill-versions"),
    path("skills/<str:name>/versions/<str:number>", OneVersion.as_view(), name="api-skill-version"),
    path("skills/<str:name>/versions/<str:number>/content", Content.as_view(), name="api-skill-content"),
]
