"""Failures of a store behind the network, in words that hold neither addresses nor keys."""

import re

from memos_site.platform.outages import StoreUnavailable

FULL = {"InsufficientStorage", "QuotaExceeded", "StorageFull", "XMinioStorageFull", "EntityTooLarge"}
CODE = re.compile(r"[A-Za-z0-9.]{1,64}")
CONNECT_SECONDS, READ_SECONDS = 5, 20  # of silence; a call is tried twice at most


def no_answer(store: str) -> StoreUnavailable:
    return StoreUnavailable(f"{store} does not answer; nothing has changed")


def failure(store: str, status: int, code: str) -> StoreUnavailable:
    """The failure behind an answer. `code`: the name that the store gives it, shown only if it looks like a name."""
    named = f"{status} {code}" if CODE.fullmatch(code) else str(status)
    if status == 507 or code in FULL:
        return StoreUnavailable(f"{store} is full ({named}); nothing has changed")
    if status in (401, 403):
        return StoreUnavailable(f"{store} refuses the configured credentials ({named}); nothing has changed")
    what = f"answered {named}" if status else f"cannot be used ({code})"
    return StoreUnavailable(f"{store} {what}; nothing has changed")
