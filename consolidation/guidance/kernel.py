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
class Similarities:
    """Matrices of similarities: a row for each queried run, a column for each known one. `overall` weighs the votes;
    `words` alone tells whether two users ask alike; `meaning` is the centred similarity; `backing` is that of a run
    that backs an answer, to be compared with the words of those that contradict it."""

    overall: Floats
    words: Floats
    meaning: Floats
    backing: Floats

    def columns(self, order: "NDArray[Any]") -> "Similarities":
        """The same, with the known runs in this order."""
        return Similarities(*(part[:, order] for part in (self.overall, self.words, self.meaning, self.backing)))


class Kernel:
    """Similarities over one set of known runs; the rarity of a term is its rarity among them. `tools`: those of these
    runs that have an effect. `openings`: the known and the queried runs consist of the user's first message."""

    def __init__(self, profiles: Sequence[Features], tools: Iterable[str], *, openings: bool = False) -> None:
        self._naming, self._openings = naming(tools), openings
        channels = OPENING if openings else tuple(WEIGHTS)
        self._channels = {name: _Channel([self._terms(profile, name) for profile in profiles]) for name in channels}
        self._vectors = np.stack([profile.vector for profile in profiles])

    def against(self, queries: Sequence[Features]) -> Similarities:
        """Compare the queried runs with the known ones."""
        parts = {
            name: np.stack([channel.row(self._terms(profile, name)) for profile in queries])
            for name, channel in self._channels.items()
        }
        return self._compared(parts, np.stack([profile.vector for profile in queries]) @ self._vectors.T)

    def among(self, positions: Sequence[int]) -> Similarities:
        """Compare the known runs at these positions with each other."""
        parts = {name: channel.square(positions) for name, channel in self._channels.items()}
        vectors = self._vectors[list(positions)]
        return self._compared(parts, vectors @ vectors.T)

    def _terms(self, features: Features, name: str) -> Terms:
        return features.channels["words"].only(self._naming) if name == "named" else features.channels[name]

    def _compared(self, parts: dict[str, Floats], meaning: Floats) -> Similarities:
        total = MEANING + sum(WEIGHTS[name] for name in parts)
        similarity = sum((WEIGHTS[name] * part for name, part in parts.items()), MEANING * meaning) / total
        overall, words = np.asarray(similarity, np.float32), parts["words"]
        # Few words mean much the same as many others: what backs an answer to them must be said in them.
        return Similarities(overall, words, np.asarray(meaning, np.float32), words if self._openings else overall)


class _Channel:
    """The terms of all known runs in three parallel arrays: run, term, and weight as a share of that run's length."""

    def __init__(self, runs: Sequence[Terms]) -> None:
        self._total = len(runs)
        self._run_of = np.repeat(np.arange(self._total), [len(profile.ids) for profile in runs])
        self._ids, self._term_of = np.unique(np.concatenate([profile.ids for profile in runs]), return_inverse=True)
        self._frequencies = np.bincount(self._term_of, minlength=len(self._ids))
        self._idf = _idf(self._total, self._frequencies)
        weights = _log_counts(np.concatenate([profile.counts for profile in runs])) * self._idf[self._term_of]
        lengths = np.sqrt(np.bincount(self._run_of, weights**2, self._total))
        self._weights = weights / np.maximum(lengths, 1e-9)[self._run_of]

    def row(self, terms: Terms) -> Floats:
        """Cosines with each known run. A term that no known run has counts for the length of the query."""
        column = np.zeros(len(self._ids))
        if len(self._ids):
            at = np.searchsorted(self._ids, terms.ids).clip(max=len(self._ids) - 1)
            is_known = self._ids[at] == terms.ids
            weights = _log_counts(terms.counts) * np.where(is_known, self._idf[at], _idf(self._total, np.zeros(1)))
            column[at[is_known]] = weights[is_known] / max(float(np.sqrt((weights**2).sum())), 1e-9)
        cosines = np.bincount(self._run_of, self._weights * column[self._term_of], self._total)
        return np.asarray(cosines, np.float32)

    def square(self, positions: Sequence[int]) -> Floats:
        """Cosines among the runs at these positions. Only terms that two of them share are multiplied."""
        index = np.full(self._total, -1)
        index[list(positions)] = np.arange(len(positions))
        is_chosen = index[self._run_of] >= 0
        is_shared = np.bincount(self._term_of[is_chosen], minlength=len(self._ids)) >= 2
        mask = is_chosen & is_shared[self._term_of]
        column = np.cumsum(is_shared) - 1
        rows = np.zeros((len(positions), int(is_shared.sum())), np.float32)
        rows[index[self._run_of[mask]], column[self._term_of[mask]]] = self._weights[mask]
        cosines: Floats = rows @ rows.T
        np.fill_diagonal(cosines, 1.0)
        return cosines


def _idf(total: int, frequencies: "NDArray[Any]") -> "NDArray[np.float64]":
    """ln(1 + (N - df + 0.5) / (df + 0.5)), as in a search by words, with N as if there were more runs about other
    things: among five runs that all say "cancel" the word still means something."""
    return np.asarray(np.log(1 + (total + OTHERS - frequencies + 0.5) / (frequencies + 0.5)), np.float64)


def _log_counts(counts: Floats) -> "NDArray[np.float64]":
    return np.asarray(1 + np.log(counts), np.float64)
