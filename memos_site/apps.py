from django.apps import AppConfig


class MemosConfig(AppConfig):
    name = "memos_site"
    verbose_name = "Memos"

    def ready(self) -> None:
        from memos_site import checks  # noqa: F401  (registers the checks of the settings)
