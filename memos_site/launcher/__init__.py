"""What the wheel is called by: `memos` the command, and `from memos import Memos` for programs that use a server."""

from importlib import import_module
from typing import Any

_CLIENT = ("AsyncMemos", "Memos", "MemosError")


def __getattr__(name: str) -> Any:
    """The client, imported when it is asked for: the command needs none of it."""
    if name in _CLIENT:
        return getattr(import_module(f"{__name__}.client"), name)
    raise AttributeError(name)
