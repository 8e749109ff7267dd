from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class MemosConfig(AppConfig):
    name = "memos_site"
    verbose_name = "Memos"

    def ready(self) -> None:
        from memos_site import checks  # noqa: F401 - registers the checks of the settings


class OperatorsConfig(AdminConfig):
    default_site = "memos_site.admin_site.Site"
