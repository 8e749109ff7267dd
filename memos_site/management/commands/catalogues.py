from typing import Any

from django.core.management.base import BaseCommand

from memos_site.platform.environment import BASE_DIR


class Command(BaseCommand):
    help = "Collects the strings to translate into the catalogues of all rooms, and compiles them (for developers)"
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        from memos_site.management import catalogues  # Babel is installed for developers only

        for room, missing in catalogues.update().items():
            self.stdout.write(f"{catalogues.po_file(room).relative_to(BASE_DIR)}: {missing} untranslated")
