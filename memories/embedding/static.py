"""The built-in embedding model: summed vectors of word pieces. No network, no model runtime. See ATTRIBUTION.md."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from memories.embedding.interface import Array, normalised

LONGEST_WORD = 100
MOST_REMEMBERED = 50_000  # cache size in words: most texts use few
PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
IDEOGRAPH = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)


class Spelling(dict[int, str]):
    """Translation table of characters, filled at first use: punctuation and ideographs become words of their own."""

    def __missing__(self, code: int) -> str:
        self[code] = written = self._written(chr(code))
        return written

    def _written(self, char: str) -> str:
        kind = unicodedata.category(char)
        if char in "\t\n\r" or kind.startswith("Z"):
            return " "
        if char == "\ufffd" or kind in ("Cc", "Cf", "Co"):
            return ""
        parts = unicodedata.normalize("NFD", char.lower())
        plain = "".join(part for part in parts if unicodedata.category(part) != "Mn")  # without accents
        is_mark = len(plain) == 1 and (plain in PUNCTUATION or unicodedata.category(plain).startswith("P"))
        return f" {plain} " if is_mark or IDEOGRAPH.match(char) else plain


class WordPiece:
    """Tokenizer over a vocabulary.

    `vocabulary`: each piece and its number; a piece inside a word begins with ##.
    """

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._vocabulary = vocabulary
        self._spelling = Spelling()
        self._of_word = lru_cache(MOST_REMEMBERED)(self._pieces)

    def pieces(self, text: str) -> list[int]:
        """The numbers of the pieces of a text; words that cannot be composed of known pieces are left out."""
        return list(chain.from_iterable(map(self._of_word, text.translate(self._spelling).split())))

    def _pieces(self, word: str) -> tuple[int, ...]:
        if len(word) > LONGEST_WORD:
            return ()
        pieces, start = [], 0
        while start < len(word):
            piece, start = self._longest(word, start)
            if piece is None:
                return ()
            pieces.append(piece)
        return tuple(pieces)

    def _longest(self, word: str, start: int) -> tuple[int | None, int]:
        """The longest known piece at `start`, and its end."""
        for end in range(len(word), start, -1):
            piece = self._vocabulary.get(f"##{word[start:end]}" if start else word[start:end])
            if piece is not None:
                return piece, end
        return None, start


HERE = Path(__file__).parent
LEAST_LENGTH = 1e-6  # of a vector that is divided by it
MOST_PRODUCTS = 200_000  # of numbers, in one product of matrices
Numbers = np.ndarray[Any, np.dtype[np.int64]]


class Table(NamedTuple):
    rows: np.ndarray
    scale: Array
    mean: Array


class Static:
    """Embedder with vectors in a file. The files are read at first use, once for a process and its forks; of the table
    only the rows that texts need."""

    name = "static-256"
    dimensions = 256
    near_duplicate_threshold = 0.75  # centred: rewordings 0.78 to 1.00, 99.9 % of random pairs below 0.73
    external = False

    @cached_property
    def _table(self) -> Table:
        rows = np.asarray(np.load(HERE / "table.npy", mmap_mode="r"))  # mapped: all processes of a host share its pages
        with np.load(HERE / "scale.npz") as file:
            return Table(rows, file["scale"].astype(np.float32), file["mean"].astype(np.float32))

    @cached_property
    def _words(self) -> WordPiece:
        lines = (HERE / "vocab.txt").read_text(encoding="utf-8").split("\n")
        return WordPiece({piece: number for number, piece in enumerate(lines) if piece})

    @property
    def mean(self) -> Array:
        return self._table.mean

    def embed(self, texts: Sequence[str], *, patience: float = 30.0) -> list[Array | None]:
        """Embed texts. Never fails; takes about 10 µs for a sentence, 0.3 ms for 1,500 characters."""
        return [self._of(text) for text in texts]

    def pieces(self, text: str) -> list[int]:
        """The numbers of the word pieces of a text."""
        return self._words.pieces(text)

    def piece_weights(self, pieces: Numbers) -> Array:
        """How much each of these word pieces adds to the vector of a text."""
        weights: Array = _lengths(self._table.rows.take(pieces, axis=0)) * self._table.scale.take(pieces)
        return weights

    def piece_similarities(self, pieces: Numbers, other_pieces: Numbers) -> Array:
        """Cosines of the vectors of word pieces without the mean of all texts: a row for each of `other_pieces`.

        With products in steps so small that the library starts no threads for them, which took five times as long.
        """
        directions = self._table.rows.take(pieces, axis=0).astype(np.float32)
        directions = directions / _lengths(directions)[:, None] - self.mean
        directions /= _lengths(directions)[:, None]
        rows = self._table.rows.take(other_pieces, axis=0).astype(np.float32)
        factors = np.vstack([directions, self.mean]).T
        step = max(MOST_PRODUCTS // factors.size, 1)
        products = np.concatenate([rows[start : start + step] @ factors for start in range(0, len(rows), step)])
        products /= _lengths(rows)[:, None]
        squares = 1 - 2 * products[:, -1:] + self.mean @ self.mean  # the square of |row - mean|
        cosines: Array = (products[:, :-1] - directions @ self.mean) / np.sqrt(np.maximum(squares, LEAST_LENGTH))
        return cosines

    def words(self, words: Sequence[str]) -> tuple[Array, Array]:
        """For each word its vector without the mean of all texts, zero where it has none, and its weight in texts."""
        vectors, weights = np.zeros((len(words), self.dimensions), np.float32), np.ones(len(words), np.float32)
        by_place = {place: numbers for place, word in enumerate(words) if (numbers := self.pieces(word))}
        if not by_place:
            return vectors, weights
        pieces = np.array([piece for of_word in by_place.values() for piece in of_word])
        starts = np.cumsum([0, *map(len, by_place.values())])[:-1]
        rows = self._table.rows.take(pieces, axis=0).astype(np.float32)
        lengths = _lengths(rows)
        piece_weights = lengths * self._table.scale.take(pieces)
        directions = rows / lengths[:, None] - self.mean
        sums = np.add.reduceat(directions * (piece_weights / _lengths(directions))[:, None], starts)
        places = list(by_place)
        vectors[places] = sums / _lengths(sums)[:, None]
        weights[places] = np.maximum.reduceat(piece_weights, starts)
        return vectors, weights

    def _of(self, text: str) -> Array | None:
        pieces = self._words.pieces(text)
        if not pieces:
            return None
        taken, table = np.array(pieces), self._table
        return normalised(table.scale.take(taken) @ table.rows.take(taken, axis=0).astype(np.float32))


def _lengths(rows: np.ndarray) -> Array:
    exact = rows.astype(np.float32, copy=False)
    lengths: Array = np.maximum(np.sqrt(np.einsum("ij,ij->i", exact, exact)), LEAST_LENGTH)
    return lengths
