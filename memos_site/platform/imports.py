"""Imports of libraries without what they import for others: many megabytes that nothing here uses."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from typing import Any


@contextmanager
def without(*names: str) -> Iterator[None]:
    """In the block these libraries cannot be imported, as where they are not installed."""
    hidden: dict[str, Any] = dict.fromkeys(name for name in names if name not in sys.modules)
    sys.modules.update(hidden)
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


def module_alone(package: str, name: str) -> Any:
    """A module of a package whose own `__init__`, which is not executed, would import all the others."""
    spec = find_spec(package)
    known = package in sys.modules
    if not known and spec:
        sys.modules[package] = module_from_spec(spec)
    try:
        return import_module(f"{package}.{name}")
    finally:
        if not known:
            sys.modules.pop(package, None)
