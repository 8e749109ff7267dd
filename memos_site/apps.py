from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class MemosConfig(AppConfig):
    name = "memos_site"
    verbose_name = "Memos"

    def ready(self) -> None:
        from django.conf import settings

        from consolidation import run_queue
        from consolidation.models import bulk_orders
        from memos_site import checks  # noqa: F401 - registers the checks of the settings
        from memos_site.platform import model_names
        from memos_site.platform.postgres import replicas
        from memos_site.platform.postgres.verified_commits import VerifiedCommits
        from memos_site.review import bulk_run

        if settings.DATABASE_REPLICAS:
            VerifiedCommits.before_commit = staticmethod(replicas.record_write)
        model_names.translate()
        run_queue.KINDS[bulk_orders.KIND] = bulk_run.process  # the review stands above the queue


class OperatorsConfig(AdminConfig):
    default_site = "memos_site.admin_site.Site"
