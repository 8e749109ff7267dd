#!/usr/bin/env python
"""Every command of Memos starts here; `manage.py serve` is the one to begin with."""

import gc
import os
import sys
from contextlib import suppress

YOUNG_OBJECTS = 100_000  # what imports make stays: a collector that looks at it often takes a seventh of their time


def begin_database() -> None:
    """Start the embedded database while all else is imported. What prevents that is said when it is connected to."""
    from memos_site.platform.env import ENV, PROBLEMS, private_directory

    if not ENV.DATABASE_URL and not PROBLEMS:
        from memos_site.platform.postgres.cluster import Unusable
        from memos_site.platform.postgres.server import Server

        with suppress(OSError, Unusable):
            Server(private_directory(ENV.MEMOS_DATA_DIR.absolute())).begin()


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memos_site.settings")
    if sys.argv[1:2] in (["serve"], ["worker"]):
        from memos_site.platform.supervision import hangups

        hangups.keep()  # before all that takes seconds
    gc.set_threshold(YOUNG_OBJECTS)
    if sys.argv[1:2] == ["serve"] and not {"-h", "--help"} & set(sys.argv):
        begin_database()
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, `| head`, has seen enough; nor must Python's own flush at the end complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)  # as a shell counts it
    except Exception as error:
        from memos_site.platform import outages

        reason = outages.reason(error)
        if reason is None or "--traceback" in sys.argv:
            raise
        sys.exit(f"CommandError: {reason}")


if __name__ == "__main__":
    main()
