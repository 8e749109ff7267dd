"""How alike two runs are: per channel the cosine of their terms, rare terms counting most; and their meaning.

The words of which names of tools are made ("exchange", "baggage") are frequent where these tools are, so they hardly
count among the words; what the user wants is said in them, and they are a channel of their own, `named`.

What a user says first is compared with what users said first: with whole conversations it has little in common, and
most with short ones.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consolidation.guidance.features import Features, Floats, Terms, naming

WEIGHTS = {"words": 1.0, "values": 1.0, "tools": 0.3, "last": 0.3, "named": 0.4}
OPENING = ("words", "named")  # all that the first message of a user shows
MEANING = 0.3  # weight of the centred similarity of what the users said
OTHERS = 20


@dataclass(frozen=True, eq=False)
class Compared:
    """A row for each run that is asked about, a column for each known one. `whole` is the similarity that votes;
    `words` alone tells whether two users ask alike; `meaning` is the centred similarity. `backing` is the similarity of
    a run that backs an answer, to be compared with the words of those that contradict it."""

    whole: Floats
    words: Floats
    meaning: Floats
    backing: Floats

    def columns(self, order: "NDArray[Any]") -> "Compared":
        """The same, with the known runs in this order."""
        return Compared(*(part[:, order] for part in (self.whole, self.words, self.meaning, self.backing)))


class Kernel:
    """Similarities over one set of known runs; the rarity of a term is its rarity among them. `tools`: with an effect,
    of these runs. `openings`: the known runs, and those that are asked about, are first messages."""

    def __init__(self, known: Sequence[Features], tools: Iterable[str], *, openings: bool = False) -> None:
        self._naming, self._openings = naming(tools), openings
        channels = OPENING if openings else tuple(WEIGHTS)
        self._channels = {name: _Channel([self._terms(profile, name) for profile in known]) for name in channels}
        self._vectors = np.stack([profile.vector for profile in known])

    def against(self, asked: Sequence[Features]) -> Compared:
        """Others compared with the known runs."""
        parts = {
            name: np.stack([channel.row(self._terms(profile, name)) for profile in asked])
            for name, channel in self._channels.items()
        }
        return self._compared(parts, np.stack([profile.vector for profile in asked]) @ self._vectors.T)

    def among(self, chosen: Sequence[int]) -> Compared:
        """Some of the known runs compared with each other."""
        parts = {name: channel.square(chosen) for name, channel in self._channels.items()}
        vectors = self._vectors[list(chosen)]
        return self._compared(parts, vectors @ vectors.T)

    def _terms(self, features: Features, name: str) -> Terms:
        return features.channels["words"].only(self._naming) if name == "named" else features.channels[name]

    def _compared(self, parts: dict[str, Floats], meaning: Floats) -> Compared:
        total = MEANING + sum(WEIGHTS[name] for name in parts)
        summed = sum((WEIGHTS[name] * part for name, part in parts.items()), MEANING * meaning) / total
        whole, words = np.asarray(summed, np.float32), parts["words"]
        # Few words mean much the same as many others: what backs an answer to them must be said in them.
        return Compared(whole, words, np.asarray(meaning, np.float32), words if self._openings else whole)


class _Channel:
    """The terms of all known runs in three long columns: whose, which, and its share of the length of that run."""

    def __init__(self, known: Sequence[Terms]) -> None:
        self._total = len(known)
        self._whose = np.repeat(np.arange(self._total), [len(profile.ids) for profile in known])
        self._ids, self._which = np.unique(np.concatenate([profile.ids for profile in known]), return_inverse=True)
        self._found = np.bincount(self._which, minlength=len(self._ids))
        self._idf = _idf(self._total, self._found)
        weights = _damped(np.concatenate([profile.counts for profile in known])) * self._idf[self._which]
        lengths = np.sqrt(np.bincount(self._whose, weights**2, self._total))
        self._weights = weights / np.maximum(lengths, 1e-9)[self._whose]

    def row(self, asked: Terms) -> Floats:
        """Cosines with each known run. A term that no known run has counts for the length of what is asked."""
        column = np.zeros(len(self._ids))
        if len(self._ids):
            at = np.searchsorted(self._ids, asked.ids).clip(max=len(self._ids) - 1)
            met = self._ids[at] == asked.ids
            weights = _damped(asked.counts) * np.where(met, self._idf[at], _idf(self._total, np.zeros(1)))
            column[at[met]] = weights[met] / max(float(np.sqrt((weights**2).sum())), 1e-9)
        cosines = np.bincount(self._whose, self._weights * column[self._which], self._total)
        return np.asarray(cosines, np.float32)

    def square(self, chosen: Sequence[int]) -> Floats:
        """Cosines among the chosen ones. Only what two of them share is multiplied."""
        place = np.full(self._total, -1)
        place[list(chosen)] = np.arange(len(chosen))
        mine = place[self._whose] >= 0
        shared = np.bincount(self._which[mine], minlength=len(self._ids)) >= 2
        kept = mine & shared[self._which]
        column = np.cumsum(shared) - 1
        rows = np.zeros((len(chosen), int(shared.sum())), np.float32)
        rows[place[self._whose[kept]], column[self._which[kept]]] = self._weights[kept]
        cosines: Floats = rows @ rows.T
        np.fill_diagonal(cosines, 1.0)
        return cosines


def _idf(total: int, found: "NDArray[Any]") -> "NDArray[np.float64]":
    """ln(1 + (N - df + 0.5) / (df + 0.5)), as in a search by words, with N as if there were more runs about other
    things: among five runs that all say "cancel" the word still means something."""
    return np.asarray(np.log(1 + (total + OTHERS - found + 0.5) / (found + 0.5)), np.float64)


def _damped(counts: Floats) -> "NDArray[np.float64]":
    return np.asarray(1 + np.log(counts), np.float64)
