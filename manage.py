#!/usr/bin/env python
"""Every command of Memos starts here; `manage.py serve` is the one to begin with."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memos_site.settings")
    if sys.argv[1:2] in (["serve"], ["worker"]):
        from memos_site.platform.supervision import hangups

        hangups.keep()  # before all that takes seconds
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
