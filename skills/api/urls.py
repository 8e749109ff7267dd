from django.urls import path

from skills.api.comparing import RestoreVersion, SkillDiff, SkillPrompt
from skills.api.skills import OneSkill
from skills.api.uploads import Skills
from skills.api.uses import Uses
from skills.api.versions import Content, OneFile, OneVersion, Versions

urlpatterns = [
    path("skills", Skills.as_view(), name="api-skills"),
    path("skills/prompt", SkillPrompt.as_view(), name="api-skill-prompt"),
    path("skills/<str:name>/diff", SkillDiff.as_view(), name="api-skill-diff"),
    path("skills/<str:name>/versions/<str:number>/restore", RestoreVersion.as_view(), name="api-skill-version-restore"),
    path("skills/<str:name>", OneSkill.as_view(), name="api-skill"),
    path("skills/<str:name>/uses", Uses.as_view(), name="api-skill-uses"),
    path("skills/<str:name>/versions", Versions.as_view(), name="api-skill-versions"),
    path("skills/<str:name>/versions/<str:number>", OneVersion.as_view(), name="api-skill-version"),
    path("skills/<str:name>/versions/<str:number>/files/<path:path>", OneFile.as_view(), name="api-skill-file"),
    path("skills/<str:name>/versions/<str:number>/content", Content.as_view(), name="api-skill-content"),
]
