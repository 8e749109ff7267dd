"""Late interaction: the best passages are reranked by their word pieces. No statement, no call to an endpoint.

Each word piece of the question is compared with all pieces of a passage, and how alike the nearest one is counts: a
passage that says "physician" fits "doctor", whatever else it says, which one vector of a whole text hides. The pieces
are the built-in embedder's, whichever model the vectors of passages are from.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np

from memories import embedding
from memories.embedding import Array
from memories.embedding.static import Numbers, Static
from memories.search import emphasis, ranking
from memories.search.candidates import Pool
from memories.search.ranking import Candidate, Scores, Weights
from memories.values import passage_texts, search_words, text

MOST_RERANKED = 20  # passages; with 30 or 60 no more is found
LEAST_ALIKE = 0.4  # centred similarity; pieces below it have nothing to do with each other
MOST_PIECES = 64  # of a question
LEAST_WEIGHT = 1e-6  # of a question, which is divided by it


def by_passage(pool: Pool, question: str, weights: Weights) -> Scores:
    """Score every passage of the pool, best first."""
    scored = ranking.by_passage(pool.candidates, pool.words, question, weights, meant=pool.meant)
    return rerank(scored, question, weights) if weights.pieces and scored else scored


def rerank(scored: Scores, question: str, weights: Weights) -> Scores:
    """Return the same passages, best first; `pieces` is added to the score of the MOST_RERANKED best ones."""
    reach = weights.neighbours[:1]
    alike = _alike(scored.beside(MOST_RERANKED, len(reach)), question, reach)
    best = scored[:MOST_RERANKED]
    return scored.reranked([weights.pieces * quote.kept * alike.get(quote.candidate.passage, 0.0) for quote in best])


def _alike(rows: Sequence[Candidate], question: str, reach: Sequence[float]) -> dict[int, float]:
    """How much of the question's pieces each passage answers, 0 to 1, by its id; what is said beside it counts less.

    A single Chinese or Japanese character says little alone: such text is compared by its bigrams, as words, and the
    pieces of the rest answer as much of the question as it is of it.
    """
    model, asked = embedding.built_in(), emphasis.asked(question)
    compared = text.UNSPACED.sub(" ", asked)
    distinct = np.array(list(dict.fromkeys(model.pieces(compared)))[:MOST_PIECES], dtype=np.int64)
    if not len(distinct):
        return {}
    pieces = [model.pieces(passage_texts.with_speaker(row.actor, row.text)) for row in rows]
    near, weights = _nearest(distinct, pieces, model), model.piece_weights(distinct)
    group = {memory: number for number, memory in enumerate(dict.fromkeys(row.memory for row in rows))}
    places = np.array([[group[row.memory] for row in rows], [row.position for row in rows]])
    share = search_words.spaced_share(asked)
    shares = ranking.spread(near, places, reach) @ weights * (share / max(weights.sum(), LEAST_WEIGHT))
    return dict(zip((row.passage for row in rows), shares.tolist(), strict=True))


def _nearest(asked: Numbers, said: Sequence[Sequence[int]], model: Static) -> Array:
    """For each passage and each piece of the question how alike the passage's nearest piece is, 0 to 1."""
    nearest = np.zeros((len(said), len(asked)), dtype=np.float32)
    sizes = np.array([len(words) for words in said])
    if not sizes.any():
        return nearest
    pieces, place = np.unique(np.fromiter(chain.from_iterable(said), np.int64), return_inverse=True)
    alike = np.maximum(model.piece_similarities(asked, pieces) - LEAST_ALIKE, 0) / (1 - LEAST_ALIKE)
    holds = sizes > 0
    nearest[holds] = np.maximum.reduceat(alike[place], (np.cumsum(sizes) - sizes)[holds])
    return nearest
