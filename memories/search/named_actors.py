"""Speakers and sources that a question names. Pure."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from memories.values import roles

Array = np.ndarray[Any, Any]


def named(actors: Sequence[str], sources: Sequence[str], question: str) -> Array:
    """1 where the question names the speaker or source. Of several people with the same first name it names those whose
    whole name it says, if it says one; else all of them.
    """
    lowered = question.casefold()
    names = {*actors, *sources}
    first = {name: name.casefold().split()[0] for name in names if is_named(name, lowered)}
    whole = {name for name in first if _is_said(name, lowered)}
    known = {first[name] for name in whole if " " in name.strip()}
    meant = {name for name in first if name in whole or first[name] not in known}
    if not meant:
        return np.zeros(len(actors))
    return np.array([not meant.isdisjoint(pair) for pair in zip(actors, sources, strict=True)], dtype=float)


def _is_said(name: str, question: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name.strip().casefold())}(?!\w)", question) is not None


def is_named(name: str, question: str) -> bool:
    """Whether the casefolded question names this speaker or source, by the whole name or its first word.

    A role such as `user` is no name.
    """
    name = name.strip().casefold()
    if not name or roles.is_role(name):
        return False
    if not name.isascii():
        return name in question
    first = name.split()[0]
    spoken = {name, first} if len(first) > 2 else {name}
    return any(_is_said(actor, question) for actor in spoken)
