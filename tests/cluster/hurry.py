"""Hosts of a cluster whose leases end soon, and who look at the schedules often: so a trial is short."""

from django.apps import AppConfig

LEASE_SECONDS, SCHEDULE_SECONDS = 12.0, 2.0


class Hurried(AppConfig):
    name, label = "tests.cluster", "hurried"

    def ready(self) -> None:
        from memories import leases
        from memos_site.platform.supervision import exchange

        leases.SECONDS, exchange.SCHEDULE_SECONDS = LEASE_SECONDS, SCHEDULE_SECONDS
