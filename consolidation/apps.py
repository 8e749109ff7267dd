from django.apps import AppConfig


class ConsolidationConfig(AppConfig):
    name = "consolidation"

    def ready(self) -> None:
        from consolidation import checks  # noqa: F401 - registers them
