from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SkillsConfig(AppConfig):
    name = "skills"
    verbose_name = _("Skills")

    def ready(self) -> None:
        from skills import checks  # noqa: F401 - registers them
