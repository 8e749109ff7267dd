from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ConsolidationConfig(AppConfig):
    name = "consolidation"
    verbose_name = _("Consolidation")

    def ready(self) -> None:
        from consolidation import checks  # noqa: F401 - registers them
