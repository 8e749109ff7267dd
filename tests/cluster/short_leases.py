"""Leases of hosts of a cluster end so soon that one that freezes is replaced within a short trial."""

from django.apps import AppConfig

SECONDS = 12.0


class ShortLeases(AppConfig):
    name, label = "tests.cluster", "short_leases"

    def ready(self) -> None:
        from memories import leases

        leases.SECONDS = SECONDS
