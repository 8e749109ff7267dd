from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memos_site.platform.outages import StoreUnavailable
from skills import masking


class Command(BaseCommand):
    help = (
        "Masks the credentials in packages of skills that were stored before packages were masked. Run it once after "
        "an upgrade from such a version; what holds none stays, and a stopped run goes on. Example: "
        "manage.py mask_packages"
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            counts = masking.mask(self.stderr.write)
        except (OSError, StoreUnavailable) as error:
            raise CommandError(f"{error}; run it again, it goes on") from None
        self.stdout.write(f"{counts['masked']} packages masked, {counts['clean']} held no credential")
        if counts["lost"]:
            raise CommandError(f"{counts['lost']} are not in the store")
